import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { TopNames } from './top-names.ts';

/** 2,000 names of two or three letters and digits; the count of each is the number behind it, modulo 97. */
const NAMES = Array.from({ length: 2_000 }, (_, i) => `${i % 2 === 0 ? 'a' : 'b'}${i}`);

describe('the rows of a breakdown', () => {
  for (const prefix of ['', 'a']) {
    for (const distinct of [false, true]) {
      it(`behind \`${prefix}\` are the commonest, then by name; ${distinct ? 'all are' : 'none is'} counted`, () => {
        const table = { name: (number: number) => NAMES[number]! };
        const top = new TopNames(
          { field: 'domain', size: 5, skip: 3, prefix, distinct },
          table as ConstructorParameters<typeof TopNames>[1],
        );
        const rows = NAMES.map((name, number) => ({ name, count: 1 + ((number * 31) % 97) }));
        for (const [number, { count }] of rows.entries()) top.add(number, count);
        const expected = rows
          .filter(({ name }) => name.startsWith(prefix))
          .sort((a, b) => b.count - a.count || (a.name < b.name ? -1 : 1));
        assert.deepEqual(top.finish(), {
          rows: expected.slice(3, 8).map(({ name, count }) => ({ number: NAMES.indexOf(name), count })),
          distinct: distinct ? expected.length : null,
        });
      });
    }
  }
});
