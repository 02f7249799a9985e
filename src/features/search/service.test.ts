import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { readArchive } from '../../../test/archive.ts';
import { embeddedEngine } from '../../../test/embedded-index.ts';
import { instead, linkPost, someComments } from '../../../test/helpers.ts';
import { ServiceError } from '../../errors.ts';
import type { Question, SearchEngine, Timeline } from '../../model/engine.ts';
import { EngineUnavailable } from '../../model/engine-errors.ts';
import { readableDay, type TimelineStep } from '../../model/time.ts';
import { bucketStart, nextBucket } from '../../model/timeline.ts';
import { inBuckets, PageService, sharedBuckets } from './service.ts';

const posts = Array.from({ length: 400 }, (_, i) =>
  linkPost({ id: `p${i}`, domain: 'example.org', title: 'solar', score: i % 7 }),
);
const comments = someComments(30, () => ({ post: 'p1', body: 'solar' }));
const settings = { impliedWindow: '1d', permalinkBase: '', queryTimeoutMs: 60_000 } as const;
const solar = { query: 'solar', kind: 'post', limit: 300, cut: null } as const;

function pagesOf(engine: SearchEngine): PageService {
  return new PageService(readArchive(engine, settings));
}

const engine = await embeddedEngine(posts, comments);
after(() => engine[Symbol.asyncDispose]());
const service = pagesOf(engine);

describe('a page of searching', () => {
  it('says nothing of what comes before it where that could not be counted in time', async () => {
    const first = await service.page({ ...solar, order: 'top', after: null });
    const slow = instead(engine, 'ask', async (question: Question) => {
      if (question.page !== undefined || question.kind === 'comment') return engine.ask(question);
      throw new ServiceError('query_timeout', 'late');
    });
    const page = await pagesOf(slow).page({ ...solar, order: 'top', after: String(first.next) });
    assert.deepEqual([page.before, page.records.length > 0], [null, true]);
    assert.equal(await pagesOf(slow).count('post', { items: [] }, 1_000), null);
  });

  it('has something made of its records while titles of threads and the other kind are still asked for', async () => {
    const made = Promise.withResolvers<void>();
    const waiting = instead(engine, 'records', async (question: Question) => {
      await made.promise;
      return engine.records(question as never);
    });
    const search = { ...solar, kind: 'comment', order: 'newest', limit: 5, after: null } as const;
    let prepared: readonly unknown[] = [];
    const page = await pagesOf(waiting).page(search, undefined, async (records) => {
      prepared = records;
      made.resolve();
    });
    assert.equal(prepared.length, 5);
    assert.deepEqual(prepared, page.records);
    assert.deepEqual(page, await service.page(search));
    const failing = service.page(search, undefined, () => Promise.reject(new Error('not made')));
    await assert.rejects(failing, /not made/);
  });

  it('readiness: threads that do not start make it busy, an engine that is gone is told as that', async () => {
    const failing = (fault: Error) =>
      readArchive(instead(engine, 'warm', () => Promise.reject(fault))).search;
    await assert.rejects(failing(new Error('no memory')).readiness(), { code: 'busy' });
    const unavailable = new EngineUnavailable('nobody is there');
    await assert.rejects(failing(unavailable).readiness(), unavailable);
    assert.deepEqual(await readArchive(engine).search.readiness(), { post: null, comment: null });
  });
});

/** Its bucket number i has i + 1 matches, of ten times as many. */
function timeline(step: TimelineStep, first: string, last: string): Timeline {
  const buckets = [];
  const end = Date.parse(last) / 1000;
  for (let at = bucketStart(step, Date.parse(first) / 1000); at <= end; at = nextBucket(step, at)) {
    buckets.push({ start: at, count: buckets.length + 1, of: (buckets.length + 1) * 10 });
  }
  return { step, buckets };
}

const NONE: Timeline = { step: 'day', buckets: [] };

describe('buckets of two timelines', () => {
  const FIRST_DAYS = timeline('day', '2010-03-05', '2010-03-09');
  const LAST_DAYS = timeline('day', '2020-01-01', '2020-01-05');
  const YEARS = timeline('year', '2010-01-01', '2024-01-01');
  const MONTHS = timeline('month', '2022-01-01', '2022-12-01');
  const rows = [
    ['both alike', MONTHS, timeline('month', '2022-03-01', '2022-04-01')],
    ['the one within the other', timeline('day', '2022-03-05', '2022-03-09'), YEARS],
    ['years apart', FIRST_DAYS, LAST_DAYS],
    ['the other has none', timeline('week', '2022-03-05', '2022-06-09'), NONE],
  ] as const;
  for (const [name, one, other] of rows) {
    it(`${name}: hold all of both, and as many each`, () => {
      const shared = sharedBuckets(one, other);
      assert.deepEqual(sharedBuckets(other, one), shared);
      for (const given of [one, other]) {
        const moved = inBuckets(given, shared);
        if (moved === null) continue;
        const starts = moved.buckets.map(({ start }) => start);
        assert.deepEqual(starts, shared.starts);
        const sum = (line: Timeline) => line.buckets.reduce((all, { count }) => all + count, 0);
        assert.equal(sum(moved), sum(given));
      }
    });
  }

  it('years apart, days become the step that fits', () => {
    const shared = sharedBuckets(FIRST_DAYS, LAST_DAYS);
    assert.deepEqual([shared.step, shared.starts.length], ['quarter', 41]);
    const [first, ...rest] = inBuckets(FIRST_DAYS, shared)!.buckets;
    assert.deepEqual([readableDay(first!.start), first!.count, first!.of], ['2010-01-01', 15, 150]);
    assert.ok(rest.every(({ count }) => count === 0));
  });

  it('weeks are no part of months: they cannot be moved', () => {
    const weeks = timeline('week', '2022-01-05', '2022-06-09');
    assert.equal(inBuckets(weeks, sharedBuckets(weeks, YEARS)), null);
  });

  it('of nothing there are none', () => {
    assert.deepEqual(sharedBuckets(NONE, NONE), { step: 'day', starts: [] });
  });
});
