// Numbers for names, in the order in which they come. They are kept as they are written (format/written-names.ts), and
// made only when they are asked for: of tens of thousands, a question shows some.

import { beginsWith } from '../../../model/engine.ts';
import { nameAt, stringEnd, writtenBegins, writtenHash, writtenName } from '../format/written-names.ts';

/** A slot for each name and one more at least: open addressing, one after the other. */
const LEAST_SLOTS = 1 << 10;

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
