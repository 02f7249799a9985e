import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { tokensIn } from './queries.ts';

describe('tokens behind a prefix', () => {
  it('are those of all shards, each once; a shard without any names the prefix itself', () => {
    const found = tokensIn(['t:pan t:panel', 't:pan*', 't:panel t:pants']);
    assert.deepEqual([...found], ['t:pan', 't:panel', 't:pants']);
    assert.equal(tokensIn(['t:pan*', 't:pan*']).size, 0);
  });
});
