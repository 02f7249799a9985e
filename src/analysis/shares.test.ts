import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { meanOf, type Normalise, readQuery, scopeOf, shareOf } from './asking.ts';

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
