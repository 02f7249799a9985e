// When records came in: the rows of a manifest that say at which second each arrival, the number of a commit, was
// made.

import { crc32 } from 'node:zlib';
import { UNCOUNTED } from '../format/fact-columns.ts';
import { damaged, type ManifestDb } from './manifest-db.ts';

/** So long the time of an arrival is told to the second, in seconds: 30 days. Then it is told to the hour. */
export const EXACT_FOR = 30 * 86_400;

const HOUR = 3_600;

export function addArrival(db: ManifestDb, number: number, time: number): void {
  db.run('INSERT INTO arrivals VALUES (?, ?, ?)', number, time, sumOf(number, time));
}

/**
 * Unix seconds at which the commits with these numbers were made; of what came in before arrivals were counted
 * nothing is known, and it is absent. `now`: Unix seconds.
 */
export function arrivalTimes(
  db: ManifestDb,
  numbers: Iterable<number>,
  now: number,
): ReadonlyMap<number, number> {
  const times = new Map<number, number>();
  for (const number of new Set(numbers)) {
    if (number <= UNCOUNTED) continue;
    // Of an hour long ago only the last row is left: it stands for those before it.
    const sql = 'SELECT number, time, crc FROM arrivals WHERE number >= ? ORDER BY number LIMIT 1';
    const row = db.row(sql, number);
    if (row === undefined) continue;
    const time = Number(row.time);
    if (sumOf(Number(row.number), time) !== row.crc) throw damaged(db.path, 'the time of an arrival');
    times.set(number, isLongAgo(time, now) ? time - (time % HOUR) : time);
  }
  return times;
}

/** Deletes what nobody is told any more: of each hour long ago all rows but the last. Returns how many. */
export function thinArrivals(db: ManifestDb, now: number): number {
  const sql = 'SELECT number, time FROM arrivals WHERE time < ? ORDER BY number';
  const rows = db.rows(sql, now - EXACT_FOR);
  const numbers = rows.map(({ number }) => Number(number));
  const hours = rows.map(({ time }) => Math.floor(Number(time) / HOUR));
  const spare = numbers.filter((_, i) => hours[i + 1] === hours[i]);
  if (spare.length === 0) return 0;
  db.transaction(() => {
    for (const number of spare) db.run('DELETE FROM arrivals WHERE number = ?', number);
  });
  return spare.length;
}

function isLongAgo(time: number, now: number): boolean {
  return time < now - EXACT_FOR;
}

function sumOf(number: number, time: number): number {
  return crc32(`${number} ${time}`);
}
