import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readQueries, readQuery } from './asking.ts';

describe('queries of an analysis', () => {
  it('are understood in their order, and get no window', () => {
    const [cats, dogs] = readQueries(['Cats /r/AWW !!', 'dogs']);
    assert.deepEqual([cats?.text, cats?.echo], ['Cats /r/AWW !!', 'Cats,/r/aww']);
    assert.deepEqual([dogs?.echo, dogs?.dropped], ['dogs', []]);
    assert.equal(cats?.dropped.length, 1);
  });

  it('refuse a `before:` without an `after:`, and say in which of them', () => {
    const position = { offset: 5, length: 17 };
    const open = 'dogs before:2021-01-01';
    assert.throws(() => readQuery(open), { code: 'open_window', position });
    assert.throws(() => readQueries(['cats', open]), {
      code: 'open_window',
      position: { query: 1, ...position },
    });
  });

  it('say in which of them anything else is wrong', () => {
    assert.throws(() => readQueries(['score:x', 'cats']), {
      code: 'bad_score',
      position: { query: 0, offset: 0, length: 7 },
    });
  });
});
