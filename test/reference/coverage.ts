// Figures of a kind, by looking at each of its records, and at each day: what they cover, their fingerprint, and how
// much there is of them.

import {
  BUSY_DAYS,
  BUSY_RECORDS,
  CellCount,
  type Coverage,
  type CoverageRequest,
  type CoverageStep,
  type Gap,
} from '../../src/model/coverage.ts';
import type { KindStats } from '../../src/model/engine.ts';
import { hex64, type IndexFingerprint, recordMix, Sum64 } from '../../src/model/hash.ts';
import { countedBytes } from '../../src/model/pages.ts';
import type { StoredRecord } from '../../src/model/record.ts';
import { DAY } from '../../src/model/time.ts';
import { bucketStart } from '../../src/model/timeline.ts';
import type { KindState } from './kind-state.ts';
import { comparator } from './order.ts';

export function coverageOf(
  records: readonly StoredRecord[],
  { step, communities }: Pick<CoverageRequest, 'step' | 'communities'>,
): Omit<Coverage, 'index'> {
  const cells = new CellCount();
  return {
    ...rangeOf(records),
    buckets: [...byBucket(records, step)].map(([start, members]) => ({ start, ...countsOf(members) })),
    gaps: gapsIn(records),
    communities: communities.map((name) => {
      const own = records.filter(({ community }) => community === name);
      const buckets = [...byBucket(own, step)].map(([start, { length }]) => ({ start, records: length }));
      cells.add(buckets.length);
      return { name, records: own.length, ...rangeOf(own), buckets };
    }),
  };
}

function rangeOf(records: readonly StoredRecord[]): Pick<Coverage, 'first' | 'last'> {
  const times = records.map(({ created }) => created).sort((a, b) => a - b);
  return { first: times[0] ?? null, last: times.at(-1) ?? null };
}

/** Up. */
function byBucket(records: readonly StoredRecord[], step: CoverageStep): [number, StoredRecord[]][] {
  return [...Map.groupBy(records, ({ created }) => bucketStart(step, created))].sort(([a], [b]) => a - b);
}

function countsOf(records: readonly StoredRecord[]) {
  const timed = records.filter(({ retrieved }) => retrieved !== 0);
  return {
    records: records.length,
    communities: new Set(records.map(({ community }) => community)).size,
    withdrawn: records.filter(({ withdrawn }) => withdrawn).length,
    unrated: records.filter((record) => record.kind === 'comment' && record.sentiment === null).length,
    timed: timed.length,
    early: timed.filter(({ retrieved, created }) => retrieved - created <= DAY).length,
  };
}

function gapsIn(records: readonly StoredRecord[]): Gap[] {
  const days = byBucket(records, 'day').map(([start, { length }]) => ({ start, records: length }));
  const recordsWithin = (from: number, to: number) =>
    days.reduce((sum, day) => sum + (day.start >= from && day.start < to ? day.records : 0), 0);
  return days.flatMap(({ start: to }, i) => {
    const from = (days[i - 1]?.start ?? Infinity) + DAY;
    const isBusy =
      recordsWithin(from - BUSY_DAYS * DAY, from) >= BUSY_RECORDS &&
      recordsWithin(to, to + BUSY_DAYS * DAY) >= BUSY_RECORDS;
    return from < to && isBusy ? [{ from, to }] : [];
  });
}

export function fingerprintOf({ records }: KindState): IndexFingerprint {
  const sum = new Sum64();
  for (const record of records.values()) sum.add(mixOf(record));
  return { fingerprint: hex64(sum.value()), records: records.size };
}

export function statsOf({ records: all, arrivals }: KindState): KindStats {
  const records = [...all.values()].sort(comparator('oldest'));
  return {
    records: records.length,
    communities: new Set(records.map((record) => record.community)).size,
    first: records[0]?.created ?? null,
    last: records.at(-1)?.created ?? null,
    segments: records.length === 0 ? 0 : 1,
    bytes: records.reduce((sum, record) => sum + countedBytes(record), 0),
    lacking: {
      parents: records.filter((record) => record.kind === 'comment' && record.parent === '').length,
      arrivals: records.filter(({ id }) => !arrivals.numbers.has(id)).length,
    },
  };
}

/** Records never change. */
const mixes = new WeakMap<StoredRecord, ReturnType<typeof recordMix>>();

function mixOf(record: StoredRecord): ReturnType<typeof recordMix> {
  const mix = mixes.get(record) ?? recordMix(record);
  mixes.set(record, mix);
  return mix;
}
