// How many records match each of several queries, in as few searches as the cluster takes clauses.

import { conditionsOf } from '../../model/conditions.ts';
import type { Query } from '../../model/query.ts';
import type { PrefixLimit } from './prefix-limit.ts';
import { allIn, queryIn } from './queries.ts';
import type { Searcher } from './search.ts';
import type { View } from './views.ts';

/** Queries of one search: an explanation of ten items has fewer. */
const COUNTED_AT_ONCE = 32;

interface Counts {
  readonly counts: { readonly buckets: readonly { readonly doc_count: number }[] };
}

/** In their order. Throws what `Searcher.search` does, and an EngineLimit. */
export async function countsIn(
  searcher: Searcher,
  limit: PrefixLimit,
  view: View,
  queries: readonly Query[],
): Promise<number[]> {
  const conditions = queries.map(conditionsOf);
  for (const one of conditions) await limit.check(searcher, view, one);
  const { pit } = view;
  if (pit === null) return queries.map(() => 0);
  const found: number[] = [];
  for (let at = 0; at < conditions.length; at += COUNTED_AT_ONCE) {
    const filters = conditions.slice(at, at + COUNTED_AT_ONCE).map((one) => queryIn(view, one));
    const body = { query: allIn(view), size: 0, aggs: { counts: { filters: { filters } } } };
    const { aggregations } = await searcher.search<Counts>(pit, body);
    found.push(...aggregations.counts.buckets.map(({ doc_count }) => doc_count));
  }
  return found;
}
