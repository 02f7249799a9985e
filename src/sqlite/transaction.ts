// Work that is done wholly or not at all.

import type { DatabaseSync } from 'node:sqlite';
import { storageError } from '../errors.ts';

/** Runs `work` in a transaction that holds the write lock from its start, and rolls it back if it throws. */
export function inTransaction<T>(database: DatabaseSync, work: () => T): T {
  database.exec('BEGIN IMMEDIATE');
  try {
    const result = work();
    database.exec('COMMIT');
    return result;
  } catch (error) {
    if (database.isTransaction) database.exec('ROLLBACK');
    throw storageError(error, database.location() ?? '');
  }
}
