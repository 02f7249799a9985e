// Is a database whole?

import type { DatabaseSync } from 'node:sqlite';

/** SQLite's own check of pages, indexes and constraints; empty where all is well. */
export function integrityProblems(database: DatabaseSync): string[] {
  try {
    const rows = database.prepare('PRAGMA integrity_check').all();
    return rows.map((row) => String(row.integrity_check)).filter((line) => line !== 'ok');
  } catch (error) {
    return [(error as Error).message];
  }
}
