// The file of a database that only its owner can read.

import { chmodSync, closeSync, openSync, statSync } from 'node:fs';

export const OWNER_ONLY = 0o600;

/**
 * SQLite gives its side files (-wal, -shm) the mode of the database.
 * @NOTE An existing database is never opened and closed here: closing any descriptor of a file drops all POSIX locks
 * that this process holds on it (https://www.sqlite.org/howtocorrupt.html, 2.2).
 */
export function createForOwner(file: string): void {
  try {
    closeSync(openSync(file, 'wx', OWNER_ONLY));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    if ((statSync(file).mode & 0o077) !== 0) chmodSync(file, OWNER_ONLY);
  }
}
