// SQLite FTS5 beside the engine: the same comments, asked the same. Set up as well as it can be for this job: no
// positions (detail=none), rowids in the order of time so that `newest` is a walk, and a table of columns for the rest.

import { rmSync } from 'node:fs';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import type { Query } from '../src/model/query.ts';
import type { StoredRecord } from '../src/model/record.ts';
import { tokens } from '../src/text/tokenizer.ts';

const SCHEMA = `
  PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA page_size = 8192; PRAGMA cache_size = -262144;
  PRAGMA mmap_size = 8589934592;
  CREATE TABLE columns (doc INTEGER PRIMARY KEY, created INTEGER, score INTEGER, community INTEGER);
  CREATE VIRTUAL TABLE words USING fts5 (body, content = '', detail = none, columnsize = 0, tokenize = 'unicode61');
`;

export class Fts5 implements Disposable {
  readonly #db: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();
  readonly #communities = new Map<string, number>();

  constructor(path: string) {
    rmSync(path, { force: true });
    this.#db = new DatabaseSync(path);
    this.#db.exec(SCHEMA);
  }

  /** `first`: docs added before. Records come in the order of time, all in all. */
  add(records: readonly StoredRecord[], first: number): void {
    this.#db.exec('BEGIN');
    const columns = this.#statement('INSERT INTO columns VALUES (?, ?, ?, ?)');
    const words = this.#statement('INSERT INTO words (rowid, body) VALUES (?, ?)');
    for (const [i, record] of records.entries()) {
      const body = record.kind === 'comment' ? record.body : record.title;
      columns.run(first + i, record.created, record.score, this.#community(record.community));
      words.run(first + i, tokens(body).join(' '));
    }
    this.#db.exec('COMMIT');
  }

  optimize(): void {
    this.#db.exec("INSERT INTO words (words) VALUES ('optimize'); ANALYZE");
  }

  count(match: string): unknown {
    return this.#statement('SELECT count(*) FROM words WHERE words MATCH ?').get(match);
  }

  newest(match: string, limit: number): unknown {
    return this.#statement('SELECT rowid FROM words WHERE words MATCH ? ORDER BY rowid DESC LIMIT ?').all(
      match,
      limit,
    );
  }

  top(match: string, limit: number): unknown {
    const sql = `SELECT doc FROM words JOIN columns ON doc = words.rowid WHERE words MATCH ?
      ORDER BY score DESC, doc DESC LIMIT ?`;
    return this.#statement(sql).all(match, limit);
  }

  breakdown(match: string): unknown {
    const sql = `SELECT community, count(*) AS n FROM words JOIN columns ON doc = words.rowid WHERE words MATCH ?
      GROUP BY community ORDER BY n DESC LIMIT 10`;
    return this.#statement(sql).all(match);
  }

  [Symbol.dispose](): void {
    this.#db.close();
  }

  #community(name: string): number {
    const known = this.#communities.get(name) ?? this.#communities.size;
    this.#communities.set(name, known);
    return known;
  }

  #statement(sql: string): StatementSync {
    const statement = this.#statements.get(sql) ?? this.#db.prepare(sql);
    this.#statements.set(sql, statement);
    return statement;
  }
}

/** The query as FTS5 takes it; null where it is more than single words (detail=none has no phrases). */
export function matchExpression(query: Query): string | null {
  const required: string[] = [];
  const excluded: string[] = [];
  for (const item of query.items) {
    if (item.kind !== 'words' || item.words.length !== 1) return null;
    const [word] = item.words;
    if (word?.kind !== 'term') return null;
    (item.negated ? excluded : required).push(`"${word.token}"`);
  }
  if (required.length === 0) return null;
  return required.join(' AND ') + excluded.map((word) => ` NOT ${word}`).join('');
}
