// The file of a manifest: its tables, how it is made and opened, prepared statements, transactions, and errors that
// name the file. A checksum over every row is stored in it, because SQLite does not notice a byte that changes on the
// disk.

import { existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { crc32 } from 'node:zlib';
import { StorageError, sqliteCode, storageError, UsageError } from '../../../errors.ts';
import { UNCOUNTED } from '../../../model/time.ts';
import {
  APPLICATION_ID,
  connect,
  expectReleased,
  isBusy,
  row,
  rows,
  switchToWal,
} from '../../../sqlite/database.ts';

/** Removals of other processes are short; writing a manifest anew (Manifest.scrub) takes some seconds. */
const BUSY_TIMEOUT_MS = 30_000;
const SHORT_TRY_MS = 50;

export type Row = Record<string, unknown>;

export class ManifestDb {
  readonly path: string;
  readonly #db: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();

  /**
   * Makes the file if it does not exist, unless `isReadOnly`. If it can only be read, every write throws a
   * StorageError.
   */
  constructor(path: string, isReadOnly = false) {
    this.path = path;
    this.#db = connect(path, BUSY_TIMEOUT_MS, isReadOnly);
    // Deleted data is overwritten, since small segments contain text. Sorting stays in memory.
    this.exec('PRAGMA synchronous = FULL; PRAGMA secure_delete = ON; PRAGMA temp_store = MEMORY');
  }

  switchToWal(): void {
    this.#naming(() => switchToWal(this.#db, BUSY_TIMEOUT_MS));
  }

  exec(sql: string): void {
    this.#naming(() => this.#db.exec(sql));
  }

  row(sql: string, ...values: SQLInputValue[]): Row | undefined {
    return this.#naming(() => row<Row>(this.#statement(sql), ...values));
  }

  rows(sql: string, ...values: SQLInputValue[]): Row[] {
    return this.#naming(() => rows<Row>(this.#statement(sql), ...values));
  }

  run(sql: string, ...values: SQLInputValue[]): void {
    this.#naming(() => this.#statement(sql).run(...values));
  }

  /** Runs `work`, a write, in a thread that must not block: in short tries, while another connection holds a lock. */
  async patiently<T>(work: () => T): Promise<T> {
    const end = performance.now() + BUSY_TIMEOUT_MS;
    for (;;) {
      try {
        return this.waiting(SHORT_TRY_MS, work);
      } catch (error) {
        if (!isBusy(error) || performance.now() >= end) throw error;
      }
      await sleep(SHORT_TRY_MS);
    }
  }

  /** Runs `work`, which waits this long for other connections, then reports their lock. */
  waiting<T>(timeoutMs: number, work: () => T): T {
    this.exec(`PRAGMA busy_timeout = ${timeoutMs}`);
    try {
      return work();
    } finally {
      this.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
    }
  }

  snapshot<T>(read: () => T): T {
    this.exec('BEGIN');
    try {
      return read();
    } finally {
      this.exec('COMMIT');
    }
  }

  /** Runs `write` while no other process writes: commits and syncs all of it, or nothing if it throws. */
  transaction<T>(write: () => T): T {
    this.exec('BEGIN IMMEDIATE');
    try {
      const result = write();
      this.exec('COMMIT');
      return result;
    } catch (error) {
      if (this.#db.isTransaction) this.#db.exec('ROLLBACK');
      throw error;
    }
  }

  close(): void {
    this.#statements.clear();
    this.#db.close();
  }

  #statement(sql: string): StatementSync {
    return this.#statements.getOrInsertComputed(sql, () => this.#db.prepare(sql));
  }

  /** Makes errors name the file. What SQLite finds broken is damage, and so is a disk that refuses. */
  #naming<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      // uncovered: what throws here is of SQLite, with its code
      if (DAMAGE.includes(sqliteCode(error) ?? -1))
        throw damaged(this.path, 'an SQLite file in order', { cause: error });
      throw storageError(error, this.path);
    }
  }
}

/**
 * SQLITE_ERROR (our statements are always the same: a table or column that is not there has a damaged name),
 * SQLITE_CORRUPT, SQLITE_FORMAT, SQLITE_NOTADB (https://www.sqlite.org/rescode.html).
 */
const DAMAGE = [1, 11, 24, 26];

/** The error for a manifest that is not as it was written. */
export function damaged(path: string, expected: string, options: { cause?: unknown } = {}): StorageError {
  return new StorageError(
    `index \`${path}\`: expected ${expected}, found it damaged; run \`colloquy check\``,
    options,
  );
}

/** The bytes of a column. Throws if it contains none. */
export function bytesIn(db: ManifestDb, value: unknown): Uint8Array {
  if (value instanceof Uint8Array) return value;
  // uncovered: a row that no writer makes
  throw damaged(db.path, 'bytes in every row that has some');
}

/**
 * What the digest has of each row: its identity, and the checksum of what is too large to be read each time. Rows of
 * `arrivals`, perhaps many, have a checksum each.
 */
const ROWS = [
  'SELECT version, revived, arrivals FROM state',
  'SELECT name, docs, size, dead_version, crc, arrival, sum, bytes IS NULL AS is_file FROM segments ORDER BY name',
  'SELECT segment, chunk, crc FROM tombstones ORDER BY segment, chunk',
  'SELECT segment, removal, time, crc FROM hidden ORDER BY segment, removal',
  'SELECT source, state FROM checkpoints ORDER BY source',
];

/** CRC-32 of all rows in their order. Reads no blob. */
export function digestOf(db: ManifestDb): number {
  let digest = 0;
  for (const sql of ROWS) {
    for (const row of db.rows(sql)) digest = crc32(`${JSON.stringify(Object.values(row))}\n`, digest);
  }
  return digest;
}

/** Throws an error that names the file if a row is damaged. */
export function expectDigest(db: ManifestDb): void {
  if (db.row('SELECT digest FROM state')?.digest !== digestOf(db)) {
    throw damaged(db.path, 'rows that fit their checksum');
  }
}

export const FORMAT = 1;

/**
 * version      goes up with every commit; 0: nothing was ever committed
 * revived      the version in which records last came back to life
 * digest       checksum of all rows (manifest-db.ts)
 * arrivals     number of the last commit that brought records in; from UNCOUNTED
 * scrub_due    Unix seconds of the first removal whose text the free space of this file may still hold; null: none
 * purges_*     how many purges were asked for, and how many of these are done
 * dead_version the version that last changed the tombstones or hidden records of a segment
 * crc          CRC-32 of the footer of a segment with a file, else of its bytes; of a blob
 * arrival      of the records of a segment whose column says 0 or that has no such column
 * sum          of the mixes (model/hash.ts) of its live records, 16 hex digits; null: not known
 * bytes        the segment itself where it has no file
 * time         Unix seconds: of the first hiding; of an arrival
 * docs         of `hidden`: docIds up, u32 little-endian
 */
const TABLES = `
  PRAGMA application_id = ${APPLICATION_ID};
  CREATE TABLE state (
    format INTEGER NOT NULL, version INTEGER NOT NULL, revived INTEGER NOT NULL, digest INTEGER NOT NULL,
    arrivals INTEGER NOT NULL, scrub_due INTEGER, purges_asked INTEGER NOT NULL, purges_done INTEGER NOT NULL);
  CREATE TABLE segments (
    name TEXT PRIMARY KEY, docs INTEGER NOT NULL, size INTEGER NOT NULL, dead_version INTEGER NOT NULL,
    crc INTEGER NOT NULL,
    arrival INTEGER NOT NULL, sum TEXT, bytes BLOB);
  CREATE TABLE tombstones (
    segment TEXT NOT NULL, chunk INTEGER NOT NULL, crc INTEGER NOT NULL, bits BLOB NOT NULL,
    PRIMARY KEY (segment, chunk)) WITHOUT ROWID;
  CREATE TABLE hidden (
    segment TEXT NOT NULL, removal INTEGER NOT NULL, time INTEGER NOT NULL, crc INTEGER NOT NULL, docs BLOB NOT NULL,
    PRIMARY KEY (segment, removal)) WITHOUT ROWID;
  CREATE TABLE arrivals (number INTEGER PRIMARY KEY, time INTEGER NOT NULL, crc INTEGER NOT NULL);
  CREATE TABLE checkpoints (source TEXT PRIMARY KEY, state TEXT NOT NULL) WITHOUT ROWID;
`;

/**
 * Opens an existing file; null: it is no manifest yet. Throws a UsageError for another format, and a StorageError that
 * names the file if it is damaged.
 */
export function openManifest(path: string, isReadOnly = false): ManifestDb | null {
  const db = new ManifestDb(path, isReadOnly);
  try {
    // Another process may be making it now; then there is nothing to read yet.
    if (!isMade(db)) {
      db.close();
      return null;
    }
    expectFormat(db);
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

/** Opens the manifest, and makes it if there is none; several processes may do so at once. */
export function createManifest(path: string): ManifestDb {
  const known = existsSync(path) ? openManifest(path) : null;
  if (known !== null) return known;
  mkdirSync(dirname(path), { recursive: true });
  const db = new ManifestDb(path);
  db.switchToWal();
  db.transaction(() => {
    // uncovered: two processes make the manifest at the same moment
    if (isMade(db)) return;
    db.exec(TABLES);
    db.run('INSERT INTO state VALUES (?, 0, 0, 0, ?, NULL, 0, 0)', FORMAT, UNCOUNTED);
    db.run('UPDATE state SET digest = ?', digestOf(db));
  });
  return db;
}

function isMade(db: ManifestDb): boolean {
  return db.row("SELECT 1 FROM sqlite_schema WHERE name = 'checkpoints'") !== undefined;
}

/** Throws a UsageError for a format that this version does not know. */
function expectFormat(db: ManifestDb): void {
  expectReleased(Number(db.row('PRAGMA application_id')?.application_id), db.path);
  const format = Number(db.row('SELECT format FROM state')?.format);
  if (format === FORMAT) return;
  throw new UsageError(
    `index \`${db.path}\`: expected format ${FORMAT}, found ${format}: ` +
      'a newer Colloquy wrote it; use that one, or choose another folder with `--data`',
  );
}
