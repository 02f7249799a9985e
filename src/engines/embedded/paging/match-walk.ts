// Walks every match in the order asked for, without reading a record, for scans and exports. In the order `top`, memory
// does not grow with the matches: each slice of scores between two bands is sorted a few scores at a time, and a score
// of many matches is walked by time.

import {
  isOfTop,
  type Order,
  type PagePosition,
  rankingScore,
  type TimePosition,
  type TopPosition,
} from '../../../model/pages.ts';
import type { StoredRecord } from '../../../model/record.ts';
import type { NearRows } from '../format/block-cache.ts';
import { SLICES, type Slice } from '../format/keys.ts';
import type { Segment } from '../index/segment.ts';
import type { Deadline } from '../matching/deadline.ts';
import { type Matching, type SegmentMatches, totalOf } from '../matching/matching.ts';
import { CHUNK_DOCS, CHUNK_WORDS, type Chunk, forEach, rank, WordPool } from '../sets/chunk.ts';
import { type Direction, firstSecond, type MatchPlace, TimeWalk, type WalkedMatches } from './time-walk.ts';
import { rankKey, type SelectedDoc, TopSelection } from './top-page.ts';

/** Walks behind `after`, which belongs to the order; null: from the beginning. */
export function* walkMatches(
  matching: Matching,
  order: Order,
  after: PagePosition | null,
  deadline: Deadline,
): Generator<MatchPlace> {
  if (order === 'top')
    yield* walkByScore(matching, after !== null && isOfTop(after) ? after : null, deadline);
  else yield* walkByTime(matching, order, after !== null && !isOfTop(after) ? after : null);
}

function* walkByTime(
  matching: Matching,
  direction: Direction,
  after: TimePosition | null,
): Generator<MatchPlace> {
  const walk = new TimeWalk(matching.segments, direction, firstSecond(direction, after));
  let given = after === null || after.given === 'all' ? 0 : after.given;
  while (walk.next()) {
    if (given > 0 && walk.created === after!.second) given--;
    else yield { segment: walk.matches.segment, doc: walk.doc };
  }
}

/** The number of matches that `walkMatches` gives. */
export function countBehind(
  matching: Matching,
  order: Order,
  after: PagePosition | null,
  deadline: Deadline,
): number {
  if (after === null) return totalOf(matching);
  if (isOfTop(after)) return countBelow(matching, rankKey(after.score, after.second), deadline);
  const { second, given } = after;
  const before = countBefore(matching, second, deadline);
  const inSecond = countBefore(matching, second + 1, deadline) - before;
  const left = given === 'all' ? 0 : Math.max(0, inSecond - given);
  return left + (order === 'newest' ? before : totalOf(matching) - before - inSecond);
}

/** Matches created before this second. */
function countBefore(matching: Matching, second: number, deadline: Deadline): number {
  let count = 0;
  for (const matches of matching.segments) {
    const end = matches.segment.firstAt(second);
    for (let chunk = matches.firstChunk; chunk <= matches.lastChunk && chunk * CHUNK_DOCS < end; chunk++) {
      deadline.check();
      const isWhole = end >= Math.min((chunk + 1) * CHUNK_DOCS, matches.segment.docs);
      count += isWhole ? matches.chunkCount(chunk) : rank(matches.chunk(chunk), end - chunk * CHUNK_DOCS);
    }
  }
  return count;
}

/** Matches with a key of `top` below this one. */
function countBelow(matching: Matching, end: number, deadline: Deadline): number {
  let count = 0;
  for (const matches of matching.segments) {
    const { segment } = matches;
    for (let chunk = matches.firstChunk; chunk <= matches.lastChunk; chunk++) {
      deadline.check();
      const docs = matches.chunk(chunk);
      const score = segment.score.chunk(chunk);
      const created = segment.created.chunk(chunk);
      forEach(docs, (doc) => {
        if (rankKey(score[doc]!, created[doc]!) < end) count++;
      });
    }
  }
  return count;
}

/** UTF-16 units of a batch's texts, without its last record. */
const BATCH_UNITS = 1 << 20;

/** A record with its place. */
export interface WalkedRecord extends MatchPlace {
  readonly id: string;
  readonly record: StoredRecord;
}

/** Reads the records along a walk. */
export class WalkedRecords {
  readonly #rows = new Map<Segment, NearRows>();

  record({ segment, doc }: MatchPlace): StoredRecord {
    let rows = this.#rows.get(segment);
    if (rows === undefined) {
      rows = segment.nearRows();
      this.#rows.set(segment, rows);
    }
    return segment.recordOf(doc, rows.row(doc));
  }
}

/** The next records of a walk: `most` of them, or fewer with long texts; none at the end. */
export function nextRecords(
  walk: Iterator<MatchPlace>,
  walked: WalkedRecords,
  most: number,
  deadline: Deadline,
): WalkedRecord[] {
  const found: WalkedRecord[] = [];
  let units = 0;
  while (found.length < most && units < BATCH_UNITS) {
    deadline.step();
    const { value: place } = walk.next() as IteratorResult<MatchPlace, undefined>;
    if (place === undefined) break;
    const { segment, doc } = place;
    const record = walked.record(place);
    found.push({ segment, doc, id: record.id, record });
    units += unitsOf(record);
  }
  return found;
}

function unitsOf(record: StoredRecord): number {
  if (record.kind === 'comment') return record.body.length;
  return record.title.length + record.selftext.length + (record.url?.length ?? 0);
}

/** Matches that are sorted together: some 10 MB. */
const MAX_SORTED = 65_536;

type RankedDoc = Pick<SelectedDoc, 'segment' | 'doc'>;

/** Ranking scores, both ends included. */
interface ScoreRange {
  readonly min: number;
  readonly max: number;
  readonly count: number;
}

/** Every match behind `after`. */
function* walkByScore(
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
  const scratch = new WordPool();
  for (const slice of SLICES) {
    if (rankKey(slice.min, 0) >= end) continue;
    const inside = matching.segments.map((matches) => new SliceMatches(matches, slice, scratch, deadline));
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

/** Matches with keys below `end`, at most `count`. */
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

/** All matches of one score, newest first. */
function* byTime(segments: readonly WalkedMatches[], from: number | null): Generator<RankedDoc> {
  const walk = new TimeWalk(segments, 'newest', from);
  while (walk.next()) yield { segment: walk.matches.segment, doc: walk.doc };
}

/** Ranges with at most `maxSorted` matches, or single scores, from the highest down. */
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

/** Sets are valid until the next one is made. */
class SliceMatches implements WalkedMatches {
  readonly segment: Segment;
  readonly firstChunk: number;
  readonly lastChunk: number;
  readonly #matches: SegmentMatches;
  readonly #slice: Slice;
  readonly #scratch: WordPool;
  readonly #deadline: Deadline;

  constructor(matches: SegmentMatches, slice: Slice, scratch: WordPool, deadline: Deadline) {
    this.segment = matches.segment;
    this.firstChunk = matches.firstChunk;
    this.lastChunk = matches.lastChunk;
    this.#matches = matches;
    this.#slice = slice;
    this.#scratch = scratch;
    this.#deadline = deadline;
  }

  chunk(chunk: number): Chunk {
    this.#deadline.check();
    this.#scratch.releaseAll();
    return this.#matches.inSlice(chunk, this.#slice, this.#scratch);
  }
}

/** The matches of a slice with these scores. Keeps the set of one chunk, since walks ask for it again and again. */
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
