// A log for tests of servers that do not look at it.

import { LineLog, type Logger } from '../src/log.ts';

export const SILENT: Logger = new LineLog(() => undefined);
