// The best of many records, of which few more are kept than are wanted: by score and second, and by rank.

import { compareIds, SCORE_BOUND } from '../../../model/pages.ts';
import { MAX_SEGMENT_DOCS } from '../format/posting-codec.ts';
import type { Segment } from '../index/segment.ts';
import { CHUNK_DOCS, CHUNK_WORDS, type Chunk, isEmpty, type WordPool } from '../sets/chunk.ts';
import { intersect } from '../sets/chunk-operations.ts';

const SECONDS = 2 ** 32;
const SCORE_OFFSET = 2 ** 20;
/** Docs kept before the worst are dropped, by the limit: the sooner that is, the fewer others come in at all. */
const MIN_CAPACITY = 64;
const CAPACITY_FACTOR = 4;
const MAX_CAPACITY = 1_024;
/** Below and above every score. */
const LEAST_SCORE = -(2 ** 31);
const MOST_SCORE = 2 ** 31 - 1;

/** One number that orders by ranking score, then by second; exact below 2^53. */
export function rankKey(score: number, second: number): number {
  const ranking = score > SCORE_BOUND ? SCORE_BOUND : score < -SCORE_BOUND ? -SCORE_BOUND : score;
  return (ranking + SCORE_OFFSET) * SECONDS + second;
}

/** The ranking score of a key. */
function scoreOf(key: number): number {
  return Math.floor(key / SECONDS) - SCORE_OFFSET;
}

/** A doc among the best. Docs of one key tie. */
export interface SelectedDoc {
  readonly segment: Segment;
  readonly doc: number;
  readonly key: number;
}

/** The best by score and second: keeps a few more than are wanted, and drops the rest now and then. */
export class TopSelection {
  readonly #segments: readonly Segment[];
  readonly #limit: number;
  readonly #end: number;
  /** Keys below this are on no page: `limit` better ones are known. */
  #floor = -Infinity;
  /** Lower scores have keys below that; those above the other one have keys from the end up. */
  #leastScore = LEAST_SCORE;
  readonly #mostScore: number;
  /** The score of the end. */
  readonly #endScore: number;
  /** By segment: from this docId on, records of that score have keys from the end up. */
  readonly #endDocs: number[] = [];
  #keys: Float64Array;
  /** Number of the segment × MAX_SEGMENT_DOCS + docId. */
  #refs: Float64Array;
  #length = 0;
  #hasDropped = false;

  /** Takes keys below `end`; `limit` is at least 1. */
  constructor(segments: readonly Segment[], limit: number, end: number) {
    this.#segments = segments;
    this.#limit = limit;
    this.#end = end;
    this.#endScore = scoreOf(end);
    // Scores beyond the bound rank as equal to it.
    this.#mostScore = this.#endScore >= SCORE_BOUND ? MOST_SCORE : this.#endScore;
    const capacity = Math.max(MIN_CAPACITY, Math.min(limit * CAPACITY_FACTOR, MAX_CAPACITY));
    this.#keys = new Float64Array(capacity);
    this.#refs = new Float64Array(capacity);
  }

  /**
   * Members of a chunk, the newest first: where one of a score is not among the best, later ones of it are not either.
   * Of most only the score is looked at. `scratch` lends memory for as long as this takes.
   */
  addAll(segmentNumber: number, chunk: number, docs: Chunk, scratch: WordPool): void {
    const end = this.#endDoc(segmentNumber) - chunk * CHUNK_DOCS;
    if (end >= CHUNK_DOCS) this.#addUpTo(this.#mostScore, segmentNumber, chunk, docs);
    else if (end <= 0) this.#addUpTo(this.#endScore - 1, segmentNumber, chunk, docs);
    else {
      const newer = intersect(docs, { kind: 'run', from: end, to: CHUNK_DOCS }, scratch);
      this.#addUpTo(this.#endScore - 1, segmentNumber, chunk, newer);
      const older = intersect(docs, { kind: 'run', from: 0, to: end }, scratch);
      this.#addUpTo(this.#mostScore, segmentNumber, chunk, older);
    }
  }

  /** See #endDocs. Where many records have the score of the end, most of them are on earlier pages. */
  #endDoc(segmentNumber: number): number {
    if (this.#end === Infinity) return Infinity;
    this.#endDocs[segmentNumber] ??= this.#segments[segmentNumber]!.firstAt(this.#end % SECONDS);
    return this.#endDocs[segmentNumber];
  }

  #addUpTo(most: number, segmentNumber: number, chunk: number, docs: Chunk): void {
    // Of most slices a chunk has none: its scores need not be read.
    if (isEmpty(docs)) return;
    const segment = this.#segments[segmentNumber]!;
    const score = segment.score.chunk(chunk);
    const base = chunk * CHUNK_DOCS;
    let least = this.#leastScore;
    // Hot: loops without calls, but for the few docs that may be among the best.
    if (docs.kind === 'array') {
      const { values } = docs;
      for (let i = values.length - 1; i >= 0; i--) {
        const one = score[values[i]!]!;
        if (one >= least && one <= most) least = this.#add(segment, segmentNumber, base + values[i]!, least);
      }
    } else if (docs.kind === 'run') {
      for (let doc = docs.to - 1; doc >= docs.from; doc--) {
        const one = score[doc]!;
        if (one >= least && one <= most) least = this.#add(segment, segmentNumber, base + doc, least);
      }
    } else {
      for (let i = CHUNK_WORDS - 1; i >= 0; i--) {
        for (let word = docs.words[i]! | 0; word !== 0; ) {
          const bit = 31 - Math.clz32(word);
          word ^= 1 << bit;
          const doc = (i << 5) + bit;
          const one = score[doc]!;
          if (one >= least && one <= most) least = this.#add(segment, segmentNumber, base + doc, least);
        }
      }
    }
  }

  /** Returns the least score that older docs of the chunk must have, which was `least` before. */
  #add(segment: Segment, segmentNumber: number, doc: number, least: number): number {
    const score = segment.score.at(doc);
    const key = rankKey(score, segment.created.at(doc));
    if (key >= this.#end) return least;
    if (key < this.#floor) {
      this.#hasDropped = true;
      return Math.max(least, score + 1);
    }
    if (this.#length === this.#keys.length) this.#makeRoom();
    this.#keys[this.#length] = key;
    this.#refs[this.#length++] = segmentNumber * MAX_SEGMENT_DOCS + doc;
    return Math.max(least, this.#leastScore);
  }

  /** True where enough are known: lower scores need not be looked at. */
  get isFull(): boolean {
    return this.#length >= this.#limit;
  }

  /** True: a match ranks below the best. False: none seen so far; there may be some. */
  get hasDropped(): boolean {
    return this.#hasDropped;
  }

  /** False where no record of these scores in this chunk can be among the best. */
  canTake(
    scores: { readonly min: number; readonly max: number },
    segmentNumber: number,
    chunk: number,
  ): boolean {
    const { created, chunks, data } = this.#segments[segmentNumber]!;
    const first = created.firstOf(chunk);
    // None is later than the first of the next chunk, which is known without reading either.
    const last = chunk + 1 < chunks ? created.firstOf(chunk + 1) : data.footer.lastCreated;
    return rankKey(scores.max, last) >= this.#floor && rankKey(scores.min, first) < this.#end;
  }

  /** The `limit` best in the order of `top`, and whatever ties with the last of them. */
  best(): SelectedDoc[] {
    this.#dropRest();
    const refs = this.#refs;
    const keys = this.#keys;
    const ids = new Map<number, string>();
    const idOf = (ref: number) => {
      const id = ids.get(ref) ?? this.#segmentOf(ref).id(ref % MAX_SEGMENT_DOCS);
      ids.set(ref, id);
      return id;
    };
    const order = Array.from({ length: this.#length }, (_, i) => i).sort((a, b) => {
      if (keys[a] !== keys[b]) return keys[b]! - keys[a]!;
      const [refA, refB] = [refs[a]!, refs[b]!];
      // In one segment docIds are in the order of ids where the second is the same.
      if (this.#segmentOf(refA) === this.#segmentOf(refB)) return refB - refA;
      return compareIds(idOf(refB), idOf(refA));
    });
    return order.map((i) => ({
      segment: this.#segmentOf(refs[i]!),
      doc: refs[i]! % MAX_SEGMENT_DOCS,
      key: keys[i]!,
    }));
  }

  #segmentOf(ref: number): Segment {
    return this.#segments[Math.floor(ref / MAX_SEGMENT_DOCS)]!;
  }

  #makeRoom(): void {
    this.#dropRest();
    if (this.#length * 2 <= this.#keys.length) return;
    const capacity = this.#keys.length * 2;
    const keys = new Float64Array(capacity);
    keys.set(this.#keys);
    this.#keys = keys;
    const refs = new Float64Array(capacity);
    refs.set(this.#refs);
    this.#refs = refs;
  }

  #dropRest(): void {
    if (this.#length <= this.#limit) return;
    const sorted = this.#keys.slice(0, this.#length).sort();
    this.#floor = sorted[this.#length - this.#limit]!;
    const score = scoreOf(this.#floor);
    this.#leastScore = score <= -SCORE_BOUND ? LEAST_SCORE : score;
    let kept = 0;
    for (let i = 0; i < this.#length; i++) {
      if (this.#keys[i]! < this.#floor) continue;
      this.#keys[kept] = this.#keys[i]!;
      this.#refs[kept++] = this.#refs[i]!;
    }
    this.#hasDropped ||= kept < this.#length;
    this.#length = kept;
  }
}

const MIN_RANKS = 16;
const ABOVE_ALL = 2 ** 32;

/**
 * The lowest of many ranks: a heap of those kept so far, the highest on top (Williams, "Algorithm 232: Heapsort",
 * Communications of the ACM 7, 1964).
 */
export class LowestRanks {
  readonly #size: number;
  /** Which of two of one rank comes first, by their numbers. */
  readonly #compare: (a: number, b: number) => number;
  #high = new Uint32Array(MIN_RANKS);
  #low = new Uint32Array(MIN_RANKS);
  #numbers = new Float64Array(MIN_RANKS);
  #length = 0;
  /** Ranks whose first half is greater are not among the lowest. */
  limit: number = ABOVE_ALL;

  /** Keeps `size` of them, 1 or more. */
  constructor(size: number, compare: (a: number, b: number) => number) {
    this.#size = size;
    this.#compare = compare;
  }

  get length(): number {
    return this.#length;
  }

  /** `number`: what has the rank; each once. False: it is not among the lowest. */
  offer(high: number, low: number, number: number): boolean {
    if (this.#length < this.#size) {
      if (this.#length === this.#high.length) this.#grow();
      this.#rise(this.#length++, high, low, number);
    } else {
      if (!this.#isBefore(high, low, number, 0)) return false;
      this.#sink(high, low, number);
    }
    if (this.#length === this.#size) this.limit = this.#high[0]!;
    return true;
  }

  /** Of those kept, in no order. */
  forEach(call: (high: number, low: number, number: number) => void): void {
    for (let i = 0; i < this.#length; i++) call(this.#high[i]!, this.#low[i]!, this.#numbers[i]!);
  }

  /** The numbers kept, by rank. */
  sorted(): number[] {
    const places = Array.from({ length: this.#length }, (_, i) => i);
    places.sort((a, b) =>
      this.#isBefore(this.#high[a]!, this.#low[a]!, this.#numbers[a]!, b) ? -1 : a === b ? 0 : 1,
    );
    return places.map((place) => this.#numbers[place]!);
  }

  /** Whether it comes before what stands at the place. */
  #isBefore(high: number, low: number, number: number, place: number): boolean {
    if (high !== this.#high[place]) return high < this.#high[place]!;
    if (low !== this.#low[place]) return low < this.#low[place]!;
    return number !== this.#numbers[place] && this.#compare(number, this.#numbers[place]!) < 0;
  }

  #rise(from: number, high: number, low: number, number: number): void {
    let place = from;
    while (place > 0) {
      const parent = (place - 1) >>> 1;
      if (this.#isBefore(high, low, number, parent)) break;
      this.#move(parent, place);
      place = parent;
    }
    this.#put(place, high, low, number);
  }

  /** In place of the highest. */
  #sink(high: number, low: number, number: number): void {
    let place = 0;
    for (let child = 1; child < this.#length; child = 2 * place + 1) {
      const other = child + 1;
      if (other < this.#length && this.#isPlaceBefore(child, other)) child = other;
      if (!this.#isBefore(high, low, number, child)) break;
      this.#move(child, place);
      place = child;
    }
    this.#put(place, high, low, number);
  }

  #isPlaceBefore(a: number, b: number): boolean {
    return this.#isBefore(this.#high[a]!, this.#low[a]!, this.#numbers[a]!, b);
  }

  #move(from: number, to: number): void {
    this.#put(to, this.#high[from]!, this.#low[from]!, this.#numbers[from]!);
  }

  #put(place: number, high: number, low: number, number: number): void {
    this.#high[place] = high;
    this.#low[place] = low;
    this.#numbers[place] = number;
  }

  #grow(): void {
    const capacity = Math.min(this.#size, this.#high.length * 2);
    const [high, low, numbers] = [this.#high, this.#low, this.#numbers];
    this.#high = new Uint32Array(capacity);
    this.#low = new Uint32Array(capacity);
    this.#numbers = new Float64Array(capacity);
    this.#high.set(high);
    this.#low.set(low);
    this.#numbers.set(numbers);
  }
}
