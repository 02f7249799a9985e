import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { columnsOfQueries, csvText } from './csv.ts';

describe('tables of CSV', () => {
  it('have a header, quote what needs it, and leave null empty', () => {
    const rows = [
      ['a,b', 1, 0.5],
      ['say "x"', 0, null],
    ];
    assert.equal(
      csvText({ columns: ['name', 'count', 'share'], rows }),
      'name,count,share\n"a,b",1,0.5\n"say ""x""",0,\n',
    );
  });

  it('number the columns of several queries from 1', () => {
    assert.deepEqual(columnsOfQueries(['count', 'share'], 1), ['count', 'share']);
    assert.deepEqual(columnsOfQueries(['count', 'of'], 2), ['count_1', 'of_1', 'count_2', 'of_2']);
  });
});
