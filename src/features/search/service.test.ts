import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { readArchive } from '../../../test/archive.ts';
import { embeddedEngine } from '../../../test/embedded-index.ts';
import { comment, instead, linkPost, START_OF_2008 } from '../../../test/helpers.ts';
import { ServiceError } from '../../errors.ts';
import type { Question, SearchEngine } from '../../model/engine.ts';
import { EngineUnavailable } from '../../model/engine-errors.ts';
import { ORDERS } from '../../model/pages.ts';
import { PageService } from './service.ts';

/** 2,300 posts with scores of every sort in one second, and 40 in other seconds. */
const posts = Array.from({ length: 2_340 }, (_, i) =>
  linkPost({
    id: `p${i}`,
    domain: 'example.org',
    title: 'solar',
    score: i % 7 === 0 ? 3_000_000 : i % 7 === 1 ? -3_000_000 : i % 7,
    created: START_OF_2008 + (i < 2_300 ? 60 : i),
  }),
);
const comments = Array.from({ length: 30 }, (_, i) => comment({ id: `c${i}`, post: 'p1', body: 'solar' }));
const settings = { impliedWindow: '1d', permalinkBase: '', queryTimeoutMs: 60_000 } as const;
const solar = { query: 'solar', kind: 'post', limit: 300, cut: null } as const;

function pagesOf(engine: SearchEngine): PageService {
  return new PageService(readArchive(engine, settings));
}

const engine = await embeddedEngine(posts, comments);
after(() => engine[Symbol.asyncDispose]());
const service = pagesOf(engine);

describe('a page of searching', () => {
  for (const order of ORDERS) {
    it(`${order}: knows how many matches come before it, in the midst of a second too`, async () => {
      let seen = 0;
      for (let after: string | null = ''; after !== null; ) {
        const page = await service.page({ ...solar, order, after });
        assert.equal(page.before, seen);
        seen += page.records.length;
        after = page.next === null ? null : String(page.next);
      }
      assert.equal(seen, 2_340);
    });
  }

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
    const search = {
      query: 'solar',
      kind: 'comment',
      order: 'newest',
      limit: 5,
      cut: null,
      after: null,
    } as const;
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
