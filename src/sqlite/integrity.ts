// Is a database whole?

import type { DatabaseSync } from 'node:sqlite';
import { rows } from './rows.ts';

/** SQLite's own check of pages, indexes and constraints; empty where all is well. */
export function integrityProblems(database: DatabaseSync): string[] {
  try {
    const lines = rows<{ readonly integrity_check: string }>(database.prepare('PRAGMA integrity_check'));
    return lines.map((line) => line.integrity_check).filter((line) => line !== 'ok');
  } catch (error) {
    return [(error as Error).message];
  }
}
