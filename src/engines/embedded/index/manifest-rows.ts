// Rows of a manifest: the second of each arrival (the number of a commit), and the records that removals hide, as
// docIds by segment and removal.

import { crc32 } from 'node:zlib';
import { type ArrivalTime, hourOf, isLongAgo, toldTime, UNCOUNTED } from '../../../model/time.ts';
import { bytesIn, damaged, type ManifestDb, type Row } from './manifest-db.ts';
import { type DeadDocs, withDead } from './segment.ts';

export function addArrival(db: ManifestDb, number: number, time: number): void {
  db.run('INSERT INTO arrivals VALUES (?, ?, ?)', number, time, sumOf(number, time));
}

/**
 * Unix seconds of the commits with these numbers. Commits from before arrivals were counted are absent. `now`: Unix
 * seconds.
 */
export function arrivalTimes(
  db: ManifestDb,
  numbers: Iterable<number>,
  now: number,
): ReadonlyMap<number, number> {
  const times = new Map<number, number>();
  for (const number of new Set(numbers)) {
    if (number <= UNCOUNTED) continue;
    // For hours long ago, only the last row of each is left: it stands for the others.
    const sql = 'SELECT number, time, crc FROM arrivals WHERE number >= ? ORDER BY number LIMIT 1';
    const row = db.row(sql, number);
    if (row === undefined) continue;
    times.set(number, toldTime(arrivalIn(db, row).time, now));
  }
  return times;
}

/** The times that are told of all arrivals at one second; the same before and after thinning. */
export class ArrivalTable {
  readonly #numbers: Float64Array;
  readonly #times: Float64Array;

  /** `now`: Unix seconds. `db` null: there are none. */
  constructor(db: ManifestDb | null, now: number) {
    const rows = db?.rows('SELECT number, time, crc FROM arrivals ORDER BY number') ?? [];
    const all = rows.map((row) => arrivalIn(db!, row));
    const spare = spareNumbers(all, now);
    const kept = all.filter(({ number }) => !spare.has(number));
    this.#numbers = Float64Array.from(kept, ({ number }) => number);
    this.#times = Float64Array.from(kept, ({ time }) => toldTime(time, now));
  }

  /** Unix seconds; null: not known. */
  time(number: number): ArrivalTime {
    if (number <= UNCOUNTED) return null;
    let [low, high] = [0, this.#numbers.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#numbers[middle]! < number) low = middle + 1;
      else high = middle;
    }
    return this.#times[low] ?? null;
  }
}

/** Deletes what is never told again: all rows but the last of each hour long ago. Returns their number. */
export function thinArrivals(db: ManifestDb, now: number): number {
  const rows = db.rows('SELECT number, time FROM arrivals ORDER BY number');
  const all = rows.map((row) => ({ number: Number(row.number), time: Number(row.time) }));
  const spare = spareNumbers(all, now);
  if (spare.size === 0) return 0;
  db.transaction(() => {
    for (const number of spare) db.run('DELETE FROM arrivals WHERE number = ?', number);
  });
  return spare.size;
}

interface Arrival {
  readonly number: number;
  readonly time: number;
}

/**
 * `all`: ascending by number; given times may go down. A row is superfluous if the next one is of the same hour, long
 * ago.
 */
function spareNumbers(all: readonly Arrival[], now: number): ReadonlySet<number> {
  const spare = new Set<number>();
  for (const [i, { number, time }] of all.entries()) {
    const next = all[i + 1];
    const isSpare =
      next !== undefined &&
      isLongAgo(next.time, now) &&
      isLongAgo(time, now) &&
      hourOf(next.time) === hourOf(time);
    if (isSpare) spare.add(number);
  }
  return spare;
}

/** Throws if the row is damaged. */
function arrivalIn(db: ManifestDb, row: Row): Arrival {
  const [number, time] = [Number(row.number), Number(row.time)];
  if (sumOf(number, time) !== row.crc) throw damaged(db.path, 'the time of an arrival');
  return { number, time };
}

function sumOf(number: number, time: number): number {
  return crc32(`${number} ${time}`);
}

/** The docs of one segment that one removal hides. */
export interface HiddenRow {
  readonly segment: string;
  readonly removal: number;
  /** Unix seconds of the first hiding. */
  readonly time: number;
  /** docIds, ascending, at least one. */
  readonly docs: Uint32Array;
}

/** What removals hide of a segment, by removal; or what a removal hides, by segment. */
export function hiddenOf(db: ManifestDb, by: 'segment' | 'removal', value: string | number): HiddenRow[] {
  const sql = `SELECT segment, removal, time, crc, docs FROM hidden WHERE ${by} = ? ORDER BY segment, removal`;
  return db.rows(sql, value).map((row) => readRow(db, row));
}

/** The dead docs, and what these rows hide. */
export function withHidden(rows: readonly HiddenRow[], dead: DeadDocs = []): DeadDocs {
  return rows.reduce((all, { docs }) => withDead(all, docs), dead);
}

/** Adds to the docs of the segment that the removal already hides. */
export function addHidden(db: ManifestDb, { segment, removal, time, docs }: HiddenRow): void {
  const known = hiddenOf(db, 'segment', segment).find((row) => row.removal === removal);
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
