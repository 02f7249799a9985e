// The log: one JSON line an event on standard error, so that standard output stays for results.
// No query text and no full address goes in.

import { type Logger, pino } from 'pino';

export type { Logger };

export const log: Logger = pino({ base: null, level: 'info' }, pino.destination({ fd: 2, sync: true }));
