// A connection to a database that may be one which this process may not write.

import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { storageError } from '../errors.ts';

/**
 * A connection to read and write, or, where the database may only be read, to read. There SQLite cannot make the files
 * that it coordinates processes with in WAL mode (https://www.sqlite.org/wal.html#readonly). Where a process that
 * writes has left them or keeps them, they are used; else nobody writes, and the file is read as one that does not
 * change.
 * Throws a StorageError where the file may not be opened.
 */
export function connect(file: string, timeoutMs: number): DatabaseSync {
  try {
    return connectAsAllowed(file, timeoutMs);
  } catch (error) {
    throw storageError(error, file);
  }
}

function connectAsAllowed(file: string, timeoutMs: number): DatabaseSync {
  if (!existsSync(file) || mayBeWritten(file)) return new DatabaseSync(file, { timeout: timeoutMs });
  const log = statSync(`${file}-wal`, { throwIfNoEntry: false });
  if (log !== undefined && log.size > 0)
    return new DatabaseSync(file, { timeout: timeoutMs, readOnly: true });
  const address = pathToFileURL(file);
  address.searchParams.set('immutable', '1');
  return new DatabaseSync(address, { readOnly: true });
}

/** Whether this process may write the file, and files beside it. */
export function mayBeWritten(file: string): boolean {
  try {
    for (const path of [dirname(file), file]) accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
