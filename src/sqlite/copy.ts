// A copy of a database that is in use.

import { closeSync, openSync } from 'node:fs';
import { backup, type DatabaseSync } from 'node:sqlite';
import { OWNER_ONLY } from './owner-only.ts';

/**
 * In one step, so that the copy is one state of the database and no other process's write makes it start
 * again.
 */
const ALL_PAGES = 0x7fffffff;

/**
 * Writes one state of the database to a new file, whoever writes to the database meanwhile. Throws if the
 * file exists.
 */
export async function copyDatabase(database: DatabaseSync, file: string, mode = OWNER_ONLY): Promise<void> {
  closeSync(openSync(file, 'wx', mode));
  await backup(database, file, { rate: ALL_PAGES });
}
