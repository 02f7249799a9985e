// Coverage by brute force: days and months are the beginnings of written times, and a gap is looked for day by day.
// Nothing here knows how it is done elsewhere.

import assert from 'node:assert/strict';
import type { CoverageAnswer, CoverageWish } from '../src/analysis/coverage.ts';
import type { CoverageStep } from '../src/model/coverage.ts';
import type { Kind, StoredRecord } from '../src/model/record.ts';

const DAY = 86_400;
const BUSY = { days: 14, records: 100 };

/** Everything that the answer says of the records; the fingerprints are not looked at. */
export function expectCoverage(
  answer: unknown,
  wish: CoverageWish,
  live: Readonly<Record<Kind, readonly StoredRecord[]>>,
): void {
  const { step, kinds } = answer as CoverageAnswer;
  assert.equal(step, wish.step);
  for (const [kind, { index, ...told }] of [
    ['post', kinds.posts],
    ['comment', kinds.comments],
  ] as const) {
    assert.equal(index.records, live[kind].length);
    assert.deepEqual(told, coveredBy(live[kind], kind, wish), `coverage of ${kind}s`);
  }
}

function coveredBy(records: readonly StoredRecord[], kind: Kind, { step, subreddits }: CoverageWish) {
  return {
    ...spanOf(records),
    months: byTime(records, step).map(([start, own]) => monthOf(own, kind, start)),
    gaps: gapsOf(records),
    ...(subreddits.length > 0 && {
      subreddits: subreddits.map((name) => {
        const own = records.filter(({ community }) => community === name);
        const months = byTime(own, step).map(([start, { length }]) => ({ start, records: length }));
        return { name, ...spanOf(own), months };
      }),
    }),
  };
}

function spanOf(records: readonly StoredRecord[]) {
  if (records.length === 0) return { records: 0, first: null, last: null };
  const times = records.map(({ created }) => created);
  return { records: records.length, first: Math.min(...times), last: Math.max(...times) };
}

/** `2024-01` or `2024-01-31`. */
function written(time: number, step: CoverageStep): string {
  return new Date(time * 1000).toISOString().slice(0, step === 'month' ? 7 : 10);
}

/** Up. */
function byTime(records: readonly StoredRecord[], step: CoverageStep): [number, StoredRecord[]][] {
  const groups = [...Map.groupBy(records, ({ created }) => written(created, step))];
  return groups.sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, own]) => [Date.parse(name) / 1000, own]);
}

function monthOf(records: readonly StoredRecord[], kind: Kind, start: number) {
  const known = records.filter(({ retrieved }) => retrieved > 0);
  const early = known.filter(({ retrieved, created }) => retrieved <= created + DAY);
  return {
    ...{ start, records: records.length },
    communities: new Set(records.map(({ community }) => community)).size,
    withdrawn: records.filter(({ withdrawn }) => withdrawn).length,
    unrated:
      kind === 'post'
        ? null
        : records.filter((one) => one.kind === 'comment' && one.sentiment === null).length,
    score_at_capture: known.length === 0 ? null : Number((early.length / known.length).toFixed(6)),
  };
}

/** From each day with records, the days up to the next one that has any. */
function gapsOf(records: readonly StoredRecord[]) {
  const starts = byTime(records, 'day').map(([start]) => start);
  const count = (from: number, to: number) =>
    records.filter(({ created }) => created >= from && created < to).length;
  const gaps: { from: number; to: number }[] = [];
  for (const [i, to] of starts.entries()) {
    const from = i === 0 ? to : starts[i - 1]! + DAY;
    if (from === to) continue;
    const isBusyBefore = count(from - BUSY.days * DAY, from) >= BUSY.records;
    if (isBusyBefore && count(to, to + BUSY.days * DAY) >= BUSY.records) gaps.push({ from, to });
  }
  return gaps;
}
