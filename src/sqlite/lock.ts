// What outlives a process: a lock that the system releases when it dies, and files and folders that survive a
// power cut.

import { closeSync, fsyncSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { isBusy } from './statements.ts';

/**
 * An SQLite file held in an exclusive transaction; made if it does not exist. null: the lock is held, in this process
 * or another. Disposing releases it.
 */
export function tryToLock(file: string): Disposable | null {
  mkdirSync(dirname(file), { recursive: true });
  const database = new DatabaseSync(file, { timeout: 0 });
  try {
    // Journal in memory, and nothing is ever written: no file beside this one, no sync.
    database.exec('PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF; BEGIN EXCLUSIVE');
  } catch (error) {
    database.close();
    if (!isBusy(error)) throw error;
    return null;
  }
  return { [Symbol.dispose]: () => database.close() };
}

/** A new file or a rename survives a power cut only once its folder is synced. Windows does not sync folders. */
export function syncFolder(folder: string): void {
  if (process.platform === 'win32') return;
  syncFile(folder);
}

export function syncFile(path: string): void {
  const file = openSync(path, 'r');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
