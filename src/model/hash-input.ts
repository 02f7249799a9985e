// What a hash is made of: fields one behind the other, so that no two lists of fields give the same bytes.

import { type Hash64, MURMUR_BLOCK, murmurHash } from './murmur-hash.ts';

/** Stands for the length of a text that is null. */
const NULL_LENGTH = 0xffffffff;

/** Up to so many units a loop is faster than an encoder. */
const SHORT = 48;
/** Up to so many bytes a loop over four at a time is faster than a view of them, which is collected later. */
const COPIED_BY_FOUR = 512;

const encoder = new TextEncoder();

/** A buffer that is filled and hashed, again and again. Whole numbers are little-endian. */
export class HashInput {
  #bytes = new Uint8Array(1 << 12);
  #words = new Int32Array(this.#bytes.buffer);
  #view = new DataView(this.#bytes.buffer);
  /** Over what was put in last. */
  #source: DataView = this.#view;
  #length = 0;

  /** How many bytes it has. */
  get length(): number {
    return this.#length;
  }

  clear(): void {
    this.#length = 0;
  }

  byte(value: number): void {
    this.#reserve(1);
    this.#bytes[this.#length++] = value;
  }

  /** 0 to 2^32 − 1. */
  uint32(value: number): void {
    this.#reserve(4);
    this.#view.setUint32(this.#length, value, true);
    this.#length += 4;
  }

  /** Any number; 0 and −0 are one. */
  float64(value: number): void {
    this.#reserve(8);
    this.#view.setFloat64(this.#length, value + 0, true);
    this.#length += 8;
  }

  /** Its length in bytes of UTF-8, and these; a lone surrogate counts as U+FFFD. null differs from an empty one. */
  text(text: string | null): void {
    if (text === null) {
      this.uint32(NULL_LENGTH);
      return;
    }
    const start = this.#length;
    this.uint32(0);
    this.characters(text);
    this.#view.setUint32(start, this.#length - start - 4, true);
  }

  /** Begins a text that is put in by parts; returns what `endText` needs. */
  beginText(): number {
    this.uint32(0);
    return this.#length;
  }

  /** The text that began there is whole. */
  endText(start: number): void {
    this.#view.setUint32(start - 4, this.#length - start, true);
  }

  /** As `text`, of a text that is there as UTF-8. */
  utf8(bytes: Uint8Array, start: number, end: number): void {
    this.uint32(end - start);
    this.raw(bytes, start, end);
  }

  /** The UTF-8 of a text without its length. */
  characters(text: string): void {
    this.#reserve(text.length * 3);
    if (text.length > SHORT || !this.#ascii(text)) {
      this.#length += encoder.encodeInto(text, this.#bytes.subarray(this.#length)).written;
    }
  }

  /** Bytes without their number. */
  raw(bytes: Uint8Array, start: number, end: number): void {
    this.#reserve(end - start + 4);
    if (end - start > COPIED_BY_FOUR) {
      this.#bytes.set(bytes.subarray(start, end), this.#length);
      this.#length += end - start;
      return;
    }
    let from = start;
    if (end - start >= 16) {
      if (this.#source.buffer !== bytes.buffer) this.#source = new DataView(bytes.buffer);
      const source = this.#source;
      const view = this.#view;
      const base = bytes.byteOffset;
      let to = this.#length;
      for (const last = end - 4; from <= last; from += 4, to += 4) {
        view.setInt32(to, source.getInt32(base + from, true), true);
      }
      this.#length = to;
    }
    for (; from < end; from++) this.#bytes[this.#length++] = bytes[from]!;
  }

  /** Room for this many bytes more, from `length` on: to be filled, and `length` raised by `filled`. */
  room(most: number): Uint8Array {
    this.#reserve(most);
    return this.#bytes;
  }

  filled(bytes: number): void {
    this.#length += bytes;
  }

  /** Of all that was put in since the last `clear`. */
  hash(seed = 0): Hash64 {
    this.#reserve(MURMUR_BLOCK);
    for (let i = 0; i < MURMUR_BLOCK; i++) this.#bytes[this.#length + i] = 0;
    return murmurHash(this.#words, this.#length, seed);
  }

  /** False, and nothing is put in, where the text has other characters. */
  #ascii(text: string): boolean {
    const bytes = this.#bytes;
    const at = this.#length;
    for (let i = 0; i < text.length; i++) {
      const unit = text.charCodeAt(i);
      if (unit >= 0x80) return false;
      bytes[at + i] = unit;
    }
    this.#length = at + text.length;
    return true;
  }

  #reserve(more: number): void {
    if (this.#length + more <= this.#bytes.length) return;
    const needed = Math.max(this.#bytes.length * 2, this.#length + more);
    const grown = new Uint8Array(Math.ceil(needed / MURMUR_BLOCK) * MURMUR_BLOCK);
    grown.set(this.#bytes.subarray(0, this.#length));
    this.#bytes = grown;
    this.#words = new Int32Array(grown.buffer);
    this.#view = new DataView(grown.buffer);
  }
}
