// How many records of two samples have a token: how often one of them repeats it says nothing of the others.

import type { WordCounts } from '../../../model/analyses.ts';
import { tokens } from '../../../text/tokenizer.ts';
import { grown } from '../../packing/bytes.ts';
import type { Deadline } from '../matching/deadline.ts';
import { readAll } from '../paging/sample.ts';
import type { MatchPlace } from '../paging/time-walk.ts';

/**
 * Counts the words of two samples. `ofPlaces` null: there is no second one. `least`: see WordsRequest. Throws
 * `query_timeout`.
 */
export function wordCountsOf(
  places: readonly MatchPlace[],
  ofPlaces: readonly MatchPlace[] | null,
  least: number,
  deadline: Deadline,
): WordCounts {
  const counter = new TokenCounter();
  let record = 0;
  const count = (all: readonly MatchPlace[], side: 0 | 1) => {
    readAll(all, ({ segment, doc }) => {
      deadline.step();
      record++;
      for (const text of segment.texts(doc))
        for (const token of tokens(text)) counter.add(token, side, record);
    });
    return { records: all.length, tokens: counter.totals[side] };
  };
  const sample = count(places, 0);
  const ofSample = ofPlaces && count(ofPlaces, 1);
  const words = counter
    .counted(least)
    .map(({ token, counts }) => ({ word: token, count: counts[0], of: counts[1] }));
  words.sort((a, b) => (a.word < b.word ? -1 : 1));
  return { sample, ...(ofSample && { ofSample }), words };
}

interface CountedToken {
  readonly token: string;
  readonly counts: readonly [number, number];
}

const FIRST_CAPACITY = 1 << 12;

/**
 * Counts the tokens of two samples, each once a record, with open addressing: a Map would look up twice, and is ten
 * times slower with sliced texts.
 */
export class TokenCounter {
  readonly totals: [number, number] = [0, 0];
  readonly #tokens: string[] = [];
  /** By number of the token. */
  #hashes = new Int32Array(FIRST_CAPACITY);
  /** By number of the token: its counts in the first and the second sample. */
  #counts = new Uint32Array(2 * FIRST_CAPACITY);
  /** By number of the token: the last record with it. */
  #records = new Uint32Array(FIRST_CAPACITY);
  /** 0: free; otherwise the number of a token + 1. The size is a power of two, and at least half are free. */
  #slots = new Uint32Array(2 * FIRST_CAPACITY);

  /** `record`: its number, from 1; one record after the other, whatever their sides. */
  add(token: string, side: 0 | 1, record: number): void {
    const hash = hashOf(token);
    let slot = this.#slotOf(token, hash);
    if (this.#slots[slot] === 0) {
      if (this.#tokens.length === this.#hashes.length) {
        this.#grow();
        slot = this.#slotOf(token, hash);
      }
      this.#hashes[this.#tokens.length] = hash;
      this.#slots[slot] = this.#tokens.push(token);
    }
    const number = this.#slots[slot]! - 1;
    if (this.#records[number] === record) return;
    this.#records[number] = record;
    this.#counts[2 * number + side]!++;
    this.totals[side]++;
  }

  /** The tokens that at least `least` records of both samples together have, in no order. */
  counted(least: number): CountedToken[] {
    return this.#tokens.flatMap((token, i) => {
      const [one, other] = [this.#counts[2 * i]!, this.#counts[2 * i + 1]!];
      return one + other < least ? [] : [{ token, counts: [one, other] as const }];
    });
  }

  /** The slot of the token, or the free one for it. */
  #slotOf(token: string, hash: number): number {
    const mask = this.#slots.length - 1;
    for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
      const number = this.#slots[slot]! - 1;
      if (number < 0 || (this.#hashes[number] === hash && this.#tokens[number] === token)) return slot;
    }
  }

  #grow(): void {
    this.#hashes = grown(this.#hashes);
    this.#counts = grown(this.#counts);
    this.#records = grown(this.#records);
    this.#slots = new Uint32Array(2 * this.#hashes.length);
    for (const [number, token] of this.#tokens.entries()) {
      this.#slots[this.#slotOf(token, this.#hashes[number]!)] = number + 1;
    }
  }
}

/**
 * FNV-1a over UTF-16 units (http://www.isthe.com/chongo/tech/comp/fnv/), then mixed, since the slot is its low bits.
 */
function hashOf(token: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < token.length; i++) hash = Math.imul(hash ^ token.charCodeAt(i), 0x01000193);
  return hash ^ (hash >>> 15);
}
