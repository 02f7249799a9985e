// Queries side by side: what two have in common, in one search, and the communities that are highest for any.

import { type Compared, type ComparedRequest, inOrderOfAll } from '../../../model/analyses.ts';
import type { Kind } from '../../../model/record.ts';
import { Matches } from '../cluster/search.ts';
import { breakdownIn } from './breakdown-answer.ts';
import { frequentNames, type NamesFound } from './breakdowns.ts';
import { countEach, countRows, type RowsWanted } from './row-counts.ts';

/** By number of the query; null: nothing can match. Without ratings of comments, which documents lack. */
export async function comparedIn(
  kind: Kind,
  queries: readonly (Matches | null)[],
  { communities: size }: ComparedRequest,
): Promise<Compared> {
  const [both, communities] = await Promise.all([bothOf(queries), communitiesOf(kind, queries, size)]);
  const ratings = kind === 'post' ? { ratings: queries.map(() => ({ sum: 0, rated: 0 })) } : {};
  return { both, communities, ...ratings };
}

async function bothOf(queries: readonly (Matches | null)[]): Promise<number[][]> {
  const both = queries.map(() => queries.map(() => 0));
  const found = queries.flatMap((matches, number) => (matches === null ? [] : [{ number, matches }]));
  if (found.length === 0) return both;
  const pairs = found.flatMap((one, i) => found.slice(i).map((other) => [one, other] as const));
  const filters = pairs.map(([one, other]) => one.matches.within(other.matches.query).query);
  const should = found.map(({ matches }) => matches.query);
  const { searcher, pit } = found[0]!.matches;
  const any = new Matches(searcher, pit, { bool: { should, minimum_should_match: 1 } });
  const counts = await countEach(any, filters);
  for (const [i, [one, other]] of pairs.entries()) {
    both[one.number]![other.number] = counts[i]!;
    both[other.number]![one.number] = counts[i]!;
  }
  return both;
}

async function communitiesOf(
  kind: Kind,
  queries: readonly (Matches | null)[],
  size: number,
): Promise<Compared['communities']> {
  const lists = await Promise.all(queries.map((query) => highestIn(kind, query, size)));
  const names = [...new Set(lists.flat())];
  if (names.length === 0) return [];
  const wanted: RowsWanted = {
    keys: names,
    rows: (keys) => ({ terms: { field: 'community', include: keys, size: keys.length } }),
  };
  const counts = await Promise.all(
    queries.map((query) => (query === null ? null : countRows(query, wanted, null))),
  );
  return inOrderOfAll(
    names.map((name, row) => ({ name, counts: counts.map((rows) => rows?.[row]?.count ?? 0) })),
  );
}

/** The names of the communities with the most matches. */
async function highestIn(kind: Kind, matches: Matches | null, size: number): Promise<string[]> {
  if (matches === null) return [];
  const request = { field: 'community', size } as const;
  const frequent = frequentNames(request);
  const found = frequent && (await matches.aggregate<{ readonly names: NamesFound }>({ names: frequent }));
  const parts = { kind, matches, of: undefined, frequent: found?.names ?? null };
  const { rows } = await breakdownIn(parts, request);
  return rows.map(({ name }) => name);
}
