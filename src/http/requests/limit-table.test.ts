import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { LimitTable } from './limits.ts';

const LATER = 1000;

/** Notes a number with a name, as a limit does. */
function note(table: LimitTable, name: string, number: number, now: number): number {
  const place = table.claim(name, now);
  if (place === -1) return -1;
  table.numbers(place)[0] = number;
  table.setUntil(place, now + LATER);
  return place;
}

function noted(table: LimitTable, name: string, now: number): number | null {
  const place = table.find(name, now);
  return place === -1 ? null : table.numbers(place)[0]!;
}

describe('a table of names', () => {
  it('knows a name until nothing counts for it, and then begins anew', () => {
    const table = new LimitTable({ places: 64, width: 1 });
    assert.equal(noted(table, 'ann', 0), null);
    note(table, 'ann', 7, 0);
    assert.equal(noted(table, 'ann', LATER - 1), 7);
    assert.equal(noted(table, 'ann', LATER), null);
    assert.equal(table.numbers(table.claim('ann', LATER))[0], 0);
  });

  it('names that take up half of it are all known, each by itself', () => {
    const table = new LimitTable({ places: 2 ** 16, width: 1 }, 'no place');
    const names = Array.from({ length: 2 ** 15 }, (_, i) => `name ${i}`);
    const placed = names.filter((name, i) => note(table, name, i, 0) !== -1);
    // That a row of 32 gets more than 32 of 16 names on average is expected of one row in 7,600; here are 2,048.
    assert.ok(placed.length > names.length - 100, `${placed.length}`);
    for (const name of placed) assert.equal(`name ${noted(table, name, 1)}`, name);
  });

  it('takes nothing before the first name, and told bytes at most', () => {
    const before = process.memoryUsage().arrayBuffers;
    const table = new LimitTable({ places: 2 ** 20, width: 2 });
    assert.ok(process.memoryUsage().arrayBuffers - before < 2 ** 20);
    note(table, 'ann', 1, 0);
    const taken = process.memoryUsage().arrayBuffers - before;
    // Of a place: two words of a hash, a time, whether it is shared, and its numbers.
    const told = 2 ** 20 * (8 + 8 + 1 + 2 * 8);
    assert.ok(taken <= told + 2 ** 20, `${taken} of ${told}`);
  });
});

describe('a table without room', () => {
  /** All places of the only row are taken. */
  function full(atEnd: 'share' | 'no place'): LimitTable {
    const table = new LimitTable({ places: 32, width: 1 }, atEnd);
    const places = Array.from({ length: 32 }, (_, i) => note(table, `name ${i}`, i + 1, 0));
    assert.equal(new Set(places).size, 32);
    return table;
  }

  it('forgets nobody, however many names come', () => {
    for (const atEnd of ['share', 'no place'] as const) {
      const table = full(atEnd);
      const places = Array.from({ length: 32 }, (_, i) => table.find(`name ${i}`, 1));
      for (let i = 0; i < 10_000; i++) table.claim(`stranger ${i}`, 1);
      for (let i = 0; i < 32; i++) assert.equal(table.find(`name ${i}`, 1), places[i]);
      for (let i = 0; i < 32; i++)
        if (atEnd === 'no place') assert.equal(noted(table, `name ${i}`, 1), i + 1);
    }
  });

  it('gives a stranger the same shared place each time, before and after it counts there', () => {
    const table = full('share');
    const place = table.find('stranger', 1);
    assert.notEqual(place, -1);
    assert.equal(table.claim('stranger', 1), place);
    assert.equal(table.find('stranger', 1), place);
  });

  it('a stranger takes the share along when a place becomes free', () => {
    const table = full('share');
    const shared = table.claim('stranger', 1);
    table.numbers(shared)[0] = 99;
    table.setUntil(shared, 2 * LATER);
    assert.equal(noted(table, 'stranger', LATER), 99, 'although other places are free');
    const own = table.claim('stranger', LATER);
    assert.notEqual(own, shared);
    assert.deepEqual([table.numbers(own)[0], table.until(own)], [99, 2 * LATER]);
    assert.equal(noted(table, 'stranger', 2 * LATER), null);
  });

  it('or has none', () => {
    const table = full('no place');
    assert.deepEqual([table.find('stranger', 1), table.claim('stranger', 1)], [-1, -1]);
    assert.notEqual(table.claim('stranger', LATER), -1);
  });
});
