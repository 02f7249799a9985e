// A copy of a database that is in use.

import { backup, type DatabaseSync } from 'node:sqlite';
import { createForOwner } from './owner-only.ts';

/** One state of the database as a new file, whoever writes to it meanwhile; readable by its owner alone. */
export async function copyDatabase(database: DatabaseSync, file: string): Promise<void> {
  createForOwner(file);
  // In one step: no write of others makes it begin anew.
  await backup(database, file, { rate: 0x7fffffff });
}
