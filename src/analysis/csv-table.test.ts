import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { columnsOfQueries, csvLines, csvText } from './asking.ts';

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

  it('for spreadsheets have no cell that is a formula, and stay as they are for programs', () => {
    const formulas = ['=cmd|x', '+1', '-a', '@b', '\tc'];
    const table = { columns: ['name', 'count'], rows: formulas.map((name) => [name, -1]) };
    const rows = (mark: string, end: string) => formulas.map((name) => `${mark}${name},-1${end}`).join('');
    assert.equal([...csvLines(table, 'csv-excel')].join(''), `\ufeffname,count\r\n${rows("'", '\r\n')}`);
    assert.equal(csvText(table), `name,count\n${rows('', '\n')}`);
  });

  it('number the columns of several queries from 1', () => {
    assert.deepEqual(columnsOfQueries(['count', 'share'], 1), ['count', 'share']);
    assert.deepEqual(columnsOfQueries(['count', 'of'], 2), ['count_1', 'of_1', 'count_2', 'of_2']);
  });
});
