// The matches behind a place in an order: how many there are, and where a walk over them begins.

import { EngineUnavailable } from '../../model/engine-errors.ts';
import type { Order, PagePosition } from '../../model/order.ts';
import { SCORE_BOUND } from '../../model/order.ts';
import { searchAfter, sortOf } from './pages.ts';
import { type Dsl, MAX_HITS, type Searcher, type SortValue } from './search.ts';

export interface Walk {
  readonly query: Dsl;
  readonly order: Order;
  readonly after: PagePosition | null;
}

export interface Behind {
  readonly count: number;
  /** How many matches to pass over between where `searchAfter` leads and the place itself. */
  readonly given: number;
}

/** `matches`: how many there are in all. */
export async function countBehind(
  searcher: Searcher,
  pit: string,
  { query, order, after }: Walk,
  matches: number,
): Promise<Behind> {
  if (after === null) return { count: matches, given: 0 };
  const count = async (clause: Dsl) => {
    const body = { query: { bool: { filter: [query, clause] } }, size: 0 };
    return (await searcher.search(pit, body)).total;
  };
  if ('score' in after) return { count: await count(belowTie(after.score, after.second)), given: 0 };
  const { second, given } = after;
  const beyond = await count({ range: { created: order === 'newest' ? { lt: second } : { gt: second } } });
  if (given === 'all') return { count: beyond, given: 0 };
  const same = await count({ term: { created: second } });
  const passed = Math.min(given, same);
  return { count: beyond + same - passed, given: passed };
}

/**
 * Sort values to go on behind: as many matches further than `after` leads; undefined: at the first one. Throws what
 * `Searcher.search` does.
 */
export async function passOver(
  searcher: Searcher,
  pit: string,
  { query, order, after }: Walk,
  count: number,
): Promise<readonly SortValue[] | undefined> {
  let behind = searchAfter(order, after);
  for (let left = count; left > 0; ) {
    const { hits } = await searcher.search(pit, {
      ...{ query, size: Math.min(MAX_HITS, left), sort: sortOf(order) },
      ...(behind !== undefined && { search_after: behind }),
      ...{ track_total_hits: false, _source: false },
    });
    if (hits.length === 0) {
      throw new EngineUnavailable(`OpenSearch: expected ${left} more matches to pass over, found none`);
    }
    behind = hits.at(-1)!.sort;
    left -= hits.length;
  }
  return behind;
}

/** Ranks below this score, or ranks equal and is older. */
function belowTie(rank: number, second: number): Dsl {
  const below = rank <= -SCORE_BOUND ? { match_none: {} } : { range: { score: { lt: rank } } };
  const bounds = {
    ...(rank > -SCORE_BOUND && { gte: rank }),
    ...(rank < SCORE_BOUND && { lte: rank }),
  };
  const older = { bool: { filter: [{ range: { score: bounds } }, { range: { created: { lt: second } } }] } };
  return { bool: { should: [below, older], minimum_should_match: 1 } };
}
