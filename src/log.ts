// The log: one JSON line for each event, on standard error, so that standard output is free for results. It
// contains no query text and no full address.

import { type Logger, pino } from 'pino';

export type { Logger };

export const log: Logger = pino({ base: null, level: 'info' }, pino.destination({ fd: 2, sync: true }));
