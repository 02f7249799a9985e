import assert from 'node:assert/strict';
import { it } from 'node:test';
import { Thinned } from './thinned.ts';

it('of many events one in a while is told, with how many were passed over', () => {
  let now = 0;
  const thinned = new Thinned(10, () => now);
  const told = [0, 1, 9, 10, 11, 30].map((ms) => {
    now = ms;
    return thinned.next();
  });
  assert.deepEqual(told, [0, null, null, 2, null, 1]);
});
