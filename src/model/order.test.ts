import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ORDERS, pageRequest } from './pages.ts';

const time = { second: 7, given: 'all' } as const;
const top = { score: 3, second: 7 };

describe('a page request', () => {
  it('has a place of the shape that its order has', () => {
    assert.deepEqual(pageRequest('oldest', time, { limit: 2 }), { order: 'oldest', limit: 2, after: time });
    assert.deepEqual(pageRequest('top', top, { limit: 2 }), { order: 'top', limit: 2, after: top });
    for (const order of ORDERS) assert.equal(pageRequest(order, null, { limit: 2 }).after, null);
  });

  it('is not made of a place of another order', () => {
    assert.throws(() => pageRequest('top', time, { limit: 2 }), TypeError);
    for (const order of ['newest', 'oldest'] as const)
      assert.throws(() => pageRequest(order, top, { limit: 2 }), TypeError);
  });
});
