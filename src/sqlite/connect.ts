// A connection to a database that this process may not be allowed to write.

import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { storageError, UsageError } from '../errors.ts';

/** `PRAGMA application_id` of our databases since 0.1.0: "CLQY". */
export const APPLICATION_ID = 0x434c5159;

/** Throws a UsageError for a database that a Colloquy before 0.1.0 made. */
export function expectReleased(applicationId: number, file: string): void {
  if (applicationId === APPLICATION_ID) return;
  throw new UsageError(
    `\`${file}\`: expected a database of Colloquy 0.1.0 or later, found one from before: ` +
      'import its dumps again into a new folder, which `--data` names',
  );
}

/**
 * A connection to read and write, or only to read if the database may not be written or `isReadOnly`. In the
 * second case
 * SQLite cannot make the files by which it coordinates processes in WAL mode
 * (https://www.sqlite.org/wal.html#readonly). If a writing process keeps them or has left them, they are
 * used; otherwise nobody is writing, and the file is read as one that does not change. Throws a StorageError
 * if the file cannot be opened.
 */
export function connect(file: string, timeoutMs: number, isReadOnly = false): DatabaseSync {
  try {
    return connectAsAllowed(file, timeoutMs, isReadOnly);
  } catch (error) {
    throw storageError(error, file);
  }
}

function connectAsAllowed(file: string, timeoutMs: number, isReadOnly: boolean): DatabaseSync {
  if (!isReadOnly && (!existsSync(file) || mayBeWritten(file)))
    return new DatabaseSync(file, { timeout: timeoutMs });
  if (hasLog(file)) return new DatabaseSync(file, { timeout: timeoutMs, readOnly: true });
  const address = pathToFileURL(file);
  address.searchParams.set('immutable', '1');
  return new DatabaseSync(address, { readOnly: true });
}

/** Whether commits may stand in the write-ahead log beside the file. */
export function hasLog(file: string): boolean {
  return (statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0;
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
