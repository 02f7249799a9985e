import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { TopNames } from './top-names.ts';

/** 2,000 names of two or three letters and digits; the count of each is the number behind it, modulo 97. */
const NAMES = Array.from({ length: 2_000 }, (_, i) => `${i % 2 === 0 ? 'a' : 'b'}${i}`);

describe('the rows of a breakdown', () => {
  for (const prefix of ['', 'a']) {
    for (const distinct of [false, true]) {
      it(`behind \`${prefix}\` are the commonest, then by name; ${distinct ? 'all are' : 'none is'} counted`, () => {
        const table = {
          name: (number: number) => NAMES[number]!,
          begins: (number: number, text: string) => NAMES[number]!.startsWith(text),
        };
        const counts = Uint32Array.from(NAMES, (_, number) => (number * 31) % 97);
        const expected = NAMES.map((name, number) => ({ name, number, count: counts[number]! }))
          .filter(({ name, count }) => count > 0 && name.startsWith(prefix))
          .sort((a, b) => b.count - a.count || (a.name < b.name ? -1 : 1));
        const numbers = Uint32Array.from(expected, ({ number }) => number);
        for (const size of [0, 5, NAMES.length]) {
          const found = {
            rows: expected.slice(3, 3 + size).map(({ number, count }) => ({ number, count })),
            distinct: distinct ? expected.length : null,
          };
          for (const some of [null, numbers.toReversed(), numbers.toSorted()]) {
            const top = new TopNames({ field: 'domain', size, skip: 3, prefix, distinct }, table);
            if (some === null) top.addAll(counts);
            else top.addSome(counts, some);
            assert.deepEqual(top.finish(), found);
          }
        }
      });
    }
  }
});
