// Which docs of a segment have a domain, as bits: of most comments the column `domain` says that they have none.

import { CHUNK_DOCS, CHUNK_WORDS, type Chunk, countOf } from '../sets/chunk.ts';
import type { Column } from './column.ts';

/** A bit for each doc, made by the first thread that asks for those of a chunk, and then the same for all. */
export interface SharedBits {
  /** CHUNK_WORDS a chunk. */
  readonly words: Uint32Array<SharedArrayBuffer>;
  /** By chunk; 0: they have not been made. */
  readonly made: Int32Array<SharedArrayBuffer>;
}

/** None of them made, for a segment of so many docs. */
export function sharedBits(docs: number): SharedBits {
  const chunks = Math.ceil(docs / CHUNK_DOCS);
  return {
    words: new Uint32Array(new SharedArrayBuffer(chunks * CHUNK_WORDS * 4)),
    made: new Int32Array(new SharedArrayBuffer(chunks * 4)),
  };
}

/** As one thread sees them. */
export class DomainDocs {
  readonly #shared: SharedBits;
  readonly #column: Column<Uint16Array | Uint32Array>;
  readonly #chunks: Chunk[] = [];
  #count = -1;

  constructor(shared: SharedBits, column: Column<Uint16Array | Uint32Array>) {
    this.#shared = shared;
    this.#column = column;
  }

  /** Those of a chunk. */
  chunk(chunk: number): Chunk {
    let docs = this.#chunks[chunk];
    if (docs === undefined) {
      const { words: all, made } = this.#shared;
      const words = all.subarray(chunk * CHUNK_WORDS, (chunk + 1) * CHUNK_WORDS);
      if (Atomics.load(made, chunk) === 0) {
        setNonzero(this.#column.chunk(chunk), words);
        Atomics.store(made, chunk, 1);
      }
      docs = { kind: 'bits', words, count: -1 };
      this.#chunks[chunk] = docs;
    }
    return docs;
  }

  /** How many they are, live or dead. */
  get count(): number {
    if (this.#count < 0) {
      this.#count = 0;
      for (let chunk = 0; chunk < this.#shared.made.length; chunk++)
        this.#count += countOf(this.chunk(chunk));
    }
    return this.#count;
  }
}

/** A bit for each number that is not 0. Another thread may be writing the same: words are written as they stay. */
function setNonzero(numbers: Uint16Array | Uint32Array, words: Uint32Array): void {
  for (let word = 0; word << 5 < numbers.length; word++) {
    let bits = 0;
    for (let i = Math.min(32, numbers.length - (word << 5)) - 1; i >= 0; i--) {
      bits = (bits << 1) | (numbers[(word << 5) + i] === 0 ? 0 : 1);
    }
    words[word] = bits;
  }
}
