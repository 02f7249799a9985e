// Which kernels a thread works with: those in WebAssembly, with the memory of one thread in which they work, or those
// in TypeScript. What lies elsewhere is copied into that memory, or left to the loops in TypeScript where that is
// cheaper.

import { Buffer } from 'node:buffer';
import { KERNEL_MODULE } from './kernel-module.ts';
import {
  COLUMN,
  COUNTERS,
  COUNTERS_BYTES,
  type Counters,
  FIRST_SET,
  type Kernels,
  LENT_SETS,
  LENT_SLABS,
  MARKS,
  MAX_COUNTERS,
  type NumberColumn,
  PACKED,
  PAGES,
  SECOND_SET,
  SET_BYTES,
  SET_WORDS,
  SETS,
  SHUFFLES,
  SLAB_NUMBERS,
  SLABS,
  VALUES,
} from './kernels.ts';
import { TYPESCRIPT_KERNELS } from './typescript-kernels.ts';

export type KernelChoice = 'webassembly' | 'typescript';

/**
 * Those of WebAssembly come with memory of their own; where they cannot be had, it is TypeScript after all.
 */
export function chooseKernels(choice: KernelChoice): Kernels {
  return (choice === 'webassembly' ? wasmKernels() : null) ?? TYPESCRIPT_KERNELS;
}

/** Addresses in bytes; ends are exclusive. */
interface Exports {
  readonly intersect: Combining;
  readonly subtract: Combining;
  readonly unite: Combining;
  readonly popcount: (words: number, end: number) => number;
  readonly keep: (values: number, end: number, words: number, unwanted: 0 | 1, into: number) => number;
  readonly members: (words: number, into: number) => number;
  readonly mark: (values: number, end: number, words: number) => void;
  readonly unmark: (values: number, end: number, words: number) => void;
  readonly tallyBits: (words: number, column: number, counters: number, packed: number) => void;
  readonly tallyValues: (values: number, end: number, column: number, counters: number) => void;
  readonly sumCounters: (counters: number, end: number) => void;
}

type Combining = (a: number, b: number, into: number) => number;

/** What Node has of https://webassembly.github.io/spec/js-api/, as far as it is used here. */
declare const WebAssembly: {
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Memory: new (pages: { initial: number; maximum: number }) => { readonly buffer: ArrayBuffer };
  readonly Instance: new (module: object, imports: object) => { readonly exports: object };
  readonly CompileError: new () => Error;
};

/** Compiled once a thread. */
let compiled: object | undefined;

/** Code with the memory that it works in. */
interface Workplace {
  readonly buffer: ArrayBuffer;
  readonly run: Exports;
}

/** Of kernels that were given back in this thread: 38 MB each, which would have to be made and collected. */
const spare: Workplace[] = [];
const MAX_SPARE = 2;

/**
 * null: WebAssembly is not here (`node --jitless`), or has no vectors, or there is no address space for their
 * memory.
 */
export function wasmKernels(): Kernels | null {
  if (!('WebAssembly' in globalThis)) return null;
  try {
    return new WasmKernels(spare.pop() ?? newWorkplace());
  } catch (error) {
    // uncovered: a processor without vectors, or a process that may not reserve memory
    if (error instanceof WebAssembly.CompileError || error instanceof RangeError) return null;
    throw error;
  }
}

/** They and all that they lent must not be used any more. Others of this thread work in their memory from now on. */
export function giveBackKernels(kernels: Kernels): void {
  if (kernels instanceof WasmKernels && spare.length < MAX_SPARE) spare.push(kernels.workplace);
}

function newWorkplace(): Workplace {
  compiled ??= new WebAssembly.Module(Buffer.from(KERNEL_MODULE, 'base64'));
  const memory = new WebAssembly.Memory({ initial: PAGES, maximum: PAGES });
  const { exports } = new WebAssembly.Instance(compiled, { kernels: { memory } });
  const { buffer } = memory;
  fillShuffles(new Uint8Array(buffer, SHUFFLES, 256 * 16));
  return { buffer, run: exports as unknown as Exports };
}

class WasmKernels implements Kernels {
  readonly workplace: Workplace;
  readonly #buffer: ArrayBuffer;
  readonly #run: Exports;
  readonly #words: readonly [Uint32Array, Uint32Array];
  readonly #values: Uint16Array;
  readonly #column: Uint8Array;
  readonly #counts: Uint32Array;
  readonly #others: Uint32Array;
  readonly #sets: Uint32Array[] = [];
  readonly #slabs: Uint16Array[] = [];
  /** How many were made of the room for them. */
  #setsMade = 0;
  #slabsMade = 0;

  constructor(workplace: Workplace) {
    this.workplace = workplace;
    const { buffer, run } = workplace;
    this.#run = run;
    this.#buffer = buffer;
    this.#words = [this.#set(FIRST_SET), this.#set(SECOND_SET)];
    this.#values = new Uint16Array(buffer, VALUES, MAX_COUNTERS);
    this.#column = new Uint8Array(buffer, COLUMN, MAX_COUNTERS * 2);
    this.#counts = new Uint32Array(buffer, COUNTERS, MAX_COUNTERS);
    this.#others = new Uint32Array(buffer, COUNTERS + COUNTERS_BYTES, MAX_COUNTERS);
  }

  intersect(a: Uint32Array, b: Uint32Array, into: Uint32Array): number {
    return this.#combine(this.#run.intersect, a, b, into);
  }

  subtract(a: Uint32Array, b: Uint32Array, into: Uint32Array): number {
    return this.#combine(this.#run.subtract, a, b, into);
  }

  unite(a: Uint32Array, b: Uint32Array, into: Uint32Array): number {
    return this.#combine(this.#run.unite, a, b, into);
  }

  popcount(words: Uint32Array, from: number, to: number): number {
    if (words.buffer === this.#buffer) {
      return this.#run.popcount(words.byteOffset + from * 4, words.byteOffset + to * 4);
    }
    if (to - from < WORTH_COPYING) return TYPESCRIPT_KERNELS.popcount(words, from, to);
    this.#words[0].set(words.subarray(from, to));
    return this.#run.popcount(FIRST_SET, FIRST_SET + (to - from) * 4);
  }

  add(values: Uint16Array, words: Uint32Array): void {
    if (words.buffer !== this.#buffer) {
      TYPESCRIPT_KERNELS.add(values, words);
      return;
    }
    const from = this.#valuesAt(values);
    this.#run.mark(from, from + values.length * 2, words.byteOffset);
  }

  members(words: Uint32Array, into: Uint16Array): number {
    const at = this.#setAt(words, 0);
    if (into.buffer === this.#buffer) return this.#run.members(at, into.byteOffset);
    const count = this.#run.members(at, VALUES);
    into.set(this.#values.subarray(0, count));
    return count;
  }

  keep(values: Uint16Array, words: Uint32Array, wanted: 0 | 1, into: Uint16Array): number {
    const isOwn = words.buffer === this.#buffer || values.length > WORTH_A_SET;
    if (!isOwn || into.buffer !== this.#buffer) return TYPESCRIPT_KERNELS.keep(values, words, wanted, into);
    const from = this.#valuesAt(values);
    const unwanted = wanted === 1 ? 0 : 1;
    const at = this.#setAt(words, 0);
    return this.#run.keep(from, from + values.length * 2, at, unwanted, into.byteOffset);
  }

  keepListed(values: Uint16Array, listed: Uint16Array, wanted: 0 | 1, into: Uint16Array): number {
    const isOwn = listed.buffer === this.#buffer && into.buffer === this.#buffer;
    if (!isOwn) return TYPESCRIPT_KERNELS.keepListed(values, listed, wanted, into);
    const [from, end] = [listed.byteOffset, listed.byteOffset + listed.length * 2];
    const at = this.#valuesAt(values);
    this.#run.mark(from, end, MARKS);
    const unwanted = wanted === 1 ? 0 : 1;
    const count = this.#run.keep(at, at + values.length * 2, MARKS, unwanted, into.byteOffset);
    this.#run.unmark(from, end, MARKS);
    return count;
  }

  counters(length: number): Counters {
    if (length > MAX_COUNTERS) return TYPESCRIPT_KERNELS.counters(length);
    return [this.#counts.subarray(0, length).fill(0), this.#others.subarray(0, length).fill(0)];
  }

  tallyBits(words: Uint32Array, column: NumberColumn, counters: Counters): void {
    if (!this.#isOwn(column, counters)) TYPESCRIPT_KERNELS.tallyBits(words, column, counters);
    else this.#run.tallyBits(this.#setAt(words, 0), this.#columnAt(column), COUNTERS, PACKED);
  }

  tallyValues(values: Uint16Array, column: NumberColumn, counters: Counters): void {
    if (values.length < WORTH_A_COLUMN || !this.#isOwn(column, counters)) {
      TYPESCRIPT_KERNELS.tallyValues(values, column, counters);
      return;
    }
    const from = this.#valuesAt(values);
    this.#run.tallyValues(from, from + values.length * 2, this.#columnAt(column), COUNTERS);
  }

  sumCounters(counters: Counters): void {
    const [{ buffer, byteLength }] = counters;
    if (buffer === this.#buffer) this.#run.sumCounters(COUNTERS, COUNTERS + byteLength);
    else TYPESCRIPT_KERNELS.sumCounters(counters);
  }

  lendSet(): Uint32Array {
    const free = this.#sets.pop();
    if (free !== undefined) return free;
    if (this.#setsMade === LENT_SETS) return new Uint32Array(SET_WORDS);
    return this.#set(SETS + this.#setsMade++ * SET_BYTES);
  }

  giveBackSets(sets: readonly Uint32Array[]): void {
    for (const words of sets) if (words.buffer === this.#buffer) this.#sets.push(words);
  }

  lendSlab(): Uint16Array {
    const free = this.#slabs.pop();
    if (free !== undefined) return free;
    if (this.#slabsMade === LENT_SLABS) return new Uint16Array(SLAB_NUMBERS);
    const at = SLABS + this.#slabsMade++ * SLAB_NUMBERS * 2;
    return new Uint16Array(this.#buffer, at, SLAB_NUMBERS);
  }

  giveBackSlabs(slabs: readonly Uint16Array[]): void {
    for (const slab of slabs) if (slab.buffer === this.#buffer) this.#slabs.push(slab);
  }

  #combine(run: Combining, a: Uint32Array, b: Uint32Array, into: Uint32Array): number {
    const [first, second] = [this.#setAt(a, 0), this.#setAt(b, 1)];
    if (into.buffer === this.#buffer) return run(first, second, into.byteOffset);
    const count = run(first, second, FIRST_SET);
    into.set(this.#words[0]);
    return count;
  }

  #set(at: number): Uint32Array {
    return new Uint32Array(this.#buffer, at, SET_WORDS);
  }

  /** Copied into place 0 or 1 where it lies elsewhere. */
  #setAt(words: Uint32Array, place: 0 | 1): number {
    if (words.buffer === this.#buffer) return words.byteOffset;
    this.#words[place].set(words);
    return place === 0 ? FIRST_SET : SECOND_SET;
  }

  #valuesAt(values: Uint16Array): number {
    if (values.buffer === this.#buffer) return values.byteOffset;
    this.#values.set(values);
    return VALUES;
  }

  #columnAt(column: Uint16Array): number {
    const { buffer, byteOffset, byteLength } = column;
    if (buffer === this.#buffer) return byteOffset;
    // From shared memory, Buffer copies twice as fast as `set`.
    Buffer.from(buffer, byteOffset, byteLength).copy(this.#column);
    return COLUMN;
  }

  #isOwn(column: NumberColumn, [counts]: Counters): column is Uint16Array {
    return column instanceof Uint16Array && counts.buffer === this.#buffer;
  }
}

/**
 * From so many docIds on, copying the column costs less than reading it here and there, and so for a set. Of columns
 * that are in no cache: for 2,500 docs in each of 155 chunks, 2.4 ms with copying and 1.7 without.
 */
const WORTH_A_COLUMN = 8_192;
const WORTH_A_SET = 256;
/** From so many words on, they are counted sooner where they are copied first. */
const WORTH_COPYING = 128;

/**
 * For each byte of a set: the numbers of the eight whose bit is set, two bytes each, then whatever follows.
 */
function fillShuffles(shuffles: Uint8Array): void {
  for (let byte = 0; byte < 256; byte++) {
    let at = byte * 16;
    for (let bit = 0; bit < 8; bit++) {
      if (((byte >>> bit) & 1) === 0) continue;
      shuffles[at++] = bit * 2;
      shuffles[at++] = bit * 2 + 1;
    }
  }
}
