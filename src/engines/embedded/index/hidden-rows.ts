// The rows of a manifest that say which records removals hide: docIds by segment and removal.

import { crc32 } from 'node:zlib';
import { bytesIn, damaged, type ManifestDb } from './manifest-db.ts';

/** The docs of one segment that one removal hides. */
export interface HiddenRow {
  readonly segment: string;
  readonly removal: number;
  /** Unix seconds of the first hiding. */
  readonly time: number;
  /** docIds, ascending, at least one. */
  readonly docs: Uint32Array;
}

export function hiddenOfSegment(db: ManifestDb, segment: string): HiddenRow[] {
  const sql = 'SELECT segment, removal, time, crc, docs FROM hidden WHERE segment = ? ORDER BY removal';
  return db.rows(sql, segment).map((row) => readRow(db, row));
}

export function hiddenOfRemoval(db: ManifestDb, removal: number): HiddenRow[] {
  const sql = 'SELECT segment, removal, time, crc, docs FROM hidden WHERE removal = ? ORDER BY segment';
  return db.rows(sql, removal).map((row) => readRow(db, row));
}

/** Adds to the docs of the segment that the removal already hides. */
export function addHidden(db: ManifestDb, { segment, removal, time, docs }: HiddenRow): void {
  const known = hiddenOfSegment(db, segment).find((row) => row.removal === removal);
  const all = known === undefined ? docs : union(known.docs, docs);
  const bytes = new Uint8Array(all.buffer, all.byteOffset, all.byteLength);
  const first = Math.min(time, known?.time ?? time);
  db.run(
    'INSERT OR REPLACE INTO hidden VALUES (?, ?, ?, ?, ?)',
    segment,
    removal,
    first,
    crc32(bytes),
    bytes,
  );
}

/** Merges two ascending lists: each doc once, ascending. */
function union(a: Uint32Array, b: Uint32Array): Uint32Array {
  const both = new Uint32Array(a.length + b.length);
  both.set(a);
  both.set(b, a.length);
  return both.sort().filter((doc, i) => i === 0 || both[i - 1] !== doc);
}

function readRow(db: ManifestDb, row: Record<string, unknown>): HiddenRow {
  // Copied, so that it begins at a multiple of 4.
  const bytes = Uint8Array.from(bytesIn(db, row.docs));
  const segment = String(row.segment);
  if (crc32(bytes) !== row.crc) throw damaged(db.path, `the hidden records of segment \`${segment}\``);
  return {
    segment,
    removal: Number(row.removal),
    time: Number(row.time),
    docs: new Uint32Array(bytes.buffer, 0, bytes.length >>> 2),
  };
}
