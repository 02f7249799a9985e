// One process at a time changes the list of removals: a lock that the system takes back when the process dies.
//
//   removal.lock   an SQLite file held in an exclusive transaction

import { DatabaseSync } from 'node:sqlite';

/** SQLite's primary result code for a database that another connection holds (https://www.sqlite.org/rescode.html). */
const SQLITE_BUSY = 5;

/** null where somebody holds it. Disposing of it gives it back. */
export function tryToLock(file: string): Disposable | null {
  const database = new DatabaseSync(file, { timeout: 0 });
  try {
    // In memory, and nothing is ever written: no journal beside the file, no sync.
    database.exec('PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF; BEGIN EXCLUSIVE');
  } catch (error) {
    database.close();
    if ((Number((error as { readonly errcode?: unknown }).errcode) & 0xff) !== SQLITE_BUSY) throw error;
    return null;
  }
  return { [Symbol.dispose]: () => database.close() };
}
