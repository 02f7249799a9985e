// Queries beside each other. The specification as code.

import { type Compared, type ComparedRequest, inOrderOfAll } from '../../model/compared.ts';
import type { StoredRecord } from '../../model/record.ts';
import { ratingsOf } from './answer.ts';
import { breakdownOf } from './breakdown.ts';

/** `matchings`: what matches each of the queries, in any order. */
export function comparedOf(
  matchings: readonly (readonly StoredRecord[])[],
  { communities: size }: ComparedRequest,
): Compared {
  const ids = matchings.map((matching) => new Set(matching.map(({ id }) => id)));
  const highest = matchings.flatMap(
    (matching) => breakdownOf(matching, null, { field: 'community', size }).rows,
  );
  const names = new Set(highest.map(({ name }) => name));
  return {
    both: ids.map((one) => ids.map((other) => one.intersection(other).size)),
    communities: inOrderOfAll(
      Array.from(names, (name) => ({
        name,
        counts: matchings.map((matching) => matching.filter(({ community }) => community === name).length),
      })),
    ),
    ratings: matchings.map(ratingsOf),
  };
}
