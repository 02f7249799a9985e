import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { comment } from '../../test/helpers.ts';
import type { SearchEngine } from '../model/engine.ts';
import { IndexDamage } from '../model/engine-errors.ts';
import type { PageRequest } from '../model/pages.ts';
import type { Kind } from '../model/record.ts';
import { readableDay } from '../model/time.ts';
import { interpretWithoutWindow } from './language/interpret.ts';
import { fewBuckets, startOfLast, TimeRanges } from './search-service.ts';

const at = (text: string) => Date.parse(text) / 1000;

/** The first and the last second of each kind. */
type Ends = Record<Kind, readonly [first: number, last: number] | 'empty' | 'damaged'>;

/** Answers with the record at that end; its state is what it has. */
function engineOf(ends: () => Ends): SearchEngine {
  const ask: SearchEngine['ask'] = async ({ kind, page }) => {
    const found = ends()[kind];
    if (found === 'damaged') throw new IndexDamage(kind, 'the manifest is cut');
    const at = (page as PageRequest).order === 'oldest' ? 0 : 1;
    const records = found === 'empty' ? [] : [comment({ id: 'a', created: found[at] })];
    const made = { records, next: null, hasMore: false, isShort: false };
    return { total: records.length, arrival: 1, page: made };
  };
  const fingerprints = async () => {
    const one = (kind: Kind) => ({ fingerprint: String(ends()[kind]), records: 1 });
    return { post: one('post'), comment: one('comment') };
  };
  return { ask, fingerprints } as Partial<SearchEngine> as SearchEngine;
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
  it('of a removed record told pages and dates to complete for a minute: it is of a state of the index', async (t) => {
    let last = 71;
    const ends = (): Ends => ({ post: [50, last], comment: [20, 60] });
    const engine = engineOf(ends);
    const { mock: asking } = t.mock.method(engine, 'ask');
    const ranges = new TimeRanges(engine);
    assert.deepEqual(await ranges.current(), { first: 20, last: 71 });
    assert.deepEqual(await ranges.current(), { first: 20, last: 71 });
    assert.equal(asking.callCount(), 4);
    last = 70;
    assert.deepEqual(await ranges.current(), { first: 20, last: 70 });
  });

  it('of an empty kind or one that cannot be read is that of the other; of none there is none, until there is', async () => {
    const ends: Ends = { post: 'damaged', comment: 'empty' };
    const ranges = new TimeRanges(engineOf(() => ends));
    assert.equal(await ranges.current(), null);
    ends.comment = [20, 60];
    assert.deepEqual(await ranges.current(), { first: 20, last: 60 });
  });

  it('a cluster that hangs held every page, and the stop of the server', async () => {
    const hang = () => new Promise<never>(() => undefined);
    const ranges = new TimeRanges({
      ...engineOf(() => ({ post: 'empty', comment: 'empty' })),
      fingerprints: hang,
    });
    assert.equal(await ranges.current(), null);
  });
});
