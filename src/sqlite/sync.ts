// What makes a change of a folder last.

import { closeSync, fsyncSync, openSync } from 'node:fs';

/**
 * A new file or a rename survives a power cut only once its folder is synced. Windows does not sync folders.
 */
export function syncFolder(folder: string): void {
  if (process.platform === 'win32') return;
  syncFile(folder);
}

/** Syncs what others wrote to the file of this name. */
export function syncFile(path: string): void {
  const file = openSync(path, 'r');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
