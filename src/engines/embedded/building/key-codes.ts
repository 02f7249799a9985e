// Short keys as two numbers: the first twelve bytes of a key in base 40, six in each of two 32-bit numbers. Most tokens
// and ids can be told apart and sorted by these two numbers alone, without a text for each.

import { Buffer } from 'node:buffer';
import { grown } from './growing-numbers.ts';

/** 40^6 is below 2^32. */
export const CODE_BASE = 40;
/** Bytes that each of the two numbers stands for. */
export const CODE_UNITS = 6;

/** Some byte before the digits. */
const BEFORE_DIGITS = 1;
/** Some byte between the digits and the small letters. */
const BEFORE_LETTERS = 12;
/** Some byte behind the small letters. */
const BEHIND_LETTERS = 39;

/** By byte: its code, 1 to 39, never descending; each digit and small letter has a code of its own. */
export const CODES: Uint8Array = Uint8Array.from({ length: 256 }, (_, byte) => {
  if (byte < 0x30) return BEFORE_DIGITS;
  if (byte <= 0x39) return 2 + byte - 0x30;
  if (byte < 0x61) return BEFORE_LETTERS;
  return byte <= 0x7a ? 13 + byte - 0x61 : BEHIND_LETTERS;
});

/** By how many bytes there are, 1 to 6: the factor that pads a number with zeros. */
export const FILL: Int32Array = Int32Array.from(
  { length: CODE_UNITS + 1 },
  (_, bytes) => CODE_BASE ** (CODE_UNITS - bytes),
);

/**
 * Writes the bytes of a key that fits into its codes, unsigned, to the beginning of `into`; returns how many.
 */
export function writeCodes(first: number, second: number, into: Uint8Array): number {
  const length = writeSix(first, into, 0);
  return second === 0 ? length : writeSix(second, into, length);
}

function writeSix(number: number, into: Uint8Array, at: number): number {
  let scale = CODE_BASE ** (CODE_UNITS - 1);
  let length = at;
  for (let rest = number; rest > 0; scale /= CODE_BASE) {
    const code = Math.floor(rest / scale);
    into[length++] = BYTES[code]!;
    rest -= code * scale;
  }
  return length;
}

/** By code: its byte, if only one byte has this code. */
const BYTES = Uint8Array.from({ length: CODE_BASE }, (_, code) => CODES.indexOf(code));

/** True if several bytes have this code. */
export function isShared(code: number): boolean {
  return code === BEFORE_DIGITS || code === BEFORE_LETTERS || code === BEHIND_LETTERS;
}

/** The codes of a key's first bytes. */
export class KeyCodes {
  /**
   * The codes of the first six bytes and of the next six, as signed 32 bits; unsigned, they ascend with the
   * keys.
   */
  first = 0;
  second = 0;
  /** True if the two numbers determine the whole key. */
  isWhole = false;

  /** Reads the bytes from `start` to `end`. After a byte with a shared code, all count as zero. */
  read(bytes: Uint8Array, start: number, end: number): void {
    const codes = Math.min(end - start, 2 * CODE_UNITS);
    let first = 0;
    let second = 0;
    let i = 0;
    this.isWhole = end - start === codes;
    while (i < codes) {
      const code = CODES[bytes[start + i]!]!;
      if (i < CODE_UNITS) first = (Math.imul(first, CODE_BASE) + code) | 0;
      else second = (Math.imul(second, CODE_BASE) + code) | 0;
      i++;
      if (!isShared(code)) continue;
      this.isWhole = false;
      break;
    }
    this.first = Math.imul(first, FILL[Math.min(i, CODE_UNITS)]!);
    this.second = i > CODE_UNITS ? Math.imul(second, FILL[i - CODE_UNITS]!) : 0;
  }
}

const FIRST_CAPACITY = 1 << 7;

/**
 * The keys of one kind while a segment is built: their bytes, one after the other, and their codes for sorting. Keys
 * 0, 1, 2 … in the order in which they are added.
 */
export class KeyPool {
  /** UTF-8 of all keys, one after the other. */
  bytes: Buffer<ArrayBuffer> = Buffer.allocUnsafeSlow(FIRST_CAPACITY * 8);
  /** By key: where its bytes begin; the next one's begin is its end. */
  starts: Uint32Array = new Uint32Array(FIRST_CAPACITY + 1);
  /** By key: its codes, unsigned. */
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
