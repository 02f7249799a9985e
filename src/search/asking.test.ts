import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  columnsOfQueries,
  csvLines,
  meanOf,
  type Normalise,
  readQueries,
  readQuery,
  scopeOf,
  shareOf,
} from './asking.ts';

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

describe('what shares are of', () => {
  const written =
    'cats -dogs "two words" a|b pre* -pre* /r/aww -/r/pics site:x.org -site:y.org score:5 ' +
    'post:abc -id:t1_x before:2022-01-01 after:2021-01-01';
  const rows: readonly (readonly [text: string, Normalise, string | null])[] = [
    [
      written,
      'scope',
      '/r/aww,-/r/pics,site:x.org,-site:y.org,score:5,post:abc,-id:t1_x,before:2022-01-01,after:2021-01-01',
    ],
    [written, 'all', 'before:2022-01-01,after:2021-01-01'],
    [written, 'none', null],
    ['cats', 'scope', ''],
    ['', 'all', ''],
  ];
  for (const [text, normalise, of] of rows) {
    it(`\`${text}\`, ${normalise}: ${of}`, () => {
      assert.equal(scopeOf(readQuery(text).query, normalise)?.echo ?? null, of);
    });
  }

  it('is a query that its canonical form gives again', () => {
    const scope = scopeOf(readQuery(written).query, 'scope')!;
    assert.deepEqual(readQuery(scope.echo).query, scope.query);
  });

  it('shares have 6 decimals, and are null of nothing', () => {
    assert.deepEqual(
      [shareOf(1, 3), shareOf(2, 3), shareOf(0, 7), shareOf(7, 7), shareOf(0, 0)],
      [0.333333, 0.666667, 0, 1, null],
    );
  });

  it('means have 4 decimals, and are null of none', () => {
    assert.deepEqual(
      [meanOf(1, 3), meanOf(-1, 100_000), meanOf(-1019, 2, 10_000), meanOf(0, 0)],
      [0.3333, 0, -0.0509, null],
    );
    assert.ok(Object.is(meanOf(-1, 100_000), 0), 'no −0');
  });
});

describe('tables of CSV', () => {
  it('have a header, quote what needs it, and leave null empty', () => {
    const rows = [
      ['a,b', 1, 0.5],
      ['say "x"', 0, null],
    ];
    assert.equal(
      [...csvLines({ columns: ['name', 'count', 'share'], rows })].join(''),
      'name,count,share\n"a,b",1,0.5\n"say ""x""",0,\n',
    );
  });

  it('for spreadsheets have no cell that is a formula, and stay as they are for programs', () => {
    const formulas = ['=cmd|x', '+1', '-a', '@b', '\tc'];
    const table = { columns: ['name', 'count'], rows: formulas.map((name) => [name, -1]) };
    const rows = (mark: string, end: string) => formulas.map((name) => `${mark}${name},-1${end}`).join('');
    assert.equal([...csvLines(table, 'csv-excel')].join(''), `\ufeffname,count\r\n${rows("'", '\r\n')}`);
    assert.equal([...csvLines(table)].join(''), `name,count\n${rows('', '\n')}`);
  });

  it('number the columns of several queries from 1', () => {
    assert.deepEqual(columnsOfQueries(['count', 'share'], 1), ['count', 'share']);
    assert.deepEqual(columnsOfQueries(['count', 'of'], 2), ['count_1', 'of_1', 'count_2', 'of_2']);
  });
});
