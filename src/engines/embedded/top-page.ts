// A page of `top`: score down, then newest first. The bands of scores are walked from the highest, so that only
// records of the scores on the page are looked at.

import type { Page } from '../../model/engine.ts';
import { rankingScore, type TopPosition } from '../../model/order.ts';
import { type Chunk, EMPTY, type WordPool } from './chunk.ts';
import { intersect, subtract } from './chunk-operations.ts';
import { BAND } from './keys.ts';
import { type Matching, type SegmentMatches, totalOf } from './matching.ts';
import type { PostingList } from './posting-list.ts';
import { type Band, SLICES, type Slice } from './score-bands.ts';
import { rankKey, TopSelection } from './top-selection.ts';

/** Up to so many matches are all looked at: cheaper than walking the bands. */
const MAX_UNBANDED = 16_384;

/** `scratch` is used and given back. */
export function topPage(
  matching: Matching,
  after: TopPosition | null,
  limit: number,
  scratch: WordPool,
): Page {
  const end = after === null ? Infinity : rankKey(after.score, after.second);
  const segments = matching.segments.map(({ segment }) => segment);
  const selection = new TopSelection(segments, limit, end);
  if (totalOf(matching) <= MAX_UNBANDED) {
    for (const [i, matches] of matching.segments.entries()) {
      for (let chunk = matches.firstChunk; chunk <= matches.lastChunk; chunk++) {
        selection.addAll(i, chunk, matches.chunk(chunk));
      }
    }
  } else addBySlices(selection, matching, end, scratch);
  const records = selection.best().map(({ segment, doc }) => segment.record(doc));
  const last = records.at(-1);
  return {
    records,
    next: last === undefined ? null : { score: rankingScore(last.score), second: last.created },
  };
}

function addBySlices(selection: TopSelection, matching: Matching, end: number, scratch: WordPool): void {
  const lists = new BandLists(matching.pool);
  for (const slice of SLICES) {
    if (rankKey(slice.min, 0) >= end) continue;
    for (const [i, matches] of matching.segments.entries()) {
      for (let chunk = matches.lastChunk; chunk >= matches.firstChunk; chunk--) {
        if (!selection.canTake(slice, i, chunk)) continue;
        selection.addAll(i, chunk, inSlice(matches, chunk, slice, lists, scratch));
        scratch.releaseAll();
      }
    }
    if (selection.isFull) return;
  }
}

/** The matches of the chunk whose score lies in the slice. */
function inSlice(
  matches: SegmentMatches,
  chunk: number,
  slice: Slice,
  lists: BandLists,
  scratch: WordPool,
): Chunk {
  const docs = matches.chunk(chunk);
  const inside = lists.of(matches, slice.inside)?.chunk(chunk, scratch) ?? EMPTY;
  const outside = slice.outside === null ? null : lists.of(matches, slice.outside);
  const either = intersect(inside, docs, scratch);
  return outside === null ? either : subtract(either, outside.chunk(chunk, scratch), scratch);
}

/** Opens each list of a band once. */
class BandLists {
  readonly #lists = new Map<SegmentMatches, Map<Band, PostingList | null>>();
  readonly #pool: WordPool;

  constructor(pool: WordPool) {
    this.#pool = pool;
  }

  of(matches: SegmentMatches, band: Band): PostingList | null {
    let ofSegment = this.#lists.get(matches);
    if (ofSegment === undefined) {
      ofSegment = new Map();
      this.#lists.set(matches, ofSegment);
    }
    let list = ofSegment.get(band);
    if (list === undefined) {
      list = matches.segment.list(BAND + band.name, this.#pool);
      ofSegment.set(band, list);
    }
    return list;
  }
}
