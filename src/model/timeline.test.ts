import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { bucketStart, MAX_BUCKETS, nextBucket, TIMELINE_STEPS, timelineBuckets } from './timeline.ts';

const at = (text: string) => Date.parse(text) / 1000;
const day = (time: number) => new Date(time * 1000).toISOString().slice(0, 10);

describe('buckets', () => {
  const rows = [
    ['hour', '2024-02-29T23:59:59Z', '2024-02-29', '2024-03-01'],
    ['day', '2024-02-29T23:59:59Z', '2024-02-29', '2024-03-01'],
    ['week', '2026-11-20T12:00:00Z', '2026-11-16', '2026-11-23'],
    ['week', '1970-01-01T00:00:00Z', '1969-12-29', '1970-01-05'],
    ['week', '2026-11-16T00:00:00Z', '2026-11-16', '2026-11-23'],
  ] as const;
  for (const [step, time, start, next] of rows) {
    it(`the ${step} of ${time} begins ${start}`, () => {
      assert.equal(day(bucketStart(step, at(time))), start);
      assert.equal(day(nextBucket(step, bucketStart(step, at(time)))), next);
    });
  }
});

it('months, quarters and years begin and end where `Date` says, from 1970 to 9999', () => {
  const months = { month: 1, quarter: 3, year: 12 } as const;
  // Every eleventh day, at another second each.
  for (let time = 0; time < Date.UTC(10_000, 0) / 1000; time += 11 * 86_400 + 7_919) {
    const date = new Date(time * 1000);
    for (const [step, count] of Object.entries(months) as ['month' | 'quarter' | 'year', number][]) {
      const month = Math.floor(date.getUTCMonth() / count) * count;
      const start = Date.UTC(date.getUTCFullYear(), month) / 1000;
      const next = Date.UTC(date.getUTCFullYear(), month + count) / 1000;
      if (bucketStart(step, time) === start && nextBucket(step, start) === next) continue;
      assert.fail(`${step} of ${date.toISOString()}`);
    }
  }
});

describe('timelineBuckets', () => {
  const rows = [
    ['2024-01-01', '2024-02-29', 'day', 60],
    ['2024-01-01', '2024-03-01', 'week', 9],
    ['2024-01-01', '2025-02-23', 'week', 60],
    ['2024-01-01', '2025-02-24', 'month', 14],
    ['2020-01-01', '2024-12-31', 'month', 60],
    ['2020-01-01', '2025-01-01', 'quarter', 21],
    ['2005-01-01', '2026-01-01', 'year', 22],
  ] as const;
  for (const [first, last, step, count] of rows) {
    it(`${first} to ${last} makes ${count} of ${step}`, () => {
      const range = { first: at(`${first}T00:00:00Z`), last: at(`${last}T00:00:00Z`) };
      const made = timelineBuckets(range, range);
      assert.deepEqual([made.step, made.starts.length], [step, count]);
    });
  }

  it('bounds that need more than 60 years give way to the matches', () => {
    const matches = { first: at('2024-01-01T00:00:00Z'), last: at('2024-01-05T00:00:00Z') };
    const made = timelineBuckets({ first: 0, last: at('9999-12-31T00:00:00Z') }, matches);
    assert.deepEqual([made.step, made.starts.length], ['day', 5]);
  });

  it('buckets are the finest step that fits, without holes, around the range', () => {
    const time = fc.integer({ min: 0, max: 4_294_967_295 });
    fc.assert(
      fc.property(time, time, (a, b) => {
        const range = { first: Math.min(a, b), last: Math.max(a, b) };
        const { step, starts } = timelineBuckets(range, range);
        assert.ok(starts[0]! <= range.first && nextBucket(step, starts.at(-1)!) > range.last);
        for (const [i, start] of starts.slice(1).entries()) assert.equal(start, nextBucket(step, starts[i]!));
        assert.ok(starts.length <= MAX_BUCKETS || step === 'year');
        const finer = TIMELINE_STEPS[TIMELINE_STEPS.indexOf(step) - 1]!;
        if (finer === 'hour') return;
        let needed = 0;
        for (let s = bucketStart(finer, range.first); s <= range.last; s = nextBucket(finer, s)) needed++;
        assert.ok(needed > MAX_BUCKETS);
      }),
    );
  });
});
