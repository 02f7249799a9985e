// What makes a change of a folder last.

import { closeSync, fsyncSync, openSync } from 'node:fs';

/** A new name or a rename lasts only when its folder is synced. Windows syncs no folders. */
export function syncFolder(folder: string): void {
  if (process.platform === 'win32') return;
  syncFile(folder);
}

/** What others wrote to the file under this name. */
export function syncFile(path: string): void {
  const file = openSync(path, 'r');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
