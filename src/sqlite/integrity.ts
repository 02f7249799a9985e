// Is a database whole?

import type { DatabaseSync } from 'node:sqlite';
import { rows } from './rows.ts';

/** What SQLite's own check of pages, indexes and constraints reports; empty if there is no problem. */
export function integrityProblems(database: DatabaseSync): string[] {
  try {
    const lines = rows<{ readonly integrity_check: string }>(database.prepare('PRAGMA integrity_check'));
    return lines.map((line) => line.integrity_check).filter((line) => line !== 'ok');
  } catch (error) {
    return [(error as Error).message];
  }
}
