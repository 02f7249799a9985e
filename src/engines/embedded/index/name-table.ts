// The names that breakdowns count, in all segments, as numbers of one thread.

import type { NameField } from '../../../model/engine.ts';
import { NameNumbers } from './name-numbers.ts';
import type { Segment } from './segment.ts';

/** This many names of dropped segments are not worth starting again for. */
const SPARE_NAMES = 1_024;

/** Numbers for the names of all segments, and counters for them, kept by a thread from question to question. */
export class NameTable {
  readonly #field: NameField;
  #numbers = new NameNumbers();
  /** For each segment: the number in this table of each number in its column. */
  #maps = new WeakMap<Segment, Uint32Array>();
  /** Of a question. */
  readonly #tally = new Tally();
  /** Of the live records of some segments together, those asked for last. */
  #live: { readonly segments: string; readonly counts: Uint32Array } | null = null;

  constructor(field: NameField) {
    this.#field = field;
  }

  get size(): number {
    return this.#numbers.size;
  }

  name(number: number): string {
    return this.#numbers.name(number);
  }

  /** Whether the name with this number begins with this text in lower case. */
  begins(number: number, prefix: string): boolean {
    return this.#numbers.begins(number, prefix);
  }

  /**
   * Starts again if most names belong to dropped segments; earlier numbers are then no longer valid.
   * `segments` are all of the view.
   */
  forgetDropped(segments: readonly Segment[]): void {
    const used = segments.reduce((sum, segment) => sum + (this.#maps.get(segment)?.length ?? 0), 0);
    if (this.size <= 2 * used + SPARE_NAMES) return;
    this.#numbers = new NameNumbers();
    this.#maps = new WeakMap();
    this.#live = null;
  }

  /** −1: no segment that was counted so far has the name. */
  numberOf(name: string): number {
    return this.#numbers.find(name);
  }

  /**
   * What all live records of these segments count to, by number of the name; not to be changed. `segments` names them
   * with their tombstones; `count` is called where they are not those of the last call.
   */
  liveCounts(segments: string, count: () => Uint32Array): Uint32Array {
    if (this.#live?.segments !== segments) this.#live = { segments, counts: count().slice() };
    return this.#live.counts;
  }

  /** For each name, by its number; the caller's until the next call. */
  tally(): Tally {
    this.#tally.reset(this.size);
    return this.#tally;
  }

  /** `readAhead` of a ByteSource, for names that will be given numbers. */
  readAhead(segment: Segment): void {
    if (!this.#maps.has(segment)) segment.readAheadNames(this.#field);
  }

  /** By number of the place, or by number of the domain. */
  mapOf(segment: Segment): Uint32Array {
    let map = this.#maps.get(segment);
    if (map === undefined) {
      const { bytes, starts } = segment.writtenNames(this.#field);
      map = new Uint32Array(starts.length);
      for (let i = 0; i < map.length; i++) map[i] = this.#numbers.number(bytes, starts[i]!);
      this.#maps.set(segment, map);
    }
    return map;
  }
}

/**
 * Counters that are used again. Of few matches most stay 0: who counts these notes which do not, and neither setting
 * all to 0 nor looking at all is needed (Briggs and Torczon, "An Efficient Representation for Sparse Sets", 1993).
 */
export class Tally {
  counts = new Uint32Array(0);
  /** Those above 0, up to `length`, each once: where it is noted. */
  numbers = new Uint32Array(0);
  length = 0;
  /** False: others may be above 0. */
  isNoted = true;
  #memory = new Uint32Array(0);

  /** So many, all 0, and none is noted. */
  reset(length: number): void {
    if (this.isNoted) for (let i = 0; i < this.length; i++) this.#memory[this.numbers[i]!] = 0;
    else this.#memory.fill(0);
    if (this.#memory.length < length) {
      this.#memory = new Uint32Array(length * 2);
      this.numbers = new Uint32Array(length * 2);
    }
    this.counts = this.#memory.subarray(0, length);
    this.length = 0;
    this.isNoted = true;
  }

  add(number: number, count: number): void {
    if (this.counts[number] === 0) this.numbers[this.length++] = number;
    this.counts[number]! += count;
  }

  /** The numbers that are noted; null: any may be above 0. */
  get some(): Uint32Array | null {
    return this.isNoted ? this.numbers.subarray(0, this.length) : null;
  }
}
