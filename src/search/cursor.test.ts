import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { ServiceError } from '../errors.ts';
import { MAX_GIVEN_IN_SECOND, SCORE_BOUND } from '../model/pages.ts';
import { MAX_TIME } from '../model/record.ts';
import { cursorOf, readCursor, withinBudget } from './asking.ts';

const TOP_LEAST = 2 ** 47;

describe('cursors', () => {
  it('a whole second is the plain millisecond Unix time', () => {
    assert.equal(cursorOf({ second: 1_609_459_200, given: 'all' }), 1_609_459_200_000);
    assert.deepEqual(readCursor('1609459200000', 'newest'), { second: 1_609_459_200, given: 'all' });
  });

  it('of time: second × 1000 + how many of it were given', () => {
    assert.equal(cursorOf({ second: 7, given: 3 }), 7003);
    assert.deepEqual(readCursor('7003', 'oldest'), { second: 7, given: 3 });
  });

  it('of top: (score + 2^20) × 2^32 + second', () => {
    assert.equal(cursorOf({ score: -3, second: 7 }), (2 ** 20 - 3) * 2 ** 32 + 7);
    assert.deepEqual(readCursor(String((2 ** 20 - 3) * 2 ** 32 + 7), 'top'), { score: -3, second: 7 });
  });

  it('`[[n]]` is read as n', () =>
    assert.deepEqual(readCursor('[[7003]]', 'oldest'), { second: 7, given: 3 }));

  const bad = ['x', '1.5', '-1', '[7]', '[[7]', '[[]]', ' 7', '1e3', '0x10', String(2 ** 53), '9'.repeat(40)];
  for (const text of bad) {
    it(`\`${text}\` is no cursor`, () =>
      assert.throws(() => readCursor(text, 'newest'), { code: 'bad_cursor' }));
  }

  const edges = [
    ['newest', 2 ** 42 - 1, null],
    ['newest', 2 ** 42, 'cursor_of_other_order'],
    ['oldest', TOP_LEAST, 'cursor_of_other_order'],
    ['top', TOP_LEAST, null],
    ['top', TOP_LEAST - 1, 'cursor_of_other_order'],
    ['top', 2 ** 53 - 1, null],
    ['top', 0, 'cursor_of_other_order'],
  ] as const;
  for (const [order, cursor, code] of edges) {
    it(`${order} ${code === null ? 'takes' : 'refuses'} ${cursor}`, () => {
      if (code === null) readCursor(String(cursor), order);
      else assert.throws(() => readCursor(String(cursor), order), { code });
    });
  }

  it('every place of a page is read back as it was, and stays on its side', () => {
    const second = fc.integer({ min: 0, max: MAX_TIME });
    const given = fc.oneof(fc.constant('all' as const), fc.integer({ min: 1, max: MAX_GIVEN_IN_SECOND }));
    const score = fc.integer({ min: -SCORE_BOUND, max: SCORE_BOUND });
    fc.assert(
      fc.property(second, given, score, (at, k, points) => {
        const time = { second: at, given: k };
        const top = { score: points, second: at };
        assert.ok(cursorOf(time) < 2 ** 42);
        assert.ok(cursorOf(top) >= TOP_LEAST && Number.isSafeInteger(cursorOf(top)));
        assert.deepEqual(readCursor(String(cursorOf(time)), 'newest'), time);
        assert.deepEqual(readCursor(String(cursorOf(top)), 'top'), top);
      }),
    );
  });
});

const never = () => new Promise<never>(() => undefined);

describe('a time budget', () => {
  it('is over for what never ends: a cluster that hangs holds nobody', async () => {
    await assert.rejects(
      withinBudget(1, never),
      (error) => error instanceof ServiceError && error.code === 'query_timeout' && error.retryAfter === 1,
    );
  });

  it('passes on what is found or thrown in time, or at any time where there is no limit', async () => {
    assert.equal(await withinBudget(60_000, async () => 7), 7);
    assert.equal(await withinBudget(Infinity, async () => 8), 8);
    await assert.rejects(
      withinBudget(60_000, async () => assert.fail('broken')),
      /broken/,
    );
  });
});
