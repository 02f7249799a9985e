import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ArrivedImport } from '../../model/coverage.ts';
import { boundsOf, countsOf, groupsSince, MAX_GROUPS } from './service.ts';

function imported(source: string, first: number, last: number): ArrivedImport {
  return { number: first, source, first, last };
}

describe('imports since an arrival', () => {
  const imports = [imported('a', 2, 3), imported('b', 4, 7), imported('c', 7, 7), imported('d', 9, 12)];

  it('are those with later arrivals; those that share some are one', () => {
    assert.deepEqual(groupsSince(imports, 5), [
      { first: 6, last: 7, sources: ['b', 'c'] },
      { first: 9, last: 12, sources: ['d'] },
    ]);
    assert.deepEqual(groupsSince(imports, 12), []);
  });

  it('have what came in behind the arrival before them, and not behind their last', () => {
    const groups = groupsSince(imports, 5);
    assert.deepEqual(boundsOf(groups), [5, 7, 8, 12]);
    const behind = new Map([5, 7, 8, 12].map((bound, i) => [bound, [20, 11, 10, 0][i]!]));
    assert.deepEqual(countsOf(groups, behind), [9, 10]);
  });

  it('are the last ones where there are many, and one for all before', () => {
    const many = Array.from({ length: MAX_GROUPS + 5 }, (_, i) => imported(`${i}`, i + 1, i + 1));
    const groups = groupsSince(many, 0);
    assert.equal(groups.length, MAX_GROUPS);
    assert.deepEqual([groups[0]!.sources.length, groups[0]!.last, groups[1]!.first], [6, 6, 7]);
  });
});
