// The manifest of one kind: its segments with tombstones and hidden docs, small segments themselves, and the
// checkpoints of imports. It is one SQLite file in WAL mode; a commit makes a batch visible as a whole, to every
// process. The holder of the writer's lock commits batches and merges. Any process can commit removals at any time, so
// every commit says for which version it was made.

import { existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { crc32 } from 'node:zlib';
import { StorageError, storageError } from '../../../errors.ts';
import type { Checkpoint } from '../../../model/engine.ts';
import { type Hash64, hex64, parseHex64 } from '../../../model/hash.ts';
import type { Kind } from '../../../model/record.ts';
import { UNCOUNTED, unixNow } from '../../../model/time.ts';
import { isBusy, syncFolder } from '../../../sqlite/database.ts';
import { CHUNK_WORDS } from '../sets/chunk.ts';
import {
  bytesIn,
  createManifest,
  damaged,
  digestOf,
  expectDigest,
  type ManifestDb,
  openManifest,
} from './manifest-db.ts';
import {
  ArrivalTable,
  addArrival,
  addHidden,
  arrivalTimes,
  type HiddenRow,
  hiddenOf,
  thinArrivals,
} from './manifest-rows.ts';
import { type DeadDocs, withDead } from './segment.ts';

/** The manifest is no longer at the version that a change was made for. Nothing is committed. */
export class ConflictError extends Error {
  constructor(path: string, expected: number, found: number) {
    super(`index \`${path}\`: expected version ${expected}, found ${found}`);
    this.name = 'ConflictError';
  }
}

export interface SegmentRow {
  readonly name: string;
  readonly docs: number;
  readonly size: number;
  readonly deadVersion: number;
  readonly isFile: boolean;
  /** CRC-32 of the footer of a segment with a file, otherwise of its bytes. */
  readonly crc: number;
  /** The arrival of its records without one of their own. */
  readonly arrival: number;
  /** The sum of the mixes of its live records (model/hash.ts); null: unknown. */
  readonly sum: Hash64 | null;
}

export interface NewSegment {
  readonly name: string;
  readonly docs: number;
  readonly size: number;
  readonly crc: number;
  /** See SegmentRow; null: its records arrive with the commit that adds it. */
  readonly arrival: number | null;
  /** See SegmentRow; before the same commit changes its docs. */
  readonly sum: Hash64 | null;
  /** null: the segment has a file. */
  readonly bytes: Uint8Array | null;
}

/** The changes of one commit. Everything absent stays. */
export interface Change {
  readonly add?: readonly NewSegment[];
  /** Unix seconds of further arrivals, numbered after that of the commit. Ignored without new segments. */
  readonly arrived?: readonly number[];
  /** Drops segments, with their tombstones and hidden docs. */
  readonly drop?: readonly string[];
  /** docIds that die with this commit, by segment, in no order; new segments may be among them. */
  readonly dead?: ReadonlyMap<string, readonly number[]>;
  readonly hide?: readonly HiddenRow[];
  /** Brings back what this removal hides. */
  readonly restore?: number;
  /** Sums after this commit, by segment. Absent: unknown if docs die or come back, otherwise unchanged. */
  readonly sums?: ReadonlyMap<string, Hash64>;
  readonly checkpoint?: Checkpoint | null;
}

/** The row `state` of a manifest. */
interface ManifestState {
  readonly version: number;
  /** The version in which records last came back to life. */
  readonly revived: number;
  /** The arrival of the last records; it rises with every commit that adds some. */
  readonly arrivals: number;
  /** Unix seconds of the first removal whose text may still be in the free space of the file; null: none. */
  readonly scrubDue: number | null;
  /** Purges that were asked for, and purges that are done. */
  readonly purgesAsked: number;
  readonly purgesDone: number;
}

/** For a segment whose docs die or come back. */
const TOUCH_ALL = 'UPDATE segments SET dead_version = ?, sum = NULL WHERE name';
const TOUCH = `${TOUCH_ALL} = ?`;

const NOTHING_YET: ManifestState = {
  ...{ version: 0, revived: 0, arrivals: UNCOUNTED },
  ...{ scrubDue: null, purgesAsked: 0, purgesDone: 0 },
};

export class Manifest {
  readonly kind: Kind;
  readonly path: string;
  readonly folder: string;
  readonly #isReadOnly: boolean;
  #db: ManifestDb | null = null;

  /** `folder` is the data folder. Nothing is made on disk before the first commit. */
  constructor(folder: string, kind: Kind, isReadOnly = false) {
    this.kind = kind;
    this.#isReadOnly = isReadOnly;
    this.path = join(folder, `${kind}s.db`);
    this.folder = join(folder, `${kind}s`);
  }

  /** Makes file and folder if they do not exist, durably, in this order: there is never a folder without the file. */
  make(): void {
    if (this.#db !== null && existsSync(this.folder)) return;
    try {
      this.#db ??= createManifest(this.path);
      syncFolder(dirname(this.path));
      mkdirSync(this.folder, { recursive: true });
      syncFolder(dirname(this.path));
    } catch (error) {
      throw storageError(error, this.path);
    }
  }

  /** Throws a StorageError if the folder exists without the file: its content is lost, and not empty. */
  expectNotLost(): void {
    // Checks in this order, since another process may be making both.
    if (existsSync(this.folder) && this.#open() === null) throw this.#lost();
  }

  #lost(): StorageError {
    return new StorageError(
      `\`${this.path}\`: expected the database of \`${this.folder}\`, found none: ` +
        'put it back, restore a backup, or delete that folder too and import again',
    );
  }

  /** Rises with every commit; 0: nothing was ever committed. */
  version(): number {
    // Read for every question: twice as fast as the whole state.
    return Number(this.#open()?.row('SELECT version FROM state')?.version ?? NOTHING_YET.version);
  }

  state(): ManifestState {
    const row = this.#open()?.row('SELECT * FROM state');
    if (row === undefined) return NOTHING_YET;
    return {
      version: Number(row.version),
      revived: Number(row.revived),
      arrivals: Number(row.arrivals),
      scrubDue: row.scrub_due === null ? null : Number(row.scrub_due),
      purgesAsked: Number(row.purges_asked),
      purgesDone: Number(row.purges_done),
    };
  }

  /** Throws an error that names the file if a row is damaged. */
  verify(): void {
    const db = this.#open();
    if (db !== null) expectDigest(db);
  }

  segments(): SegmentRow[] {
    const columns = 'name, docs, size, dead_version, crc, arrival, sum, bytes IS NULL AS is_file';
    const rows = this.#open()?.rows(`SELECT ${columns} FROM segments ORDER BY rowid`) ?? [];
    return rows.map((row) => ({
      name: String(row.name),
      docs: Number(row.docs),
      size: Number(row.size),
      deadVersion: Number(row.dead_version),
      isFile: row.is_file === 1,
      crc: Number(row.crc),
      arrival: Number(row.arrival),
      sum: row.sum === null ? null : parseHex64(String(row.sum)),
    }));
  }

  /** Throws if the bytes do not match their checksum. */
  segmentBytes(name: string): Uint8Array {
    const db = this.#db!;
    const row = db.row('SELECT crc, bytes FROM segments WHERE name = ?', name);
    // A damaged index of the table finds no row, where a walk of it did.
    const bytes = row && bytesIn(db, row.bytes);
    if (bytes === undefined || crc32(bytes) !== row!.crc)
      throw damaged(this.path, `the bytes of segment \`${name}\``);
    return bytes;
  }

  dead(name: string): DeadDocs {
    const dead: (Uint32Array | null)[] = [];
    const db = this.#db!;
    const rows = db.rows('SELECT chunk, crc, bits FROM tombstones WHERE segment = ?', name);
    for (const row of rows) {
      const chunk = Number(row.chunk);
      const bits = bytesIn(db, row.bits);
      if (crc32(bits) !== row.crc) throw damaged(this.path, `the tombstones of segment \`${name}\``);
      while (dead.length <= chunk) dead.push(null);
      const words = new Uint32Array(new SharedArrayBuffer(CHUNK_WORDS * 4));
      new Uint8Array(words.buffer).set(bits);
      dead[chunk] = words;
    }
    return dead;
  }

  /** What removals hide of a segment, ascending by removal. */
  hidden(name: string): HiddenRow[] {
    return hiddenOf(this.#db!, 'segment', name);
  }

  /** What a removal hides, by segment. */
  hiddenBy(removal: number): HiddenRow[] {
    const db = this.#open();
    return db === null ? [] : hiddenOf(db, 'removal', removal);
  }

  /** The largest number of a removal that hides something; 0: none does. */
  lastRemoval(): number {
    return Number(this.#open()?.row('SELECT max(removal) AS last FROM hidden')?.last ?? 0);
  }

  /** States of unfinished imports, by source. */
  checkpoints(): ReadonlyMap<string, string> {
    const rows = this.#open()?.rows('SELECT source, state FROM checkpoints') ?? [];
    return new Map(rows.map(({ source, state }) => [String(source), String(state)]));
  }

  /** Unix seconds by arrival. Commits from before arrivals were counted are absent. */
  arrivalTimes(numbers: Iterable<number>): ReadonlyMap<number, number> {
    const db = this.#open();
    return db === null ? new Map() : arrivalTimes(db, numbers, unixNow());
  }

  arrivalTable(): ArrivalTable {
    return new ArrivalTable(this.#open(), unixNow());
  }

  /** Runs a method that writes, in a thread that must not block (ManifestDb). */
  async patiently<T>(write: () => T): Promise<T> {
    const db = this.#open();
    return db === null ? write() : await db.patiently(write);
  }

  /** Deletes times of arrivals that are never told again. */
  thinArrivals(): void {
    const db = this.#open();
    if (db !== null) thinArrivals(db, unixNow());
  }

  inSnapshot<T>(read: () => T): T {
    const db = this.#open();
    return db === null ? read() : db.snapshot(read);
  }

  /**
   * Commits the whole change or nothing; synced when it returns. Returns the new version. Throws a ConflictError if the
   * manifest is no longer at `expectedVersion`, and a StorageError if its file is gone.
   */
  commit(change: Change, expectedVersion: number): number {
    // A file that was deleted is not made anew, and is not written where it is still open: nobody could read it.
    if (expectedVersion > 0 && !existsSync(this.path)) throw this.#lost();
    this.#db ??= createManifest(this.path);
    const db = this.#db;
    return db.transaction(() => {
      const found = this.version();
      if (found !== expectedVersion) throw new ConflictError(this.path, expectedVersion, found);
      // A damaged manifest must not get a matching checksum.
      this.verify();
      this.#apply(db, change, found + 1);
      db.run('UPDATE state SET digest = ?', digestOf(db));
      return found + 1;
    });
  }

  /** Asks the process that writes to erase hidden records. Returns the number that `purgesDone` will reach. */
  askPurge(): number {
    const db = this.#open();
    if (db === null) return 0;
    return db.transaction(() => {
      db.run('UPDATE state SET purges_asked = purges_asked + 1');
      return this.state().purgesAsked;
    });
  }

  /** Records that the free space contains no text any more, and that this many purges are done. */
  noteScrubbed(purgesDone: number): void {
    const due = 'SELECT min(time) FROM hidden';
    this.#open()?.run(`UPDATE state SET scrub_due = (${due}), purges_done = max(purges_done, ?)`, purgesDone);
  }

  /**
   * Rewrites the file without its free space and empties its log, so that neither contains deleted data. False: a
   * reader prevents it, try again. Uses VACUUM, because moved rows may leave copies in pages that are in use, which
   * `secure_delete` does not overwrite.
   */
  scrub(): boolean {
    const db = this.#open();
    // uncovered: a purge of a kind that was never written ends before
    if (db === null) return true;
    try {
      db.exec('VACUUM');
      return db.waiting(0, () => db.row('PRAGMA wal_checkpoint(TRUNCATE)')?.busy === 0);
    } catch (error) {
      // uncovered: another process writes through all of the time that SQLite waits
      if (isBusy(error)) return false;
      throw error;
    }
  }

  /** Bytes on disk, not counting segments. */
  size(): number {
    return [this.path, `${this.path}-wal`].reduce(
      (sum, path) => sum + (statSync(path, { throwIfNoEntry: false })?.size ?? 0),
      0,
    );
  }

  integrityErrors(): string[] {
    const rows = this.#open()?.rows('PRAGMA integrity_check') ?? [];
    return rows.map((row) => String(row.integrity_check)).filter((line) => line !== 'ok');
  }

  close(): void {
    this.#db?.close();
    this.#db = null;
  }

  #apply(db: ManifestDb, change: Change, version: number): void {
    db.run('UPDATE state SET version = ?', version);
    for (const name of change.drop ?? []) {
      db.run('DELETE FROM segments WHERE name = ?', name);
      db.run('DELETE FROM tombstones WHERE segment = ?', name);
      db.run('DELETE FROM hidden WHERE segment = ?', name);
    }
    this.#addSegments(db, change, version);
    for (const [name, docs] of change.dead ?? []) this.#addDead(db, name, docs, version);
    for (const row of change.hide ?? []) {
      addHidden(db, row);
      db.run(TOUCH, version, row.segment);
      db.run('UPDATE state SET scrub_due = min(coalesce(scrub_due, ?1), ?1)', row.time);
    }
    if (change.restore !== undefined) {
      const touched = 'SELECT segment FROM hidden WHERE removal = ?';
      db.run(`${TOUCH_ALL} IN (${touched})`, version, change.restore);
      db.run('DELETE FROM hidden WHERE removal = ?', change.restore);
      db.run('UPDATE state SET revived = ?', version);
    }
    for (const [name, sum] of change.sums ?? []) {
      db.run('UPDATE segments SET sum = ? WHERE name = ?', hex64(sum), name);
    }
    if (change.checkpoint != null) {
      const { source, state } = change.checkpoint;
      if (state === null) db.run('DELETE FROM checkpoints WHERE source = ?', source);
      else db.run('INSERT OR REPLACE INTO checkpoints VALUES (?, ?)', source, state);
    }
  }

  #addSegments(db: ManifestDb, { add: segments = [], arrived = [] }: Change, version: number): void {
    let { arrivals } = this.state();
    if (segments.length > 0) for (const time of arrived) addArrival(db, ++arrivals, time);
    if (segments.some(({ arrival }) => arrival === null)) {
      addArrival(db, ++arrivals, unixNow());
      db.run('UPDATE state SET arrivals = ?', arrivals);
    }
    const columns = '(name, docs, size, dead_version, crc, arrival, sum, bytes)';
    for (const { name, docs, size, crc, arrival, sum, bytes } of segments) {
      const values = [name, docs, size, version, crc, arrival ?? arrivals, sum && hex64(sum), bytes];
      db.run(`INSERT INTO segments ${columns} VALUES (?, ?, ?, ?, ?, ?, ?, ?)`, ...values);
    }
  }

  #addDead(db: ManifestDb, name: string, docs: readonly number[], version: number): void {
    const touched = new Set(docs.map((doc) => doc >>> 16));
    const all = withDead(this.dead(name), docs);
    for (const chunk of touched) {
      const words = all[chunk]!;
      const bits = Uint8Array.from(new Uint8Array(words.buffer, words.byteOffset, words.byteLength));
      db.run('INSERT OR REPLACE INTO tombstones VALUES (?, ?, ?, ?)', name, chunk, crc32(bits), bits);
    }
    db.run(TOUCH, version, name);
  }

  /** null: there is no manifest yet. */
  #open(): ManifestDb | null {
    if (this.#db === null && existsSync(this.path)) this.#db = openManifest(this.path, this.#isReadOnly);
    return this.#db;
  }
}
