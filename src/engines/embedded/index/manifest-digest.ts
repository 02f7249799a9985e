// A checksum over every row of a manifest, stored in it, because SQLite does not notice a byte that changes
// on the disk.

import { crc32 } from 'node:zlib';
import { damaged, type ManifestDb } from './manifest-db.ts';

/**
 * What stands for a row in the digest: its identity and the checksum of what is too large to be read each time. The
 * rows of `arrivals`, which may be many, have a checksum each.
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

/** Throws an error that names the file if a row is not as it was written. */
export function expectDigest(db: ManifestDb): void {
  if (db.row('SELECT digest FROM state')?.digest !== digestOf(db)) {
    throw damaged(db.path, 'rows that fit their checksum');
  }
}
