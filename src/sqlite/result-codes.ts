// The result codes of SQLite that the code tells apart (https://www.sqlite.org/rescode.html).

import { sqliteCode } from '../errors.ts';

/** SQLITE_BUSY, SQLITE_LOCKED. */
const BUSY = [5, 6];

/** Another connection has locked the database for the moment. */
export function isBusy(error: unknown): boolean {
  return BUSY.includes(sqliteCode(error) ?? -1);
}
