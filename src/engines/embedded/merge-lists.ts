// The posting lists of several segments brought together, key by key, under new docIds.

import { GrowingNumbers } from './growing-numbers.ts';
import { type PostingEntry, readEntry } from './posting-codec.ts';
import type { Segment } from './segment.ts';

/** In a map of docIds: the record was left behind. */
export const LEFT_BEHIND = 0xffffffff;

/** A key and its entry in each of the segments that have it. */
export interface KeyEntries {
  readonly key: string;
  readonly entries: readonly { readonly source: number; readonly entry: PostingEntry }[];
}

/** Every key of the dictionaries in order, with its entry in each that has it. */
export function* mergedKeys(segments: readonly Segment[]): Generator<KeyEntries> {
  const walks = segments.map((segment, source) => {
    const walk = segment.dictionary.walk('');
    const read = () => {
      const { value } = walk.next();
      return value ? { source, key: value.key, entry: readEntry(value.reader), read } : null;
    };
    return read();
  });
  for (;;) {
    let key: string | null = null;
    for (const walk of walks) if (walk !== null && (key === null || walk.key < key)) key = walk.key;
    if (key === null) return;
    const entries: { source: number; entry: PostingEntry }[] = [];
    for (const [i, walk] of walks.entries()) {
      if (walk === null || walk.key !== key) continue;
      entries.push({ source: walk.source, entry: walk.entry });
      walks[i] = walk.read();
    }
    yield { key, entries };
  }
}

/** Above this share of the docs, a list is put in order by setting bits instead of sorting. */
const DENSE_SHARE = 1 / 64;

/** Brings the lists of several sources together under new docIds. */
export class Gatherer {
  readonly #docs: number;
  readonly #words: Uint32Array;
  readonly #gathered = new GrowingNumbers();
  #isOrdered = true;

  constructor(docs: number) {
    this.#docs = docs;
    this.#words = new Uint32Array(Math.ceil(docs / 32));
  }

  reset(): void {
    this.#gathered.length = 0;
    this.#isOrdered = true;
  }

  add(docs: Uint32Array, map: Uint32Array): void {
    const gathered = this.#gathered;
    let previous = gathered.length === 0 ? -1 : gathered.numbers[gathered.length - 1]!;
    for (const old of docs) {
      const doc = map[old]!;
      if (doc === LEFT_BEHIND) continue;
      if (doc < previous) this.#isOrdered = false;
      previous = doc;
      gathered.push(doc);
    }
  }

  /** Up; valid until the next `reset`. */
  finish(): Uint32Array {
    const docs = this.#gathered.numbers.subarray(0, this.#gathered.length);
    if (this.#isOrdered) return docs;
    if (docs.length < this.#docs * DENSE_SHARE) return docs.sort();
    const words = this.#words.fill(0);
    for (const doc of docs) words[doc >>> 5]! |= 1 << (doc & 31);
    let at = 0;
    for (let i = 0; i < words.length; i++) {
      for (let word = words[i]!; word !== 0; word &= word - 1)
        docs[at++] = (i << 5) + 31 - Math.clz32(word & -word);
    }
    return docs;
  }
}
