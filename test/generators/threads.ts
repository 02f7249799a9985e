// Random threads, with everything that sources bring: lost parents, parents of other posts, circles, ties.

import fc from 'fast-check';
import type { StoredComment } from '../../src/model/record.ts';
import { commentArbitrary } from './records.ts';

/** The post of a thread that `threadArbitrary` makes. */
export const THREAD_POST = 'p1';

/** Comments of THREAD_POST in any order, ids `c0`, `c1` …; what they answer is anything, themselves included. */
export function threadArbitrary(maxLength = 40): fc.Arbitrary<StoredComment[]> {
  const parent = fc.oneof(
    { weight: 5, arbitrary: fc.nat(maxLength).map((n) => `c${n}`) },
    { weight: 2, arbitrary: fc.constant(THREAD_POST) },
    { weight: 1, arbitrary: fc.constantFrom('', 'lost', 'other') },
  );
  const created = fc.oneof(fc.nat(6), fc.nat(1000));
  return fc
    .array(fc.record({ parent, created, rest: commentArbitrary() }), { maxLength })
    .map((all) =>
      all.map(({ rest, ...fields }, n) => ({ ...rest, ...fields, id: `c${n}`, post: THREAD_POST })),
    );
}
