// Logs for tests that do not look at them.

import { mock } from 'node:test';
import { type Logger, lineLog, log } from '../src/log.ts';

export const SILENT: Logger = lineLog(() => undefined);

/** The log of this process, until the test file is over. */
export function silenceLog(): void {
  for (const level of ['info', 'warn', 'error'] as const) mock.method(log, level, () => undefined);
}
