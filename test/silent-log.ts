// A log for tests of servers that do not look at it: without its library, which takes longer to load than many a test.

import type { Logger } from '../src/log.ts';

const nothing = () => undefined;

export const SILENT: Logger = {
  level: 'silent',
  debug: nothing,
  info: nothing,
  warn: nothing,
  error: nothing,
};
