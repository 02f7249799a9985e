// The names that breakdowns count, in all segments, as numbers of one thread.

import { beginsWith, type NameField } from '../../../model/engine.ts';
import { mayHaveCapitals, nameAt, stringEnd, writtenBegins, writtenHash, writtenName } from './names.ts';
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
    if (!this.#maps.has(segment)) segment.names.readAhead(this.#field);
  }

  /** By number of the place, or by number of the domain. */
  mapOf(segment: Segment): Uint32Array {
    let map = this.#maps.get(segment);
    if (map === undefined) {
      const { bytes, starts } = segment.names.written(this.#field);
      map = new Uint32Array(starts.length);
      for (let i = 0; i < map.length; i++) map[i] = this.#numberOf(bytes, starts[i]!);
      this.#maps.set(segment, map);
    }
    return map;
  }

  /** Names are counted in lower case (`breakdownDomains`); of communities they are stored so. */
  #numberOf(bytes: Uint8Array, start: number): number {
    return mayHaveCapitals(bytes, start)
      ? this.#numbers.number(writtenName(nameAt(bytes, start).toLowerCase()), 0)
      : this.#numbers.number(bytes, start);
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

/** A slot for each name and one more at least: open addressing, one after the other. */
const LEAST_SLOTS = 1 << 10;

/**
 * Numbers for names, in the order in which they come. They are kept as they are written (format/keys.ts), and made
 * only when they are asked for: of tens of thousands, a question shows some.
 */
export class NameNumbers {
  /** All names one behind the other, each with the quote behind it. */
  #bytes = new Uint8Array(1 << 12);
  #used = 0;
  /** By number: where it begins in `#bytes`, and its hash. */
  #starts = new Uint32Array(LEAST_SLOTS >>> 1);
  #hashes = new Int32Array(LEAST_SLOTS >>> 1);
  /** 1 + number; 0: none. */
  #slots = new Uint32Array(LEAST_SLOTS);
  #size = 0;
  /** By number, those that were asked for: rows of equal counts are in the order of their names. */
  readonly #names: string[] = [];

  /** How many names have a number. */
  get size(): number {
    return this.#size;
  }

  /** The number of the name that is written in `bytes` from `start` on: the next one, if it is new. */
  number(bytes: Uint8Array, start: number): number {
    const end = stringEnd(bytes, start);
    const hash = writtenHash(bytes, start, end);
    const slot = this.#slotOf(bytes, start, end, hash);
    const known = this.#slots[slot]!;
    return known > 0 ? known - 1 : this.#add(bytes, start, end, hash, slot);
  }

  /** −1: the name has none. */
  find(name: string): number {
    const bytes = writtenName(name);
    const end = bytes.length - 1;
    return this.#slots[this.#slotOf(bytes, 0, end, writtenHash(bytes, 0, end))]! - 1;
  }

  /** The name with this number. */
  name(number: number): string {
    this.#names[number] ??= nameAt(this.#bytes, this.#starts[number]!);
    return this.#names[number];
  }

  /** `beginsWith` of the name with this number. */
  begins(number: number, prefix: string): boolean {
    return writtenBegins(this.#bytes, this.#starts[number]!, prefix) ?? beginsWith(this.name(number), prefix);
  }

  /** That of the name, or the free one where it belongs. */
  #slotOf(bytes: Uint8Array, start: number, end: number, hash: number): number {
    const mask = this.#slots.length - 1;
    let slot = hash & mask;
    for (;;) {
      const known = this.#slots[slot]!;
      if (known === 0) return slot;
      if (this.#hashes[known - 1] === hash && this.#isName(known - 1, bytes, start, end)) return slot;
      slot = (slot + 1) & mask;
    }
  }

  #isName(number: number, bytes: Uint8Array, start: number, end: number): boolean {
    const own = this.#bytes;
    const begin = this.#starts[number]!;
    // With its quote: the one does not go on where the other ends.
    for (let i = 0; i <= end - start; i++) if (own[begin + i] !== bytes[start + i]) return false;
    return true;
  }

  #add(bytes: Uint8Array, start: number, end: number, hash: number, slot: number): number {
    const length = end + 1 - start;
    if (this.#used + length > this.#bytes.length) {
      const more = new Uint8Array((this.#used + length) * 2);
      more.set(this.#bytes.subarray(0, this.#used));
      this.#bytes = more;
    }
    const number = this.#size++;
    for (let i = 0; i < length; i++) this.#bytes[this.#used + i] = bytes[start + i]!;
    this.#starts[number] = this.#used;
    this.#hashes[number] = hash;
    this.#used += length;
    this.#slots[slot] = number + 1;
    if (this.#size * 2 > this.#slots.length - 1) this.#grow();
    return number;
  }

  /** Half of the slots are free at least. */
  #grow(): void {
    const slots = new Uint32Array(this.#slots.length * 2);
    const starts = new Uint32Array(slots.length >>> 1);
    const hashes = new Int32Array(slots.length >>> 1);
    starts.set(this.#starts);
    hashes.set(this.#hashes);
    const mask = slots.length - 1;
    for (let number = 0; number < this.#size; number++) {
      let slot = hashes[number]! & mask;
      while (slots[slot] !== 0) slot = (slot + 1) & mask;
      slots[slot] = number + 1;
    }
    this.#slots = slots;
    this.#starts = starts;
    this.#hashes = hashes;
  }
}
