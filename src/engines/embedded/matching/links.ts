// Whether the tokens of a phrase are neighbours in a doc, as far as the payloads of its lists tell.

import { isLate, nextPlace, OPEN_CODE } from '../format/neighbours.ts';
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

/** Payloads that tell whether two tokens are neighbours: see format/neighbours.ts. */
export interface Link {
  readonly list: PostingList;
  /** The number of the first of the two in the phrase. */
  readonly at: number;
  /** A pair, or a token and which of its neighbours `code` is of. */
  readonly kind: 'pair' | 'before' | 'behind';
  readonly code: number;
}

/** What payloads or bytes say of the phrase; OPEN: it must be looked at more closely. */
export const ABSENT = 0;
export const FOUND = 1;
export const OPEN = 2;

/** The docs of the list but for those of which it says itself that they do not contain the phrase. */
export function narrowed(list: PostingList, links: readonly Link[]): PostingList {
  const own = links.filter((link) => link.list === list && link.kind !== 'pair');
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
    // uncovered: asked of a query with one list alone
    chunkCount: () => -1,
    readAhead: () => list.readAhead?.(),
  };
}

/** Of the docs of a chunk. Questions of a thread are answered one after the other. */
const states = new Uint8Array(CHUNK_DOCS);
/** The place of the pair before; 0: it is not known. */
const places = new Uint8Array(CHUNK_DOCS);

/** `isLinked`: a doc of which the links leave nothing open contains the phrase. */
interface Followed {
  readonly links: readonly Link[];
  readonly isLinked: boolean;
}

/** ABSENT, FOUND or OPEN by doc, as far as payloads tell. `docs` are in all lists of the links. */
export function followLinks(
  { links, isLinked }: Followed,
  docs: Uint16Array,
  chunk: number,
  pool: WordPool,
): Uint8Array {
  states.fill(isLinked ? FOUND : OPEN, 0, docs.length);
  for (const [number, { list, at, kind, code }] of links.entries()) {
    if (links[number - 1]?.at !== at - 1) places.fill(0, 0, docs.length);
    const ranks = new Ranks(list.chunk(chunk, pool));
    const isPair = kind === 'pair';
    const payloads = list.payloads!(chunk, isPair ? 1 : 2);
    const side = kind === 'behind' ? 1 : 0;
    for (let i = 0; i < docs.length; i++) {
      if (states[i] === ABSENT) continue;
      const rank = ranks.of(docs[i]!);
      const held = payloads[isPair ? rank : rank * 2 + side]!;
      const wanted = isPair ? places[i]! && nextPlace(places[i]!) : code;
      places[i] = isPair && held < OPEN_CODE ? held : 0;
      if (held >= OPEN_CODE || (isPair && isLate(held))) states[i] = OPEN;
      if (held < OPEN_CODE && wanted !== 0 && held !== wanted) states[i] = ABSENT;
    }
  }
  return states;
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
