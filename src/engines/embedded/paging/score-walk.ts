// A walk over all matches in the order of `top`, in memory that does not grow with them: slice by slice of scores, each
// between two bands; inside one, a few scores at a time are sorted, and a single score that many have is walked by
// time.

import { rankingScore, type TopPosition } from '../../../model/pages.ts';
import { BAND } from '../format/keys.ts';
import { type Band, SLICES, type Slice } from '../format/score-bands.ts';
import type { PostingList } from '../index/posting-list.ts';
import type { Segment } from '../index/segment.ts';
import type { Deadline } from '../matching/deadline.ts';
import { type Matching, totalOf } from '../matching/matching.ts';
import { CHUNK_WORDS, type Chunk, EMPTY, forEach, WordPool } from '../sets/chunk.ts';
import { intersect, subtract } from '../sets/chunk-operations.ts';
import { TimeWalk, type WalkedMatches } from './time-walk.ts';
import { rankKey, type SelectedDoc, TopSelection } from './top-selection.ts';

/** So many matches are sorted together: some 10 MB. */
const MAX_SORTED = 65_536;

type RankedDoc = Pick<SelectedDoc, 'segment' | 'doc'>;

/** Scores as they rank, both ends included. */
interface ScoreRange {
  readonly min: number;
  readonly max: number;
  readonly count: number;
}

/** Every match behind `after`. */
export function* walkByScore(
  matching: Matching,
  after: TopPosition | null,
  deadline: Deadline,
  maxSorted = MAX_SORTED,
): Generator<RankedDoc> {
  const end = after === null ? Infinity : rankKey(after.score, after.second);
  const total = totalOf(matching);
  if (total === 0) return;
  if (total <= maxSorted) {
    yield* sorted(matching.segments, total, end);
    return;
  }
  const tools = { lists: new BandLists(matching.pool), scratch: new WordPool(), deadline };
  for (const slice of SLICES) {
    if (rankKey(slice.min, 0) >= end) continue;
    const inside = matching.segments.map((matches) => new SliceMatches(matches, slice, tools));
    for (const range of scoreRanges(inside, slice, end, maxSorted)) {
      const ofRange = inside.map((matches) => new RangeMatches(matches, range));
      if (range.count <= maxSorted) yield* sorted(ofRange, range.count, end);
      else yield* byTime(ofRange, after !== null && isOfRange(after, range) ? after.second - 1 : null);
    }
  }
}

function isOfRange({ score }: TopPosition, { max }: ScoreRange): boolean {
  return rankingScore(score) === max;
}

/** Matches with keys below `end`, of which there are at most `count`. */
function sorted(segments: readonly WalkedMatches[], count: number, end: number): readonly SelectedDoc[] {
  const selection = new TopSelection(
    segments.map(({ segment }) => segment),
    count,
    end,
  );
  const scratch = new WordPool();
  for (const [i, matches] of segments.entries()) {
    for (let chunk = matches.firstChunk; chunk <= matches.lastChunk; chunk++) {
      selection.addAll(i, chunk, matches.chunk(chunk), scratch);
      scratch.releaseAll();
    }
  }
  return selection.best();
}

/** All of one score: the newest first. */
function* byTime(segments: readonly WalkedMatches[], from: number | null): Generator<RankedDoc> {
  const walk = new TimeWalk(segments, 'newest', from);
  while (walk.next()) yield { segment: walk.matches.segment, doc: walk.doc };
}

/** From the highest down: ranges with at most `maxSorted` matches, or single scores. */
function scoreRanges(
  inside: readonly WalkedMatches[],
  slice: Slice,
  end: number,
  maxSorted: number,
): readonly ScoreRange[] {
  const [min, max] = [rankingScore(slice.min), rankingScore(slice.max)];
  const counts = new Uint32Array(max - min + 1);
  for (const matches of inside) {
    const { segment } = matches;
    for (let chunk = matches.firstChunk; chunk <= matches.lastChunk; chunk++) {
      const docs = matches.chunk(chunk);
      const score = segment.score.chunk(chunk);
      const created = segment.created.chunk(chunk);
      forEach(docs, (doc) => {
        const ranking = rankingScore(score[doc]!);
        if (rankKey(ranking, created[doc]!) < end) counts[ranking - min]!++;
      });
    }
  }
  const ranges: ScoreRange[] = [];
  let open: ScoreRange | null = null;
  for (let score = max; score >= min; score--) {
    const count = counts[score - min]!;
    if (count === 0) continue;
    if (open !== null && open.count + count <= maxSorted) {
      open = { min: score, max: open.max, count: open.count + count };
      continue;
    }
    if (open !== null) ranges.push(open);
    open = { min: score, max: score, count };
  }
  return open === null ? ranges : [...ranges, open];
}

interface SliceTools {
  readonly lists: BandLists;
  readonly scratch: WordPool;
  readonly deadline: Deadline;
}

/** Sets are valid until the next one is made. */
class SliceMatches implements WalkedMatches {
  readonly segment: Segment;
  readonly firstChunk: number;
  readonly lastChunk: number;
  readonly #matches: WalkedMatches;
  readonly #slice: Slice;
  readonly #tools: SliceTools;

  constructor(matches: WalkedMatches, slice: Slice, tools: SliceTools) {
    this.segment = matches.segment;
    this.firstChunk = matches.firstChunk;
    this.lastChunk = matches.lastChunk;
    this.#matches = matches;
    this.#slice = slice;
    this.#tools = tools;
  }

  chunk(chunk: number): Chunk {
    const { lists, scratch, deadline } = this.#tools;
    deadline.check();
    scratch.releaseAll();
    return inSlice(this.#matches, chunk, this.#slice, lists, scratch);
  }
}

/** Those of a slice with these scores; keeps the set of one chunk, for walks that ask for it again and again. */
class RangeMatches implements WalkedMatches {
  readonly segment: Segment;
  readonly firstChunk: number;
  readonly lastChunk: number;
  readonly #inside: WalkedMatches;
  readonly #range: ScoreRange;
  #words: Uint32Array | null = null;
  #at = -1;
  #count = 0;

  constructor(inside: WalkedMatches, range: ScoreRange) {
    this.segment = inside.segment;
    this.firstChunk = inside.firstChunk;
    this.lastChunk = inside.lastChunk;
    this.#inside = inside;
    this.#range = range;
  }

  chunk(chunk: number): Chunk {
    this.#words ??= new Uint32Array(CHUNK_WORDS);
    if (this.#at !== chunk) this.#fill(this.#words, chunk);
    return { kind: 'bits', words: this.#words, count: this.#count };
  }

  #fill(words: Uint32Array, chunk: number): void {
    const { min, max } = this.#range;
    const inside = this.#inside.chunk(chunk);
    const score = this.segment.score.chunk(chunk);
    words.fill(0);
    let count = 0;
    forEach(inside, (doc) => {
      const ranking = rankingScore(score[doc]!);
      if (ranking < min || ranking > max) return;
      words[doc >>> 5]! |= 1 << (doc & 31);
      count++;
    });
    this.#at = chunk;
    this.#count = count;
  }
}

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
