// How many records of two samples have a token: how often one of them repeats it says nothing of the others.

import { Buffer } from 'node:buffer';
import type { WordCounts } from '../../../model/analyses.ts';
import { tokens } from '../../../text/tokenizer.ts';
import { grown } from '../../packing/bytes.ts';
import { ByteTable } from '../format/byte-table.ts';
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
  const words = counter.counted(least);
  words.sort((a, b) => (a.word < b.word ? -1 : 1));
  return { sample, ...(ofSample && { ofSample }), words };
}

const FIRST_CAPACITY = 1 << 12;

/** Counts the tokens of two samples, each once a record. A Map is ten times slower with sliced texts. */
export class TokenCounter {
  readonly totals: [number, number] = [0, 0];
  readonly #tokens = new ByteTable();
  /** The token that is counted, as UTF-8. */
  #bytes = Buffer.allocUnsafeSlow(1 << 10);
  /** By number of the token: its counts in the first and the second sample. */
  #counts = new Uint32Array(2 * FIRST_CAPACITY);
  /** By number of the token: the last record with it. */
  #records = new Uint32Array(FIRST_CAPACITY);

  /** `record`: its number, from 1; one record after the other, whatever their sides. */
  add(token: string, side: 0 | 1, record: number): void {
    const length = this.#write(token);
    const number = this.#tokens.number(this.#bytes, 0, length);
    if (number === this.#records.length) {
      this.#counts = grown(this.#counts);
      this.#records = grown(this.#records);
    }
    if (this.#records[number] === record) return;
    this.#records[number] = record;
    this.#counts[2 * number + side]!++;
    this.totals[side]++;
  }

  /** The tokens that at least `least` records of both samples together have, in no order. */
  counted(least: number) {
    const { bytes, starts, size } = this.#tokens;
    return Array.from({ length: size }, (_, i) => i).flatMap((i) => {
      const [count, of] = [this.#counts[2 * i]!, this.#counts[2 * i + 1]!];
      if (count + of < least) return [];
      return { word: Buffer.from(bytes.subarray(starts[i], starts[i + 1])).toString(), count, of };
    });
  }

  /** Returns the number of bytes. */
  #write(token: string): number {
    if (this.#bytes.length < token.length * 3) this.#bytes = Buffer.allocUnsafeSlow(token.length * 6);
    // A loop takes less time for a few letters than a native call.
    for (let i = 0; i < token.length; i++) {
      const unit = token.charCodeAt(i);
      if (unit >= 0x80) return this.#bytes.write(token);
      this.#bytes[i] = unit;
    }
    return token.length;
  }
}
