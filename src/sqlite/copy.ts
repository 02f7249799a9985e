// A copy of a database that is in use.

import { closeSync, openSync } from 'node:fs';
import { backup, type DatabaseSync } from 'node:sqlite';
import { OWNER_ONLY } from './owner-only.ts';

/** In one step, so that it is one state of the database and no write of others makes it begin anew. */
const ALL_PAGES = 0x7fffffff;

/** One state of the database as a new file, whoever writes to it meanwhile. Throws where there is a file already. */
export async function copyDatabase(database: DatabaseSync, file: string, mode = OWNER_ONLY): Promise<void> {
  closeSync(openSync(file, 'wx', mode));
  await backup(database, file, { rate: ALL_PAGES });
}
