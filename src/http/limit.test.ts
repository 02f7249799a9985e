import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { seconds } from './limit.ts';

describe('seconds to wait', () => {
  for (const [ms, expected] of [
    [0, 1],
    [1, 1],
    [1000, 1],
    [1001, 2],
  ] as const) {
    it(`${ms} ms: ${expected}`, () => assert.equal(seconds(ms), expected));
  }
});
