// The tables of a manifest, and how the file of an older version is migrated to this one.

import { existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { crc32 } from 'node:zlib';
import { UsageError } from '../../../errors.ts';
import { UNCOUNTED } from '../../../model/arrival-time.ts';
import { bytesIn, ManifestDb } from './manifest-db.ts';
import { digestOf, expectDigest } from './manifest-digest.ts';

/** 2: checksums, hidden records, commits that expect a version. 3: sums of segments, arrivals. */
export const FORMAT = 3;

/**
 * version      goes up with every commit; 0: nothing was ever committed
 * revived      the version in which records last came back to life
 * digest       checksum of all rows (manifest-digest.ts)
 * arrivals     number of the last commit that brought records in; from UNCOUNTED
 * scrub_due    Unix seconds of the first removal whose text the free space of this file may still hold; null: none
 * purges_*     how many purges were asked for, and how many of these are done
 * dead_version the version that last changed the tombstones or hidden records of a segment
 * crc          CRC-32 of the footer of a segment with a file (null: written by format 1), else of its bytes; of a blob
 * arrival      of the records of a segment whose column says 0 or that has no such column
 * sum          of the mixes (model/content-hash.ts) of its live records, 16 hex digits; null: not known
 * bytes        the segment itself where it has no file
 * time         Unix seconds: of the first hiding; of an arrival
 * docs         of `hidden`: docIds up, u32 little-endian
 */
const STATE_AND_SEGMENTS = `
  CREATE TABLE state (
    format INTEGER NOT NULL, version INTEGER NOT NULL, revived INTEGER NOT NULL, digest INTEGER NOT NULL,
    arrivals INTEGER NOT NULL, scrub_due INTEGER, purges_asked INTEGER NOT NULL, purges_done INTEGER NOT NULL);
  CREATE TABLE segments (
    name TEXT PRIMARY KEY, docs INTEGER NOT NULL, size INTEGER NOT NULL, dead_version INTEGER NOT NULL, crc INTEGER,
    arrival INTEGER NOT NULL, sum TEXT, bytes BLOB);
`;
const DEAD = `
  CREATE TABLE tombstones (
    segment TEXT NOT NULL, chunk INTEGER NOT NULL, crc INTEGER NOT NULL, bits BLOB NOT NULL,
    PRIMARY KEY (segment, chunk)) WITHOUT ROWID;
  CREATE TABLE hidden (
    segment TEXT NOT NULL, removal INTEGER NOT NULL, time INTEGER NOT NULL, crc INTEGER NOT NULL, docs BLOB NOT NULL,
    PRIMARY KEY (segment, removal)) WITHOUT ROWID;
`;
const ARRIVALS = `
  CREATE TABLE arrivals (number INTEGER PRIMARY KEY, time INTEGER NOT NULL, crc INTEGER NOT NULL);
`;

/** Stands in every version's schema, created last. */
const CHECKPOINTS = 'CREATE TABLE checkpoints (source TEXT PRIMARY KEY, state TEXT NOT NULL) WITHOUT ROWID;';

/**
 * null if there is no manifest yet. Migrates an older format to this one, unless `isReadOnly`. Throws a UsageError
 * for a newer format, and a StorageError that names the file if it is damaged.
 */
export function openManifest(path: string, isReadOnly = false): ManifestDb | null {
  if (!existsSync(path)) return null;
  const db = new ManifestDb(path, isReadOnly);
  try {
    // Another process may be making it at this moment; then there is nothing to see yet.
    if (!isMade(db)) {
      db.close();
      return null;
    }
    bringUp(db);
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

/** Opens the manifest, and makes it if there is none; several processes may do so at once. */
export function createManifest(path: string): ManifestDb {
  const known = openManifest(path);
  if (known !== null) return known;
  mkdirSync(dirname(path), { recursive: true });
  const db = new ManifestDb(path);
  db.switchToWal();
  db.transaction(() => {
    // uncovered: two processes make the manifest at the same moment
    if (isMade(db)) return;
    for (const sql of [STATE_AND_SEGMENTS, DEAD, ARRIVALS, CHECKPOINTS]) db.exec(sql);
    db.run('INSERT INTO state VALUES (?, 0, 0, 0, ?, NULL, 0, 0)', FORMAT, UNCOUNTED);
    db.run('UPDATE state SET digest = ?', digestOf(db));
  });
  return db;
}

function isMade(db: ManifestDb): boolean {
  return db.row("SELECT 1 FROM sqlite_schema WHERE name = 'checkpoints'") !== undefined;
}

function bringUp(db: ManifestDb): void {
  const format = formatOf(db);
  if (format === FORMAT) return;
  if (format === 2 && !db.mayBeWritten) {
    readAsFormat3(db);
    return;
  }
  db.transaction(() => {
    // Another process may have been first.
    if (formatOf(db) === 1) fromFormat1(db);
    else if (formatOf(db) === 2) fromFormat2(db);
  });
}

/** Throws for a format that this version does not know. */
function formatOf(db: ManifestDb): number {
  const format = Number(db.row('SELECT format FROM state')?.format);
  if (!Number.isInteger(format) || format < 1 || format > FORMAT) {
    throw new UsageError(
      `index \`${db.path}\`: expected format ${FORMAT} or older, found ${format}: ` +
        'a newer Colloquy wrote it; use that one, or choose another folder with `--data`',
    );
  }
  return format;
}

/**
 * Format 1 had neither checksums nor hidden records. Its columns are in another order, so the tables are
 * rebuilt.
 */
function fromFormat1(db: ManifestDb): void {
  for (const table of ['state', 'segments', 'tombstones'])
    db.exec(`ALTER TABLE ${table} RENAME TO old_${table}`);
  for (const sql of [STATE_AND_SEGMENTS, DEAD, ARRIVALS]) db.exec(sql);
  const columns = `name, docs, size, dead_version, NULL, ${UNCOUNTED}, NULL, bytes`;
  db.run(`INSERT INTO segments SELECT ${columns} FROM old_segments ORDER BY rowid`);
  for (const { name } of db.rows('SELECT name FROM segments WHERE bytes IS NOT NULL')) {
    const row = db.row('SELECT bytes FROM segments WHERE name = ?', String(name))!;
    const bytes = bytesIn(db, row.bytes);
    db.run('UPDATE segments SET crc = ? WHERE name = ?', crc32(bytes), String(name));
  }
  for (const { segment, chunk, bits } of db.rows('SELECT segment, chunk, bits FROM old_tombstones')) {
    const blob = bytesIn(db, bits);
    db.run('INSERT INTO tombstones VALUES (?, ?, ?, ?)', String(segment), Number(chunk), crc32(blob), blob);
  }
  db.run('INSERT INTO state SELECT ?, version, 0, 0, ?, NULL, 0, 0 FROM old_state', FORMAT, UNCOUNTED);
  for (const table of ['state', 'segments', 'tombstones']) db.exec(`DROP TABLE old_${table}`);
  db.run('UPDATE state SET digest = ?', digestOf(db));
}

const STATE_OF_2 = `version, revived, digest, ${UNCOUNTED} AS arrivals, scrub_due, purges_asked, purges_done`;
const SEGMENTS_OF_2 = `name, docs, size, dead_version, crc, ${UNCOUNTED} AS arrival, NULL AS sum, bytes`;

/** Format 2 had neither sums nor arrivals. Rebuilt, so that no column stands behind the bytes of a segment. */
function fromFormat2(db: ManifestDb): void {
  // A damaged manifest must not get a matching checksum now.
  expectDigest(db);
  for (const table of ['state', 'segments']) db.exec(`ALTER TABLE ${table} RENAME TO old_${table}`);
  for (const sql of [STATE_AND_SEGMENTS, ARRIVALS]) db.exec(sql);
  db.run(`INSERT INTO segments SELECT ${SEGMENTS_OF_2} FROM old_segments ORDER BY rowid`);
  db.run(`INSERT INTO state SELECT ?, ${STATE_OF_2} FROM old_state`, FORMAT);
  for (const table of ['state', 'segments']) db.exec(`DROP TABLE old_${table}`);
  db.run('UPDATE state SET digest = ?', digestOf(db));
}

/** In place of tables of format 2 in a file that may only be read: what this connection reads looks migrated. */
function readAsFormat3(db: ManifestDb): void {
  db.exec(`
    CREATE TEMP VIEW state AS SELECT format, ${STATE_OF_2} FROM main.state;
    CREATE TEMP VIEW segments AS SELECT rowid, ${SEGMENTS_OF_2} FROM main.segments;
    CREATE TEMP TABLE arrivals (number INTEGER PRIMARY KEY, time INTEGER NOT NULL, crc INTEGER NOT NULL);
  `);
}
