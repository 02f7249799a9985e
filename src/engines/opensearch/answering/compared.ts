// Queries that refer to others: side by side (what two have in common, in one search, and the communities that are
// highest for any), and the comments of posts that match another query.

import { type Compared, type ComparedRequest, inOrderOfAll } from '../../../model/analyses.ts';
import { EngineLimit, inUnder } from '../../../model/engine-errors.ts';
import { conditionsOf, MAX_POSTS_UNDER, type Query } from '../../../model/query.ts';
import type { Kind } from '../../../model/record.ts';
import { idOfKey } from '../cluster/documents.ts';
import { MAX_HITS, type Searcher } from '../cluster/search.ts';
import type { View } from '../state/views.ts';
import { breakdownIn } from './breakdown-answer.ts';
import { frequentNames, type NamesFound, namesSearch } from './breakdowns.ts';
import { SORTS } from './ordered.ts';
import { checkPrefixes, queryIn } from './queries.ts';
import { countEach, countRows, type RowsWanted, type Searched } from './row-counts.ts';

/** By number of the query; null: nothing can match. Without ratings of comments, which documents lack. */
export async function comparedIn(
  searcher: Searcher,
  kind: Kind,
  queries: readonly (Searched | null)[],
  { communities: size }: ComparedRequest,
): Promise<Compared> {
  const [both, communities] = await Promise.all([
    bothOf(searcher, queries),
    communitiesOf(searcher, kind, queries, size),
  ]);
  const ratings = kind === 'post' ? { ratings: queries.map(() => ({ sum: 0, rated: 0 })) } : {};
  return { both, communities, ...ratings };
}

async function bothOf(searcher: Searcher, queries: readonly (Searched | null)[]): Promise<number[][]> {
  const both = queries.map(() => queries.map(() => 0));
  const found = queries.flatMap((one, number) => (one === null ? [] : [{ number, ...one }]));
  if (found.length === 0) return both;
  const pairs = found.flatMap((one, i) => found.slice(i).map((other) => [one, other] as const));
  const filters = pairs.map(([one, other]) => ({ bool: { filter: [one.query, other.query] } }));
  const any = { bool: { should: found.map(({ query }) => query), minimum_should_match: 1 } };
  const counts = await countEach(searcher, { pit: found[0]!.pit, query: any }, filters);
  for (const [i, [one, other]] of pairs.entries()) {
    both[one.number]![other.number] = counts[i]!;
    both[other.number]![one.number] = counts[i]!;
  }
  return both;
}

async function communitiesOf(
  searcher: Searcher,
  kind: Kind,
  queries: readonly (Searched | null)[],
  size: number,
): Promise<Compared['communities']> {
  const lists = await Promise.all(queries.map((query) => highestIn(searcher, kind, query, size)));
  const names = [...new Set(lists.flat())];
  if (names.length === 0) return [];
  const wanted: RowsWanted = {
    keys: names,
    rows: (keys) => ({ terms: { field: 'community', include: keys, size: keys.length } }),
  };
  const counts = await Promise.all(
    queries.map((query) => (query === null ? null : countRows(searcher, query, wanted, null))),
  );
  return inOrderOfAll(
    names.map((name, row) => ({ name, counts: counts.map((rows) => rows?.[row]?.count ?? 0) })),
  );
}

/** The names of the communities with the most matches. */
async function highestIn(
  searcher: Searcher,
  kind: Kind,
  matches: Searched | null,
  size: number,
): Promise<string[]> {
  if (matches === null) return [];
  const request = { field: 'community', size } as const;
  const frequent = frequentNames(request);
  const search = namesSearch(searcher, matches.pit, matches.query);
  const found = frequent === null ? null : await search<NamesFound>(frequent);
  const { rows } = await breakdownIn(searcher, { kind, matches, of: undefined, frequent: found }, request);
  return rows.map(({ name }) => name);
}

/** Queries whose posts are cached for a view: the ids of 100,000 posts take some 2 MB. */
const MAX_KNOWN = 16;

const known = new WeakMap<View, Map<string, readonly string[]>>();

/** Ids of the matching posts of this view. Throws an EngineLimit of `under`, and what `Searcher.search` throws. */
export async function postsUnder(searcher: Searcher, posts: View, query: Query): Promise<readonly string[]> {
  const ofView = known.getOrInsertComputed(posts, () => new Map<string, readonly string[]>());
  const name = JSON.stringify(query);
  const found = ofView.get(name);
  if (found !== undefined) return found;
  try {
    const ids = await idsOf(searcher, posts, query);
    if (ofView.size >= MAX_KNOWN) ofView.clear();
    ofView.set(name, ids);
    return ids;
  } catch (error) {
    throw inUnder(error);
  }
}

async function idsOf(searcher: Searcher, view: View, query: Query): Promise<readonly string[]> {
  if (view.pit === null) return [];
  const conditions = conditionsOf(query);
  await checkPrefixes(searcher, view, conditions);
  const asked = { query: queryIn(view, conditions), _source: false, sort: SORTS.newest } as const;
  const { total, hits: found } = await searcher.search(view.pit, { ...asked, size: MAX_HITS });
  if (total > MAX_POSTS_UNDER) throw new EngineLimit({ limit: 'posts_under', posts: total });
  const hits = [...found];
  const rest = { ...asked, search_after: hits.at(-1)?.sort ?? [] };
  for await (const more of searcher.pages(view.pit, rest, total - hits.length)) hits.push(...more);
  if (hits.length < total) throw new Error(`expected ${total} posts, found ${hits.length}`);
  return hits.map(({ sort: [, key] }) => idOfKey(key as string));
}
