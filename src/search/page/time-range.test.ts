import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { IndexDamage } from '../../model/damage.ts';
import type { KindStats } from '../../model/engine.ts';
import { readableDay } from '../../model/time.ts';
import { interpretWithoutWindow } from '../language/interpret.ts';
import { fewBuckets, startOfLast, TimeRanges } from './time-range.ts';

const at = (text: string) => Date.parse(text) / 1000;

function stats(first: number | null, last: number | null): KindStats {
  const lacking = { parents: 0, arrivals: 0 };
  return { records: first === null ? 0 : 2, communities: 1, first, last, segments: 1, bytes: 1, lacking };
}

describe('the last years of an archive', () => {
  const rows = [
    [1, '2008-01-01', '2023-03-14T12:00:00Z', '2022-03-15'],
    [5, '2008-01-01', '2023-03-14T12:00:00Z', '2018-03-15'],
    [5, '2020-01-01', '2023-03-14T12:00:00Z', null],
    [1, '2008-01-01', '2012-02-28T23:59:59Z', '2011-03-01'],
    [1, '2022-01-01', '2022-12-31T23:59:59Z', null],
  ] as const;
  for (const [years, first, last, start] of rows) {
    it(`${years} of ${first} to ${last}: from ${start ?? 'nowhere: it has no more'}`, () => {
      const found = startOfLast(years, { first: at(first), last: at(last) });
      assert.equal(found === null ? null : readableDay(found), start);
    });
  }
});

describe('few buckets', () => {
  const rows = [
    ['', '2022-01-01', '2022-01-20', 'day', 20],
    ['', '2022-01-01', '2023-12-31', 'month', 24],
    ['', '2008-01-01', '2026-06-01', 'year', 19],
    ['', '1970-01-01', '2100-01-01', 'year', 131],
    ['after:2020-03-01 before:2020-03-11', '2008-01-01', '2026-06-01', 'day', 10],
    ['after:2030-01-01', '2008-01-01', '2026-06-01', 'day', 0],
  ] as const;
  for (const [text, first, last, step, count] of rows) {
    it(`${text} from ${first} to ${last}: ${count} of ${step}`, () => {
      const { query } = interpretWithoutWindow(text);
      const buckets = fewBuckets(query, { first: at(first), last: at(last) });
      assert.deepEqual([buckets.step, buckets.starts.length], [step, count]);
    });
  }
});

describe('from when to when there are records', () => {
  it('is of both kinds, and asked for once a minute', async () => {
    let [now, asked] = [0, 0];
    const engine = {
      stats: async () => {
        asked++;
        return { post: stats(50, 70 + asked), comment: stats(20, 60) };
      },
    };
    const ranges = new TimeRanges(engine, () => now);
    assert.deepEqual(await ranges.current(), { first: 20, last: 71 });
    now = 59_999;
    assert.deepEqual(await ranges.current(), { first: 20, last: 71 });
    now = 60_000;
    assert.deepEqual(await ranges.current(), { first: 20, last: 72 });
    assert.equal(asked, 2);
  });

  it('of an empty kind or one that cannot be read is that of the other; of none there is none, until there is', async () => {
    const damage = new IndexDamage('post', 'the manifest is cut');
    const found = { post: damage as KindStats | IndexDamage, comment: stats(null, null) };
    const ranges = new TimeRanges({ stats: async () => found });
    assert.equal(await ranges.current(), null);
    found.comment = stats(20, 60);
    assert.deepEqual(await ranges.current(), { first: 20, last: 60 });
  });
});
