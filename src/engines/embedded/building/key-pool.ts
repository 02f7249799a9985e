// The keys of one kind while a segment is built: their bytes, one after the other, and their codes for
// sorting.

import { Buffer } from 'node:buffer';
import { grown } from './growing-numbers.ts';
import { KeyCodes } from './key-codes.ts';

const FIRST_CAPACITY = 1 << 7;

/** Keys 0, 1, 2 … in the order in which they are added. */
export class KeyPool {
  /** UTF-8 of all keys, one after the other. */
  bytes: Buffer<ArrayBuffer> = Buffer.allocUnsafeSlow(FIRST_CAPACITY * 8);
  /** By key: where its bytes begin; the next one's begin is its end. */
  starts: Uint32Array = new Uint32Array(FIRST_CAPACITY + 1);
  /** By key: its codes (key-codes.ts), unsigned. */
  firsts: Uint32Array = new Uint32Array(FIRST_CAPACITY);
  seconds: Uint32Array = new Uint32Array(FIRST_CAPACITY);
  count = 0;
  readonly #codes = new KeyCodes();

  text(number: number): string {
    return this.bytes.toString('utf8', this.starts[number], this.starts[number + 1]);
  }

  /** True if these are the bytes of the key. */
  is(number: number, bytes: Buffer, start: number, end: number): boolean {
    const own = this.starts[number]!;
    if (this.starts[number + 1]! - own !== end - start) return false;
    for (let i = start; i < end; i++) if (bytes[i] !== this.bytes[own + i - start]) return false;
    return true;
  }

  /** Least and greatest key by `compareIds`; null if there is none. Keys are ASCII. */
  idRange(): { readonly first: string; readonly last: string } | null {
    if (this.count === 0) return null;
    let first = 0;
    let last = 0;
    for (let number = 1; number < this.count; number++) {
      if (this.#compareAsIds(number, first) < 0) first = number;
      else if (this.#compareAsIds(number, last) > 0) last = number;
    }
    return { first: this.text(first), last: this.text(last) };
  }

  #compareAsIds(a: number, b: number): number {
    const { bytes, starts } = this;
    const startOfA = starts[a]!;
    const startOfB = starts[b]!;
    const length = starts[a + 1]! - startOfA;
    const difference = length - (starts[b + 1]! - startOfB);
    for (let i = 0; difference === 0 && i < length; i++) {
      if (bytes[startOfA + i] !== bytes[startOfB + i]) return bytes[startOfA + i]! - bytes[startOfB + i]!;
    }
    return difference;
  }

  /** Adds the key in `bytes` from `start` to `end`; returns its number. */
  add(bytes: Buffer, start: number, end: number): number {
    this.#codes.read(bytes, start, end);
    return this.addCoded(this.#codes.first, this.#codes.second, bytes, start, end);
  }

  /** The same where the codes are known. */
  addCoded(first: number, second: number, bytes: Buffer, start: number, end: number): number {
    const number = this.count++;
    const at = this.starts[number]!;
    const length = end - start;
    if (at + length > this.bytes.length) this.#growBytes(at + length);
    if (number + 2 > this.starts.length) this.starts = grown(this.starts);
    if (number === this.firsts.length) {
      this.firsts = grown(this.firsts);
      this.seconds = grown(this.seconds);
    }
    // Most keys are short: for them a loop costs less than a native copy.
    for (let i = 0; i < length; i++) this.bytes[at + i] = bytes[start + i]!;
    this.starts[number + 1] = at + length;
    this.firsts[number] = first;
    this.seconds[number] = second;
    return number;
  }

  #growBytes(atLeast: number): void {
    const larger = Buffer.allocUnsafeSlow(Math.max(atLeast, this.bytes.length * 2));
    this.bytes.copy(larger);
    this.bytes = larger;
  }
}
