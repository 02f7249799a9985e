// A lock that the system takes back when the process dies: an SQLite file held in an exclusive transaction.

import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { isBusy } from './result-codes.ts';

/** Makes the file where there is none. null: somebody holds it, in this process or another. Disposing gives it back. */
export function tryToLock(file: string): Disposable | null {
  mkdirSync(dirname(file), { recursive: true });
  const database = new DatabaseSync(file, { timeout: 0 });
  try {
    // In memory, and nothing is ever written: no journal beside the file, no sync.
    database.exec('PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF; BEGIN EXCLUSIVE');
  } catch (error) {
    database.close();
    if (!isBusy(error)) throw error;
    return null;
  }
  return { [Symbol.dispose]: () => database.close() };
}
