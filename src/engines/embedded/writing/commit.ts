// How a change of the manifest is committed, and files that it no longer names are deleted.

import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { log } from '../../../log.ts';
import { type Change, ConflictError, type Manifest, type NewSegment } from '../index/manifest.ts';

/** Does nothing and returns false if the manifest is no longer at this version. Deletes dropped files. */
export function commitAt(manifest: Manifest, change: Change, version: number): boolean {
  try {
    manifest.commit(change, version);
  } catch (error) {
    if (error instanceof ConflictError) return false;
    // A commit that fails may be there all the same after a power cut (where syncing the log failed, all of it may be
    // on disk), so new files stay until the next writer finds that nothing names them.
    throw error;
  }
  for (const name of change.drop ?? []) deleteFile(manifest, name);
  return true;
}

/** Takes back files that no manifest names. */
export function discard(manifest: Manifest, segments: readonly NewSegment[]): void {
  for (const { name } of segments) deleteFile(manifest, name);
}

/** A file that stays changes nothing about a commit or an earlier failure: the next writer deletes it. */
function deleteFile(manifest: Manifest, name: string): void {
  try {
    rmSync(segmentPath(manifest, name), { force: true });
  } catch (error) {
    // uncovered: a disk that fails to delete
    log.warn({ err: error }, 'a file that no manifest names could not be deleted');
  }
}

export function segmentPath(manifest: Manifest, name: string): string {
  return join(manifest.folder, `${name}.seg`);
}
