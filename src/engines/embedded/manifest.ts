// The manifest of one kind: which segments there are, their tombstones, small segments themselves, and how far imports
// have come. One SQLite file in WAL mode; a commit makes a batch visible as a whole, to every process.

import { existsSync, mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import type { Checkpoint } from '../../model/engine.ts';
import type { Kind } from '../../model/record.ts';
import { CHUNK_WORDS } from './chunk.ts';
import type { DeadDocs } from './view.ts';

const FORMAT = 1;
const BUSY_TIMEOUT_MS = 10_000;

const SCHEMA = `
  CREATE TABLE state (format INTEGER NOT NULL, version INTEGER NOT NULL);
  INSERT INTO state VALUES (${FORMAT}, 1);
  -- bytes: the segment itself where it has no file; dead_version: the version that last changed its tombstones
  CREATE TABLE segments (
    name TEXT PRIMARY KEY, docs INTEGER NOT NULL, size INTEGER NOT NULL, dead_version INTEGER NOT NULL, bytes BLOB);
  CREATE TABLE tombstones (
    segment TEXT NOT NULL, chunk INTEGER NOT NULL, bits BLOB NOT NULL, PRIMARY KEY (segment, chunk)) WITHOUT ROWID;
  CREATE TABLE checkpoints (source TEXT PRIMARY KEY, state TEXT NOT NULL) WITHOUT ROWID;
`;

export interface SegmentRow {
  readonly name: string;
  readonly docs: number;
  readonly size: number;
  readonly deadVersion: number;
  readonly isFile: boolean;
}

/** What one commit changes. */
export interface Change {
  readonly add: readonly {
    readonly name: string;
    readonly docs: number;
    readonly size: number;
    readonly bytes: Uint8Array | null;
  }[];
  readonly drop: readonly string[];
  /** Whole tombstones of the segments whose tombstones change; of new segments too, where they have some. */
  readonly dead: ReadonlyMap<string, DeadDocs>;
  readonly checkpoint: Checkpoint | null;
}

export class Manifest {
  readonly kind: Kind;
  readonly path: string;
  /** Files of segments. */
  readonly folder: string;
  #db: DatabaseSync | null = null;
  readonly #statements = new Map<string, StatementSync>();

  /** `folder` is the data folder. Nothing is made on disk before the first commit. */
  constructor(folder: string, kind: Kind) {
    this.kind = kind;
    this.path = join(folder, `${kind}s.db`);
    this.folder = join(folder, `${kind}s`);
  }

  /** Goes up with every commit; 0: nothing was ever committed. */
  version(): number {
    if (!this.#open()) return 0;
    return Number(this.#row('SELECT version FROM state')!.version);
  }

  segments(): SegmentRow[] {
    const sql =
      'SELECT name, docs, size, dead_version, bytes IS NULL AS is_file FROM segments ORDER BY rowid';
    return this.#rows(sql).map((row) => ({
      name: String(row.name),
      docs: Number(row.docs),
      size: Number(row.size),
      deadVersion: Number(row.dead_version),
      isFile: row.is_file === 1,
    }));
  }

  segmentBytes(name: string): Uint8Array {
    return this.#row('SELECT bytes FROM segments WHERE name = ?', name)!.bytes as Uint8Array;
  }

  dead(name: string): DeadDocs {
    const dead: (Uint32Array | null)[] = [];
    for (const row of this.#rows('SELECT chunk, bits FROM tombstones WHERE segment = ?', name)) {
      const chunk = Number(row.chunk);
      while (dead.length <= chunk) dead.push(null);
      const words = new Uint32Array(new SharedArrayBuffer(CHUNK_WORDS * 4));
      new Uint8Array(words.buffer).set(row.bits as Uint8Array);
      dead[chunk] = words;
    }
    return dead;
  }

  checkpoint(source: string): string | null {
    if (!this.#open()) return null;
    const row = this.#row('SELECT state FROM checkpoints WHERE source = ?', source);
    return row === undefined ? null : String(row.state);
  }

  /** Runs `read` on one state of the manifest. */
  inSnapshot<T>(read: () => T): T {
    const db = this.#db!;
    db.exec('BEGIN');
    try {
      return read();
    } finally {
      db.exec('COMMIT');
    }
  }

  /** All of the change or nothing; synced when it returns. Returns the new version. */
  commit(change: Change): number {
    this.#create();
    const db = this.#db!;
    db.exec('BEGIN IMMEDIATE');
    try {
      const version = this.version() + 1;
      this.#run('UPDATE state SET version = ?', version);
      for (const name of change.drop) {
        this.#run('DELETE FROM segments WHERE name = ?', name);
        this.#run('DELETE FROM tombstones WHERE segment = ?', name);
      }
      for (const { name, docs, size, bytes } of change.add) {
        this.#run('INSERT INTO segments VALUES (?, ?, ?, ?, ?)', name, docs, size, version, bytes);
      }
      for (const [name, dead] of change.dead) this.#writeDead(name, dead, version);
      if (change.checkpoint !== null) {
        const { source, state } = change.checkpoint;
        this.#run('INSERT OR REPLACE INTO checkpoints VALUES (?, ?)', source, state);
      }
      db.exec('COMMIT');
      return version;
    } catch (error) {
      if (db.isTransaction) db.exec('ROLLBACK');
      throw error;
    }
  }

  /** Bytes on disk, segments apart. */
  size(): number {
    return [this.path, `${this.path}-wal`].reduce(
      (sum, path) => sum + (statSync(path, { throwIfNoEntry: false })?.size ?? 0),
      0,
    );
  }

  /** SQLite's own check; empty where all is well. */
  integrityErrors(): string[] {
    if (!this.#open()) return [];
    return this.#rows('PRAGMA integrity_check')
      .map((row) => String(row.integrity_check))
      .filter((line) => line !== 'ok');
  }

  close(): void {
    this.#statements.clear();
    this.#db?.close();
    this.#db = null;
  }

  #writeDead(name: string, dead: DeadDocs, version: number): void {
    this.#run('UPDATE segments SET dead_version = ? WHERE name = ?', version, name);
    for (const [chunk, words] of dead.entries()) {
      if (words === null) continue;
      const bits = Uint8Array.from(new Uint8Array(words.buffer, words.byteOffset, words.byteLength));
      this.#run('INSERT OR REPLACE INTO tombstones VALUES (?, ?, ?)', name, chunk, bits);
    }
  }

  /** False where there is no manifest yet. */
  #open(): boolean {
    if (this.#db !== null) return true;
    if (!existsSync(this.path)) return false;
    const db = new DatabaseSync(this.path, { timeout: BUSY_TIMEOUT_MS });
    // What is deleted is overwritten: small segments hold text.
    db.exec('PRAGMA synchronous = FULL; PRAGMA secure_delete = ON');
    // Another process may be making it at this moment: then there is nothing to see yet.
    const made = db.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'checkpoints'").get();
    if (made === undefined) {
      db.close();
      return false;
    }
    const { format } = db.prepare('SELECT format FROM state').get() as { format: number };
    if (format !== FORMAT) {
      db.close();
      throw new Error(`index \`${this.path}\`: expected format ${FORMAT}, found ${format}`);
    }
    this.#db = db;
    return true;
  }

  #create(): void {
    if (this.#open()) return;
    mkdirSync(this.folder, { recursive: true });
    const db = new DatabaseSync(this.path, { timeout: BUSY_TIMEOUT_MS });
    db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA secure_delete = ON');
    db.exec(`BEGIN IMMEDIATE; ${SCHEMA} COMMIT`);
    this.#db = db;
  }

  #statement(sql: string): StatementSync {
    let statement = this.#statements.get(sql);
    if (statement === undefined) {
      statement = this.#db!.prepare(sql);
      this.#statements.set(sql, statement);
    }
    return statement;
  }

  #row(sql: string, ...values: (string | number)[]): Record<string, unknown> | undefined {
    return this.#statement(sql).get(...values);
  }

  #rows(sql: string, ...values: (string | number)[]): Record<string, unknown>[] {
    return this.#statement(sql).all(...values);
  }

  #run(sql: string, ...values: (string | number | Uint8Array | null)[]): void {
    this.#statement(sql).run(...values);
  }
}
