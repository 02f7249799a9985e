// The matches whose score lies in a slice between two bands of scores.

import { BAND } from '../format/keys.ts';
import type { Band, Slice } from '../format/score-bands.ts';
import type { PostingList } from '../index/posting-list.ts';
import type { Segment } from '../index/segment.ts';
import { type Chunk, EMPTY, type WordPool } from '../sets/chunk.ts';
import { intersect, subtract } from '../sets/chunk-operations.ts';
import type { WalkedMatches } from './time-walk.ts';

/** The matches of the chunk whose score lies in the slice. */
export function inSlice(
  matches: WalkedMatches,
  chunk: number,
  slice: Slice,
  lists: BandLists,
  scratch: WordPool,
): Chunk {
  const docs = matches.chunk(chunk);
  const inside = lists.of(matches.segment, slice.inside)?.chunk(chunk, scratch) ?? EMPTY;
  const outside = slice.outside === null ? null : lists.of(matches.segment, slice.outside);
  const either = intersect(inside, docs, scratch);
  return outside === null ? either : subtract(either, outside.chunk(chunk, scratch), scratch);
}

/** Opens each list of a band once. */
export class BandLists {
  readonly #lists = new Map<Segment, Map<Band, PostingList | null>>();
  readonly #pool: WordPool;

  constructor(pool: WordPool) {
    this.#pool = pool;
  }

  of(segment: Segment, band: Band): PostingList | null {
    let ofSegment = this.#lists.get(segment);
    if (ofSegment === undefined) {
      ofSegment = new Map();
      this.#lists.set(segment, ofSegment);
    }
    let list = ofSegment.get(band);
    if (list === undefined) {
      list = segment.list(BAND + band.name, this.#pool);
      ofSegment.set(band, list);
    }
    return list;
  }
}
