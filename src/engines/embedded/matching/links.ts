// Whether the tokens of a phrase are neighbours in a doc, as far as the payloads of its lists tell.

import { isLate, nextPlace, OPEN_CODE, TOKEN_PAYLOAD_BYTES } from '../format/neighbours.ts';
import type { PostingList } from '../index/posting-list.ts';
import {
  CHUNK_DOCS,
  type Chunk,
  countOf,
  isEmpty,
  membersOf,
  popcount32,
  type WordPool,
} from '../sets/chunk.ts';

/** What the payloads of a list must tell of a phrase: see format/neighbours.ts. */
export interface Link {
  readonly list: PostingList;
  /** The number, in the phrase, of its token, or of the first one of its pair. */
  readonly at: number;
  readonly isPair: boolean;
  /** Codes of the tokens before and behind that of the list; 0: it is not asked for. */
  readonly before: number;
  readonly behind: number;
}

/** What payloads or bytes say of the phrase; OPEN: it must be looked at more closely. */
export const ABSENT = 0;
export const FOUND = 1;
export const OPEN = 2;

/** The docs of the list but for those of which it says itself that they do not contain the phrase. */
export function narrowed(list: PostingList, links: readonly Link[]): PostingList {
  const own = links.filter((link) => link.list === list && !link.isPair);
  if (own.length === 0) return list;
  return {
    count: list.count,
    isExact: false,
    cost: list.cost,
    chunk: (chunk, pool) => {
      const docs = list.chunk(chunk, pool);
      if (isEmpty(docs)) return docs;
      const values = pool.numbers(countOf(docs));
      membersOf(docs, values, pool.kernels);
      const told = followLinks({ links: own, isLinked: false }, values, chunk, pool);
      let kept = 0;
      for (let i = 0; i < values.length; i++) if (told[i] !== ABSENT) values[kept++] = values[i]!;
      return { kind: 'array', values: values.subarray(0, kept) };
    },
    readAhead: () => list.readAhead?.(),
  };
}

/** Of the docs of a chunk. Questions of a thread are answered one after the other. */
const states = new Uint8Array(CHUNK_DOCS);
/** By doc: the code of the place that a token of the phrase must have; 0: it is not known yet. */
const places = new Uint8Array(CHUNK_DOCS);
/** By code of a place. */
const NEXT_PLACES = Uint8Array.from({ length: OPEN_CODE }, (_, code) => (code === 0 ? 0 : nextPlace(code)));

/**
 * ABSENT, FOUND or OPEN by doc of all lists. `links`: in the order of the phrase. `isLinked`: they tell of all
 * neighbours, so a doc of which they leave nothing open contains the phrase.
 */
export function followLinks(
  { links, isLinked }: { readonly links: readonly Link[]; readonly isLinked: boolean },
  docs: Uint16Array,
  chunk: number,
  pool: WordPool,
): Uint8Array {
  states.fill(isLinked ? FOUND : OPEN, 0, docs.length);
  places.fill(0, 0, docs.length);
  let reached = 0;
  for (const { list, at, isPair, before, behind } of links) {
    for (; reached < at; reached++)
      for (let i = 0; i < docs.length; i++) places[i] = NEXT_PLACES[places[i]!]!;
    const ranks = new Ranks(list.chunk(chunk, pool));
    const width = isPair ? 1 : TOKEN_PAYLOAD_BYTES;
    const payloads = list.payloads!(chunk, width);
    for (let i = 0; i < docs.length; i++) {
      if (states[i] === ABSENT) continue;
      const from = ranks.of(docs[i]!) * width;
      const place = payloads[from + width - 1]!;
      if (place >= OPEN_CODE) {
        states[i] = OPEN;
        continue;
      }
      const heldBefore = payloads[from]!;
      const heldBehind = payloads[from + 1]!;
      if (isOther(places[i]!, place) || isOther(before, heldBefore) || isOther(behind, heldBehind)) {
        states[i] = ABSENT;
        continue;
      }
      if (before !== 0 && heldBefore >= OPEN_CODE) states[i] = OPEN;
      if (behind !== 0 && heldBehind >= OPEN_CODE) states[i] = OPEN;
      // The same code stands for several late places.
      if (isLate(place) && links.length > 1) states[i] = OPEN;
      places[i] = place;
    }
  }
  return states;
}

/** Whether a code is certainly another one than is wanted; 0: none is. */
function isOther(wanted: number, code: number): boolean {
  return wanted !== 0 && code < OPEN_CODE && code !== wanted;
}

/** How many members of a set are before one of them. They are asked for in order. */
class Ranks {
  readonly #docs: Chunk;
  #rank = 0;
  #word = 0;

  constructor(docs: Chunk) {
    this.#docs = docs;
  }

  of(doc: number): number {
    const docs = this.#docs;
    if (docs.kind === 'run') return doc - docs.from;
    if (docs.kind === 'array') {
      while (docs.values[this.#rank]! < doc) this.#rank++;
      return this.#rank;
    }
    const word = doc >>> 5;
    for (; this.#word < word; this.#word++) this.#rank += popcount32(docs.words[this.#word]!);
    return this.#rank + popcount32(docs.words[word]! & ((1 << (doc & 31)) - 1));
  }
}
