// Queries beside each other: what two of them have in common, and what their ratings come to, in one walk over the
// chunks of all.

import { type Compared, type ComparedRequest, inOrderOfAll } from '../../../model/compared.ts';
import type { View, ViewSegment } from '../index/view.ts';
import { CHUNK_DOCS, type Chunk, countOf, EMPTY, membersOf, type WordPool } from '../sets/chunk.ts';
import { eachInCommon } from '../sets/common-counts.ts';
import type { CountingMeans } from './counting-means.ts';
import { chunkWithin, type Matching } from './matching.ts';
import { topNamesOfAll } from './name-breakdown.ts';
import { addRatings, type RatingSums } from './rating-sums.ts';

/** `matchings`: of the queries, in this view. Throws `query_timeout`. */
export function comparedOf(
  view: View,
  matchings: readonly Matching[],
  { communities: size }: ComparedRequest,
  means: CountingMeans,
): Compared {
  const common = commonOf(view, matchings, means);
  const table = means.tableFor('community');
  const highest = topNamesOfAll(matchings, 'community', size, table, means.scratch);
  return {
    both: common.both,
    communities: inOrderOfAll(highest.map(({ number, counts }) => ({ name: table.name(number), counts }))),
    ratings: common.sums.map((sum, i) => ({ sum, rated: common.rated[i]! })),
  };
}

/** By number of the query. */
interface Common extends RatingSums {
  readonly both: readonly number[][];
}

/** Of a chunk; calls are synchronous. */
const members = new Uint16Array(CHUNK_DOCS);
/** Fewer docs of a chunk than these are read one by one. */
const FEW_DOCS = 64;

function commonOf(view: View, matchings: readonly Matching[], { scratch, deadline }: CountingMeans): Common {
  const common: Common = {
    both: matchings.map(() => matchings.map(() => 0)),
    sums: matchings.map(() => 0),
    rated: matchings.map(() => 0),
  };
  const bySegment = matchings.map(({ segments }) => new Map(segments.map((one) => [one.viewSegment, one])));
  for (const viewSegment of view.segments) {
    const matches = bySegment.map((segments) => segments.get(viewSegment));
    if (matches.every((one) => one === undefined)) continue;
    const { segment } = viewSegment;
    for (let chunk = 0; chunk < segment.chunks; chunk++) {
      deadline.check();
      const docs = matches.map((one) => (one === undefined ? EMPTY : chunkWithin(one, chunk)));
      addBoth(docs, common.both, scratch);
      if (segment.kind === 'comment') addRated(viewSegment, chunk, docs, common, deadline);
      scratch.releaseAll();
    }
  }
  return common;
}

function addBoth(docs: readonly Chunk[], both: readonly number[][], scratch: WordPool): void {
  for (const [number, chunk] of docs.entries()) both[number]![number]! += countOf(chunk);
  eachInCommon(docs, scratch, (one, other, count) => {
    both[one]![other]! += count;
    both[other]![one]! += count;
  });
}

/** The column of the chunk is read once for all queries. */
function addRated(
  { segment }: ViewSegment,
  chunk: number,
  docs: readonly Chunk[],
  sums: RatingSums,
  deadline: CountingMeans['deadline'],
): void {
  const counts = docs.map(countOf);
  const isWorthIt = counts.reduce((sum, count) => sum + count, 0) >= FEW_DOCS;
  const ratings = isWorthIt ? segment.ratingsIn(chunk) : null;
  for (const [number, count] of counts.entries()) {
    if (count === 0) continue;
    membersOf(docs[number]!, members);
    const base = chunk * CHUNK_DOCS;
    addRatings({ segment, base, members, from: 0, to: count, ratings }, number, sums, deadline);
  }
}
