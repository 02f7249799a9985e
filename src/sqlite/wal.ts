// The switch of a database that several processes may make at once to a write-ahead log.

import type { DatabaseSync } from 'node:sqlite';
import { isBusy } from './result-codes.ts';

/** Between two tries. */
const PAUSE_MS = 20;

/**
 * The switch needs the file for itself and does not wait for other connections, whatever their timeout says, so it
 * is tried again for at most `patienceMs`; then the error of SQLite is thrown.
 */
export function switchToWal(database: Pick<DatabaseSync, 'exec'>, patienceMs: number): void {
  const givenUp = performance.now() + patienceMs;
  for (;;) {
    try {
      database.exec('PRAGMA journal_mode = WAL');
      return;
    } catch (error) {
      if (!isBusy(error) || performance.now() > givenUp) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS);
    }
  }
}
