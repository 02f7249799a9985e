// Queries side by side, in one walk over their chunks: counts of queries with common parts, whose docs are found once,
// and counts of what two queries have in common.

import { type Compared, type ComparedRequest, inOrderOfAll } from '../../../model/analyses.ts';
import type { Query, QueryItem } from '../../../model/query.ts';
import type { View } from '../index/view.ts';
import type { Deadline } from '../matching/deadline.ts';
import { chunkWithin, type Matching, QueryBinding } from '../matching/matching.ts';
import type { CountingMeans } from '../paging/sample.ts';
import { type Chunk, countOf, intersect, isEmpty, valuesOf, type WordPool } from '../sets/chunk.ts';
import { topNamesOfAll } from './breakdown.ts';
import { RatingSums, ratingsFor } from './row-sums.ts';

/** Two sets, by number, whose intersection is needed. */
interface Both {
  readonly left: number;
  readonly right: number;
}

/**
 * How the docs of all queries are made: of `sets`, one for each, by number. Numbers are those of the parts first, of
 * which a query's docs are in all, then those of `both`, each of which needs only sets before it. null: parts are used
 * less than twice on average, so each query is counted by itself.
 */
export function shareParts(queries: readonly Query[]) {
  const numbers = new Map<string, number>();
  const parts: Query[] = [];
  const lists = queries.map((query) =>
    partsOf(query).map((part) => {
      const name = JSON.stringify(part);
      if (!numbers.has(name)) numbers.set(name, parts.push(part) - 1);
      return numbers.get(name)!;
    }),
  );
  const uses = lists.reduce((sum, list) => sum + list.length, 0);
  if (uses < 2 * parts.length) return null;
  const plan = new SetPlan(parts.length);
  const sets = new Map<readonly number[], number>();
  // A short list is often the beginning of a longer one.
  for (const list of lists.toSorted((a, b) => a.length - b.length)) sets.set(list, plan.setOf(list));
  return { parts, both: plan.both, sets: lists.map((list) => sets.get(list)!) };
}

/** Any-of items of one kind together, and every other item by itself. Never empty. */
function partsOf({ items }: Query): Query[] {
  const parts = new Map<string, QueryItem[]>();
  for (const [i, item] of items.entries()) {
    const isAnyOf = ANY_OF.has(item.kind) && 'negated' in item && !item.negated;
    const name = isAnyOf ? item.kind : `${i}`;
    parts.set(name, [...(parts.get(name) ?? []), item]);
  }
  return parts.size === 0 ? [{ items: [] }] : [...parts.values()].map((some) => ({ items: some }));
}

/** Kinds of items of which a record needs only one (model/query.ts). */
const ANY_OF: ReadonlySet<QueryItem['kind']> = new Set(['community', 'site', 'post', 'id']);

class SetPlan {
  readonly both: Both[] = [];
  readonly #parts: number;
  /** Sets by their parts in order. */
  readonly #known = new Map<string, number>();

  constructor(parts: number) {
    this.#parts = parts;
    for (let part = 0; part < parts; part++) this.#known.set(`${part}`, part);
  }

  /** Extends the longest beginning that exists. */
  setOf(list: readonly number[]): number {
    let known = list.length;
    while (!this.#known.has(list.slice(0, known).join())) known--;
    const left = this.#known.get(list.slice(0, known).join())!;
    return known === list.length ? left : this.#add(list, left, this.#rest(list.slice(known)));
  }

  /** Builds from the end, so that common endings are made once too. */
  #rest(list: readonly number[]): number {
    const known = this.#known.get(list.join());
    return known ?? this.#add(list, list[0]!, this.#rest(list.slice(1)));
  }

  #add(list: readonly number[], left: number, right: number): number {
    const number = this.#parts + this.both.push({ left, right }) - 1;
    this.#known.set(list.join(), number);
    return number;
  }
}

/** The exact number of matches of each query. Throws `query_timeout` or an EngineLimit. */
export function countShared(
  view: View,
  { parts, both, sets }: NonNullable<ReturnType<typeof shareParts>>,
  { pool, scratch }: { readonly pool: WordPool; readonly scratch: WordPool },
  deadline: Deadline,
): number[] {
  const bindings = parts.map((part) => new QueryBinding(part, pool, deadline));
  for (const binding of bindings) binding.checkPrefixes(view.segments.map(({ segment }) => segment));
  const totals = sets.map(() => 0);
  for (const viewSegment of view.segments) {
    const matches = bindings.map((binding) => binding.matchesIn(viewSegment));
    for (let chunk = 0; chunk < viewSegment.segment.chunks; chunk++) {
      deadline.check();
      const docs = matches.map((one) => chunkWithin(one, chunk));
      for (const { left, right } of both) {
        docs.push(intersect(docs[left]!, docs[right]!, scratch));
      }
      for (const [i, set] of sets.entries()) totals[i]! += countOf(docs[set]!);
      scratch.releaseAll();
    }
    pool.releaseAll();
  }
  return totals;
}

/** `matchings`: of the queries, in this view. Throws `query_timeout`. */
export function comparedOf(
  view: View,
  matchings: readonly Matching[],
  { communities: size }: ComparedRequest,
  means: CountingMeans,
): Compared {
  const { both, ratings } = commonOf(view, matchings, means);
  const table = means.tableFor('community');
  const highest = topNamesOfAll(matchings, 'community', size, table, means.scratch);
  return {
    both,
    communities: inOrderOfAll(highest.map(({ number, counts }) => ({ name: table.name(number), counts }))),
    ratings: matchings.map((_, i) => ({ sum: ratings.sums[i]!, rated: ratings.rated[i]! })),
  };
}

function commonOf(view: View, matchings: readonly Matching[], { scratch, deadline }: CountingMeans) {
  const both = matchings.map(() => matchings.map(() => 0));
  const ratings = new RatingSums(matchings.length, deadline);
  const bySegment = matchings.map(({ segments }) => new Map(segments.map((one) => [one.viewSegment, one])));
  for (const viewSegment of view.segments) {
    const matches = bySegment.map((segments) => segments.get(viewSegment));
    if (matches.every((one) => one === undefined)) continue;
    const { segment } = viewSegment;
    for (let chunk = 0; chunk < segment.chunks; chunk++) {
      deadline.check();
      const docs = matches.map((one) => chunkWithin(one, chunk));
      addBoth(docs, both, scratch);
      if (segment.kind === 'comment') {
        const all = docs.map((one) => valuesOf(one, scratch));
        const count = all.reduce((sum, { length }) => sum + length, 0);
        ratings.begin(segment, chunk, ratingsFor(segment, chunk, count));
        for (const [number, values] of all.entries()) ratings.addRun(number, values, 0, values.length);
      }
      scratch.releaseAll();
    }
  }
  return { both, ratings };
}

function addBoth(docs: readonly Chunk[], both: readonly number[][], scratch: WordPool): void {
  for (const [one, first] of docs.entries()) {
    if (isEmpty(first)) continue;
    both[one]![one]! += countOf(first);
    for (let other = 0; other < one; other++) {
      const count = countOf(intersect(first, docs[other]!, scratch));
      both[one]![other]! += count;
      both[other]![one]! += count;
    }
  }
}
