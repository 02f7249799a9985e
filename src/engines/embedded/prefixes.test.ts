import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { comment, temporaryFolder } from '../../../test/helpers.ts';
import type { Query } from '../../model/query.ts';
import { openEmbeddedEngine } from './engine.ts';

const RECORDS = 20_000;

/** Words with lists of every form: in the dictionary, as differences, by chunk; and one behind none of the prefixes. */
function body(i: number): string {
  return [
    i % 9_000 === 17 ? `wide${i}` : 'other',
    i % 40 === 3 ? 'widen' : '',
    i % 2 === 1 ? 'width' : '',
    i % 7 === 0 ? 'wild' : '',
  ].join(' ');
}

describe('prefixes', () => {
  const cases: readonly [string, (i: number) => boolean][] = [
    ['wi', (i) => i % 9_000 === 17 || i % 40 === 3 || i % 2 === 1 || i % 7 === 0],
    ['wid', (i) => i % 9_000 === 17 || i % 40 === 3 || i % 2 === 1],
    ['wide', (i) => i % 9_000 === 17 || i % 40 === 3],
    ['wide1', (i) => i % 9_000 === 17 && `wide${i}`.startsWith('wide1')],
    ['wil', (i) => i % 7 === 0],
    ['wz', () => false],
  ];
  it('find what their words find together, whatever the form of the lists', async () => {
    using folder = temporaryFolder();
    await using engine = await openEmbeddedEngine(folder.path, {
      rules: { keepOriginals: false },
      workers: 0,
    });
    const records = Array.from({ length: RECORDS }, (_, i) =>
      comment({ id: `c${i.toString(36)}`, created: i, body: body(i) }),
    );
    await engine.index('comment', records.slice(0, 18_000));
    await engine.index('comment', records.slice(18_000));
    for (const [prefix, matches] of cases) {
      const query: Query = {
        items: [{ kind: 'words', words: [{ kind: 'prefix', prefix, typed: prefix }], negated: false }],
      };
      const page = { order: 'oldest', limit: 3, after: null } as const;
      const answer = await engine.ask({ kind: 'comment', query, page });
      const expected = records.filter((_, i) => matches(i));
      assert.equal(answer.total, expected.length, prefix);
      assert.deepEqual(
        answer.page?.records.map(({ id }) => id),
        expected.slice(0, 3).map(({ id }) => id),
        prefix,
      );
    }
  });
});
