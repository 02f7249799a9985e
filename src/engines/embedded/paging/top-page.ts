// A page of `top`: score descending, then newest first. Bands of scores are walked from the highest, so that only
// records with scores of the page are looked at, and few more are kept than wanted.

import {
  compareIds,
  PageBudget,
  rankingScore,
  SCORE_BOUND,
  type TopPageRequest,
} from '../../../model/pages.ts';
import type { StoredRecord } from '../../../model/record.ts';
import { grown } from '../../packing/bytes.ts';
import { SLICES, type Slice } from '../format/keys.ts';
import { MAX_SEGMENT_DOCS } from '../format/posting-codec.ts';
import type { Segment } from '../index/segment.ts';
import type { Deadline } from '../matching/deadline.ts';
import { type Matching, type SegmentMatches, totalOf } from '../matching/matching.ts';
import { RowsAhead } from '../matching/plan.ts';
import { CHUNK_DOCS, type Chunk, intersect, isEmpty, valuesOf, type WordPool } from '../sets/chunk.ts';
import { NOWHERE, type PlacedPage } from './time-walk.ts';

const SECONDS = 2 ** 32;
const SCORE_OFFSET = 2 ** 20;
/** Docs kept before the worst are dropped, relative to the limit: dropping early keeps others out. */
const MIN_CAPACITY = 64;
const CAPACITY_FACTOR = 4;
const MAX_CAPACITY = 1_024;
/** Below and above every score. */
const LEAST_SCORE = -(2 ** 31);
const MOST_SCORE = 2 ** 31 - 1;

/** A number that orders by ranking score, then by second; exact below 2^53. */
export function rankKey(score: number, second: number): number {
  const ranking = score > SCORE_BOUND ? SCORE_BOUND : score < -SCORE_BOUND ? -SCORE_BOUND : score;
  return (ranking + SCORE_OFFSET) * SECONDS + second;
}

/** The ranking score of a key. */
function scoreOf(key: number): number {
  return Math.floor(key / SECONDS) - SCORE_OFFSET;
}

/** A doc among the best. Docs with one key tie. */
export interface SelectedDoc {
  readonly segment: Segment;
  readonly doc: number;
  readonly key: number;
}

/** The `limit` greatest of many keys, and whatever ties with the last: some more are kept, and dropped now and then. */
export class GreatestKeys {
  readonly #limit: number;
  #keys: Float64Array;
  #refs: Float64Array;
  #length = 0;
  /** Keys below this are not among the greatest. */
  floor = -Infinity;
  /** True: a key was dropped. */
  hasDropped = false;

  /** `limit` is at least 1. */
  constructor(limit: number) {
    this.#limit = limit;
    const capacity = Math.max(MIN_CAPACITY, Math.min(limit * CAPACITY_FACTOR, MAX_CAPACITY));
    this.#keys = new Float64Array(capacity);
    this.#refs = new Float64Array(capacity);
  }

  /** How many are kept, up to the limit. */
  get length(): number {
    return Math.min(this.#length, this.#limit);
  }

  /** A key that is not below the floor, and what has it; each once. */
  add(key: number, ref: number): void {
    if (this.#length === this.#keys.length) this.#makeRoom();
    this.#keys[this.#length] = key;
    this.#refs[this.#length++] = ref;
  }

  /** From the greatest on; `compare` orders what has the same key. */
  sorted(compare: (a: number, b: number) => number): { readonly key: number; readonly ref: number }[] {
    this.#dropRest();
    const kept = Array.from(this.#keys.subarray(0, this.#length), (key, i) => ({ key, ref: this.#refs[i]! }));
    return kept.sort((a, b) => b.key - a.key || compare(a.ref, b.ref));
  }

  #makeRoom(): void {
    this.#dropRest();
    if (this.#length * 2 <= this.#keys.length) return;
    this.#keys = grown(this.#keys);
    this.#refs = grown(this.#refs);
  }

  #dropRest(): void {
    if (this.#length <= this.#limit) return;
    const sorted = this.#keys.slice(0, this.#length).sort();
    this.floor = sorted[this.#length - this.#limit]!;
    let kept = 0;
    for (let i = 0; i < this.#length; i++) {
      if (this.#keys[i]! < this.floor) continue;
      this.#keys[kept] = this.#keys[i]!;
      this.#refs[kept++] = this.#refs[i]!;
    }
    this.hasDropped ||= kept < this.#length;
    this.#length = kept;
  }
}

/** Of the docs of a chunk; shared, since calls are synchronous. */
const scoresRead = new Int32Array(CHUNK_DOCS);

/** The best by score and second. */
export class TopSelection {
  readonly #matches: readonly SegmentMatches[];
  readonly #limit: number;
  readonly #end: number;
  /** By number of the segment × MAX_SEGMENT_DOCS + docId. */
  readonly #best: GreatestKeys;
  /** Lower scores have keys below that; those above the other one have keys from the end up. */
  #leastScore = LEAST_SCORE;
  readonly #mostScore: number;
  /** The score of the end. */
  readonly #endScore: number;
  /** By segment: from this docId on, records with the score of the end have keys above it. */
  readonly #endDocs: number[] = [];

  /** Takes keys below `end`; `limit` is at least 1. */
  constructor({ segments }: Matching, limit: number, end: number) {
    this.#matches = segments;
    this.#limit = limit;
    this.#end = end;
    this.#best = new GreatestKeys(limit);
    this.#endScore = scoreOf(end);
    // Scores beyond the bound rank as equal to it.
    this.#mostScore = this.#endScore >= SCORE_BOUND ? MOST_SCORE : this.#endScore;
  }

  /** Adds the matches in a slice of scores; null: all of them. `scratch` is used and given back. */
  addMatches(slice: Slice | null, scratch: WordPool, deadline?: Deadline): void {
    for (const [i, matches] of this.#matches.entries()) {
      for (let chunk = matches.lastChunk; chunk >= matches.firstChunk; chunk--) {
        deadline?.check();
        // uncovered: saves time alone, with more than 65,536 docs in a segment
        if (slice !== null && !this.#canTake(slice, i, chunk)) continue;
        const docs = slice === null ? matches.chunk(chunk) : matches.inSlice(chunk, slice, scratch);
        this.#addAll(i, chunk, docs, scratch);
        scratch.releaseAll();
      }
    }
  }

  /**
   * Adds members of a chunk, newest first: after one that is not among the best, later ones with its score are not
   * either. For most, only the score is read. `scratch` lends memory meanwhile.
   */
  #addAll(segmentNumber: number, chunk: number, docs: Chunk, scratch: WordPool): void {
    const end = this.#endDoc(segmentNumber) - chunk * CHUNK_DOCS;
    if (end >= CHUNK_DOCS) this.#addUpTo(this.#mostScore, segmentNumber, chunk, docs, scratch);
    else if (end <= 0) this.#addUpTo(this.#endScore - 1, segmentNumber, chunk, docs, scratch);
    else {
      const newer = intersect(docs, { kind: 'run', from: end, to: CHUNK_DOCS }, scratch);
      this.#addUpTo(this.#endScore - 1, segmentNumber, chunk, newer, scratch);
      const older = intersect(docs, { kind: 'run', from: 0, to: end }, scratch);
      this.#addUpTo(this.#mostScore, segmentNumber, chunk, older, scratch);
    }
  }

  /** See #endDocs. If many records have the score of the end, most of them are on earlier pages. */
  #endDoc(segmentNumber: number): number {
    if (this.#end === Infinity) return Infinity;
    this.#endDocs[segmentNumber] ??= this.#matches[segmentNumber]!.segment.firstAt(this.#end % SECONDS);
    return this.#endDocs[segmentNumber];
  }

  #addUpTo(most: number, segmentNumber: number, chunk: number, docs: Chunk, scratch: WordPool): void {
    // In most slices a chunk has no member, and its scores need not be read.
    if (isEmpty(docs)) return;
    const { segment } = this.#matches[segmentNumber]!;
    const score = segment.score.chunk(chunk);
    const base = chunk * CHUNK_DOCS;
    let least = this.#leastScore;
    const values = valuesOf(docs, scratch);
    // Apart, so that the processor has many cache misses under way at once.
    for (let i = 0; i < values.length; i++) scoresRead[i] = score[values[i]!]!;
    // Hot: no calls, except for the few docs that may be among the best.
    for (let i = values.length - 1; i >= 0; i--) {
      const one = scoresRead[i]!;
      if (one >= least && one <= most) least = this.#add(segment, segmentNumber, base + values[i]!, least);
    }
  }

  /** Returns the least score for older docs of the chunk, which was `least`. */
  #add(segment: Segment, segmentNumber: number, doc: number, least: number): number {
    const best = this.#best;
    const score = segment.score.at(doc);
    const key = rankKey(score, segment.created.at(doc));
    if (key >= this.#end) return least;
    const { floor } = best;
    if (key < floor) {
      best.hasDropped = true;
      return Math.max(least, score + 1);
    }
    best.add(key, segmentNumber * MAX_SEGMENT_DOCS + doc);
    if (best.floor !== floor) {
      const worst = scoreOf(best.floor);
      this.#leastScore = worst <= -SCORE_BOUND ? LEAST_SCORE : worst;
    }
    return Math.max(least, this.#leastScore);
  }

  /** True if enough are known: lower scores need not be looked at. */
  get isFull(): boolean {
    return this.#best.length >= this.#limit;
  }

  /** True: a match ranks below the best. False: perhaps none does. */
  get hasDropped(): boolean {
    return this.#best.hasDropped;
  }

  /** False if no record of these scores in this chunk can be among the best. */
  #canTake(scores: Slice, segmentNumber: number, chunk: number): boolean {
    const { created, chunks, data } = this.#matches[segmentNumber]!.segment;
    const first = created.firstOf(chunk);
    // The first second of the next chunk bounds this one without reading it.
    const last = chunk + 1 < chunks ? created.firstOf(chunk + 1) : data.footer.lastCreated;
    return rankKey(scores.max, last) >= this.#best.floor && rankKey(scores.min, first) < this.#end;
  }

  /** The `limit` best in the order `top`, and all that tie with the last. */
  best(): SelectedDoc[] {
    const ids = new Map<number, string>();
    const read = (ref: number) => this.#segmentOf(ref).id(ref % MAX_SEGMENT_DOCS);
    const idOf = (ref: number) => ids.getOrInsertComputed(ref, read);
    const sorted = this.#best.sorted((a, b) => {
      // In one segment docIds are in the order of ids where the second is the same.
      return this.#segmentOf(a) === this.#segmentOf(b) ? b - a : compareIds(idOf(b), idOf(a));
    });
    return sorted.map(({ key, ref }) => ({
      ...{ segment: this.#segmentOf(ref), doc: ref % MAX_SEGMENT_DOCS, key },
    }));
  }

  #segmentOf(ref: number): Segment {
    return this.#matches[Math.floor(ref / MAX_SEGMENT_DOCS)]!.segment;
  }
}

/** Up to this many matches, looking at all is cheaper than walking the bands. */
const MAX_UNBANDED = 16_384;

/** `scratch` is used and given back. */
export function topPage(
  matching: Matching,
  { after, limit, maxBytes }: TopPageRequest,
  scratch: WordPool,
): PlacedPage {
  const end = after === null ? Infinity : rankKey(after.score, after.second);
  const selection = select(matching, limit, end, scratch);
  const docs = selection.best();
  const records = withinBudget(docs, maxBytes);
  const last = records.at(-1);
  if (last === undefined) return NOWHERE;
  const isShort = records.length < docs.length;
  const next = { score: rankingScore(last.score), second: last.created };
  const hasMore =
    isShort || (selection.isFull && hasMatchBelow(matching, selection, docs, after === null, scratch));
  return { page: { records, next, hasMore, isShort }, places: docs.slice(0, records.length) };
}

/** The records of the first whole ties that fit; the first tie always does. */
function withinBudget(docs: readonly SelectedDoc[], maxBytes: number | undefined): StoredRecord[] {
  const budget = new PageBudget(maxBytes);
  const records: StoredRecord[] = [];
  const ahead = new RowsAhead();
  /** Records of ties that fit as a whole. */
  let whole = 0;
  for (const [i, { segment, doc, key }] of docs.entries()) {
    if (key !== docs[i - 1]?.key) whole = i;
    ahead.look(() => docs.slice(i));
    const record = segment.record(doc);
    if (!budget.fits(record) && whole > 0) return records.slice(0, whole);
    records.push(record);
  }
  return records;
}

/** Whether any match ranks below a full selection. */
function hasMatchBelow(
  matching: Matching,
  selection: TopSelection,
  docs: readonly SelectedDoc[],
  isFirst: boolean,
  scratch: WordPool,
): boolean {
  if (selection.hasDropped) return true;
  if (isFirst) return totalOf(matching) > docs.length;
  return select(matching, 1, docs.at(-1)!.key, scratch).isFull;
}

/** The `limit` best matches with keys below `end`, and all that tie with the last. */
function select(matching: Matching, limit: number, end: number, scratch: WordPool): TopSelection {
  const selection = new TopSelection(matching, limit, end);
  if (totalOf(matching) <= MAX_UNBANDED) selection.addMatches(null, scratch);
  else {
    for (const slice of SLICES) {
      if (rankKey(slice.min, 0) >= end) continue;
      selection.addMatches(slice, scratch);
      if (selection.isFull) break;
    }
  }
  return selection;
}
