import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { THREAD_POST, threadArbitrary } from '../../../test/generators/threads.ts';
import { comment } from '../../../test/helpers.ts';
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

const inThread = (id: string, parent: string, fields: Partial<StoredComment> = {}) =>
  comment({ id, parent, post: THREAD_POST, ...fields });

const placesOf = (comments: readonly StoredComment[]) => {
  const { ids, thread } = pageOf(comments, WHOLE);
  return ids.map((id, i) => `${id} ${thread.places[i]!.depth} ${thread.places[i]!.level}`);
};

describe('the shape of a thread', () => {
  /** Comments by time, each behind what it answers. */
  const rows: readonly (readonly [rule: string, comments: string, places: string])[] = [
    ['nothing', '', ''],
    [
      'answers stand behind what they answer, by time',
      'p1>a p1>b a>c c>d a>e',
      'a 0 0, c 1 1, d 2 2, e 1 1, b 0 0',
    ],
    ['an answer that is older than what it answers stands behind it', 'c>a p1>b b>c', 'b 0 0, c 1 1, a 2 2'],
    [
      'below a comment that is not here the depth is unknown; nothing is dropped',
      'lost>a a>b p1>c',
      'a null 0, b null 1, c 0 0',
    ],
    ['what a comment answers may be unknown', '>a a>b', 'a null 0, b null 1'],
    [
      'a circle begins with its oldest comment',
      'p1>a d>b b>c c>d c>e',
      'a 0 0, b null 0, c null 1, d null 2, e null 2',
    ],
    ['a comment that answers itself', 'a>a', 'a null 0'],
  ];
  for (const [rule, comments, places] of rows) {
    it(rule, () => {
      const pairs = comments.split(' ').filter((pair) => pair !== '');
      const records = pairs.map((pair, created) => {
        const [parent, id] = pair.split('>') as [string, string];
        return inThread(id, parent, { created });
      });
      assert.equal(placesOf(records).join(', '), places);
    });
  }

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
