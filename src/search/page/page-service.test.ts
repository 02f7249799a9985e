import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { embeddedEngine } from '../../../test/embedded-index.ts';
import { comment, instead, linkPost, START_OF_2008 } from '../../../test/helpers.ts';
import { ServiceError } from '../../errors.ts';
import type { Question, SearchEngine } from '../../model/engine.ts';
import { EngineUnavailable } from '../../model/engine-errors.ts';
import { ORDERS } from '../../model/pages.ts';
import { SearchService } from '../search-service.ts';
import { PageService } from './page-service.ts';
import type { Thread } from './reading-service.ts';

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
const comments = [
  ...Array.from({ length: 30 }, (_, i) =>
    comment({ id: `c${i}`, post: 'p1', body: 'solar', created: START_OF_2008 + Math.floor(i / 3) }),
  ),
  ...[comment({ id: 'other', post: 'p2', body: 'solar' }), comment({ id: 'loose', body: 'roof' })],
];
const settings = { impliedWindow: '1d', permalinkBase: '', queryTimeoutMs: 60_000 } as const;
const solar = { query: 'solar', kind: 'post', limit: 300, cut: null } as const;

function searchOf(engine: SearchEngine): SearchService {
  return new SearchService(engine, { knowledgeOf: () => new Map() }, settings);
}

function pagesOf(engine: SearchEngine): PageService {
  return new PageService(engine, searchOf(engine), settings);
}

const engine = await embeddedEngine(posts, comments);
after(() => engine[Symbol.asyncDispose]());
const service = pagesOf(engine);
const { reading } = service;

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
    const failing = (fault: Error) => searchOf(instead(engine, 'warm', () => Promise.reject(fault)));
    await assert.rejects(failing(new Error('no memory')).readiness(), { code: 'busy' });
    const unavailable = new EngineUnavailable('nobody is there');
    await assert.rejects(failing(unavailable).readiness(), unavailable);
    assert.deepEqual(await searchOf(engine).readiness(), { post: null, comment: null });
  });

  it('a breakdown alone has as many rows as were asked for, and the number of all', async () => {
    const query = { query: 'solar', kind: 'post', field: 'domain', size: 5, skip: 0 } as const;
    const { total, breakdown } = await service.breakdown(query);
    assert.equal(total, 2_340);
    const rows = breakdown.rows.map(({ name, count }) => ({ name, count }));
    assert.deepEqual([breakdown.distinct, rows], [1, [{ name: 'example.org', count: 2_340 }]]);
  });
});

describe('a thread', () => {
  const read = { post: 'p1', after: 0, around: null, limit: 6 } as const;
  const ids = ({ comments }: Thread) => comments.map(({ record }) => record.id);
  const from = (first: number, last: number) =>
    Array.from({ length: last - first + 1 }, (_, i) => `c${first + i}`);

  it('goes on behind so many comments, also in the midst of a second', async () => {
    for (const after of [0, 6, 14]) {
      const thread = (await reading.thread({ ...read, after }))!;
      assert.deepEqual([ids(thread), thread.before], [from(after, after + 5), after]);
    }
    const behind = (await reading.thread({ ...read, after: 1_199_145_600_000 }))!;
    assert.deepEqual([behind.comments, behind.before], [[], behind.total]);
  });

  const around: readonly (readonly [name: string, around: string, first: string])[] = [
    ['begins with the page of the comment that is asked for', 'c20', 'c18'],
    ['begins at its start where that is near', 'c1', 'c0'],
    ['begins at its start for a comment that is not here', 'nobody', 'c0'],
    ['begins at its start for a comment of another thread', 'other', 'c0'],
  ];
  for (const [name, id, first] of around) {
    it(name, async () => {
      const thread = (await reading.thread({ ...read, around: id }))!;
      assert.equal(ids(thread)[0], first);
    });
  }

  it('is null where neither the post nor a comment of it is here', async () => {
    assert.equal(await reading.thread({ ...read, post: 'nobody' }), null);
    assert.equal(await reading.record('post', 'nobody'), null);
  });

  it('a comment that does not name its post has none', async () => {
    const found = (await reading.record('comment', 'loose'))!;
    assert.deepEqual([found.thread, found.post, found.comments], [null, null, null]);
  });
});
