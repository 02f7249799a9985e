// The best of many records by score and second: keeps a few more than are wanted, and drops the rest now and then.

import { compareIds, SCORE_BOUND } from '../../../model/order.ts';
import { MAX_SEGMENT_DOCS } from '../format/posting-codec.ts';
import type { Segment } from '../index/segment.ts';
import { CHUNK_DOCS, type Chunk, forEach } from '../sets/chunk.ts';

const SECONDS = 2 ** 32;
const SCORE_OFFSET = 2 ** 20;
const MIN_CAPACITY = 1_024;

/** One number that orders by ranking score, then by second; exact below 2^53. */
export function rankKey(score: number, second: number): number {
  const ranking = score > SCORE_BOUND ? SCORE_BOUND : score < -SCORE_BOUND ? -SCORE_BOUND : score;
  return (ranking + SCORE_OFFSET) * SECONDS + second;
}

/** A doc among the best. Docs of one key tie. */
export interface SelectedDoc {
  readonly segment: Segment;
  readonly doc: number;
  readonly key: number;
}

export class TopSelection {
  readonly #segments: readonly Segment[];
  readonly #limit: number;
  readonly #end: number;
  /** Keys below this are on no page: `limit` better ones are known. */
  #floor = -Infinity;
  /** Lower scores have keys below that. */
  #leastScore = -Infinity;
  #keys = new Float64Array(MIN_CAPACITY);
  /** Number of the segment × MAX_SEGMENT_DOCS + docId. */
  #refs = new Float64Array(MIN_CAPACITY);
  #length = 0;
  #hasDropped = false;

  /** Takes keys below `end`; `limit` is at least 1. */
  constructor(segments: readonly Segment[], limit: number, end: number) {
    this.#segments = segments;
    this.#limit = limit;
    this.#end = end;
  }

  /** Members of a chunk. Of most only the score is looked at. */
  addAll(segmentNumber: number, chunk: number, docs: Chunk): void {
    const segment = this.#segments[segmentNumber]!;
    const score = segment.score.chunk(chunk);
    const base = chunk * CHUNK_DOCS;
    if (docs.kind === 'array') {
      const { values } = docs;
      for (let i = 0; i < values.length; i++) {
        const doc = values[i]!;
        if (score[doc]! >= this.#leastScore) this.#add(segment, segmentNumber, base + doc);
      }
    } else {
      forEach(docs, (doc) => {
        if (score[doc]! >= this.#leastScore) this.#add(segment, segmentNumber, base + doc);
      });
    }
  }

  #add(segment: Segment, segmentNumber: number, doc: number): void {
    const key = rankKey(segment.score.at(doc), segment.created.at(doc));
    if (key >= this.#end) return;
    if (key < this.#floor) {
      this.#hasDropped = true;
      return;
    }
    if (this.#length === this.#keys.length) this.#makeRoom();
    this.#keys[this.#length] = key;
    this.#refs[this.#length++] = segmentNumber * MAX_SEGMENT_DOCS + doc;
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
    const { created, docs } = this.#segments[segmentNumber]!;
    const first = created.at(chunk * CHUNK_DOCS);
    const last = created.at(Math.min((chunk + 1) * CHUNK_DOCS, docs) - 1);
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
    const score = Math.floor(this.#floor / SECONDS) - SCORE_OFFSET;
    // Scores beyond the bound rank as equal to it.
    this.#leastScore = score <= -SCORE_BOUND ? -Infinity : score;
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
