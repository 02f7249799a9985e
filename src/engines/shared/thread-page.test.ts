import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { threadArbitrary } from '../../../test/generators/threads.ts';
import { around, byTime, treeOf } from '../../../test/thread-oracle.ts';
import { countedBytes, type ThreadRequest } from '../../model/pages.ts';
import type { StoredComment } from '../../model/record.ts';
import { numbersWanted, threadPage } from './thread-page.ts';

const WHOLE = { order: 'tree', from: 0, limit: Infinity } as const;

function pageOf(comments: readonly StoredComment[], request: ThreadRequest) {
  const ordered = byTime(comments);
  const asked: number[] = [];
  const made = threadPage(ordered, request, (number) => {
    asked.push(number);
    return ordered[number]!;
  });
  return { ...made, asked, ids: made.page.records.map(({ id }) => id) };
}

describe('the shape of a thread', () => {
  it('is that of brute force, and so is what stands around a comment', () => {
    fc.assert(
      fc.property(threadArbitrary(), fc.nat(45), (comments, n) => {
        const { ids, thread } = pageOf(comments, WHOLE);
        const found = ids.map((id, i) => ({ id, ...thread.places[i]! }));
        assert.deepEqual(found, treeOf(comments));
        const id = n === 45 ? 'lost' : `c${n}`;
        const near = pageOf(comments, { order: 'oldest', after: null, limit: 100, around: id });
        assert.deepEqual(near.ids, around(comments, id));
      }),
      { numRuns: 400 },
    );
  });
});

describe('pages of a thread', () => {
  it('in the order of time they give every comment once, whatever the ties and the bytes', () => {
    fc.assert(
      fc.property(threadArbitrary(), fc.integer({ min: 1, max: 9 }), fc.nat(4), (comments, limit, n) => {
        const maxBytes = n === 0 ? Infinity : n * 700;
        const ids: string[] = [];
        let request: ThreadRequest = { order: 'oldest', after: null, limit, maxBytes };
        for (;;) {
          const { page, thread, ids: given } = pageOf(comments, request);
          assert.equal(thread.start, ids.length);
          assert.equal(thread.listed, comments.length);
          ids.push(...given);
          assert.equal(page.hasMore, ids.length < comments.length);
          assert.equal(page.isShort, page.hasMore && given.length < limit);
          if (page.isShort) {
            const next = byTime(comments)[ids.length]!;
            const bytes = [...page.records, next].reduce((sum, record) => sum + countedBytes(record), 0);
            assert.ok(bytes > maxBytes);
          }
          if (!page.hasMore) break;
          request = { ...request, after: page.next as { second: number; given: number | 'all' } };
        }
        assert.equal(
          ids.join(),
          byTime(comments)
            .map(({ id }) => id)
            .join(),
        );
      }),
      { numRuns: 300 },
    );
  });

  it('in the order of the tree, and the one with a comment', () => {
    fc.assert(
      fc.property(threadArbitrary(), fc.integer({ min: 1, max: 9 }), (comments, limit) => {
        const tree = treeOf(comments).map(({ id }) => id);
        for (let from = 0; from <= tree.length; from += limit) {
          const { ids, page, thread } = pageOf(comments, { order: 'tree', from, limit });
          assert.deepEqual(ids, tree.slice(from, from + limit));
          assert.deepEqual([page.hasMore, page.next, thread.start], [from + limit < tree.length, null, from]);
          for (const at of ids) {
            assert.deepEqual(pageOf(comments, { order: 'tree', at, limit }).ids, ids);
          }
        }
        const none = pageOf(comments, { order: 'tree', at: 'lost', limit });
        assert.deepEqual(none.ids, tree.slice(0, limit));
      }),
      { numRuns: 200 },
    );
  });

  it('reads the records of its page alone, and those that it names before', () => {
    const sizes = fc.integer({ min: 1, max: 9 });
    fc.assert(
      fc.property(threadArbitrary(), sizes, fc.nat(30), (comments, limit, second) => {
        const request = { order: 'oldest', after: { second, given: 'all' }, limit } as const;
        const { asked, numbers } = pageOf(comments, request);
        assert.deepEqual(asked, numbers);
        assert.deepEqual(numbersWanted(byTime(comments), request), numbers);
      }),
    );
  });
});
