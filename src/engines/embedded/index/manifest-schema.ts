// The tables of a manifest, and how its file is opened and made.

import { existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { UsageError } from '../../../errors.ts';
import { UNCOUNTED } from '../../../model/time.ts';
import { APPLICATION_ID, expectReleased } from '../../../sqlite/open.ts';
import { digestOf, ManifestDb } from './manifest-db.ts';

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
 * null if there is no manifest yet. Throws a UsageError for another format, and a StorageError that names the file if
 * it is damaged.
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
    expectFormat(db);
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
