// Hashes of texts and records, to tell contents and copies apart, not to withstand an attacker. All are the
// same on every machine and for ever: segments store them, and installations compare them.
//
//   hash53       a text as a number
//   HashInput    fields as bytes, hashed by MurmurHash3; Sum64 adds such hashes up
//   contentHash  a record; recordMix adds it to the fingerprint of an index
//   textHash     a record's words

import { tokens } from '../text/tokenizer.ts';
import { type StoredComment, type StoredPost, type StoredRecord, searchedTexts } from './record.ts';

/**
 * 53 bits of a text as a whole number, 0 to 2^53 − 1; the same on every machine. Two multiplicative hashes side by
 * side, mixed at the end with MurmurHash3's finaliser (Appleby, https://github.com/aappleby/smhasher, public domain).
 */
export function hash53(text: string): number {
  let low = 0x811c9dc5;
  let high = 0x9e3779b9;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    low = Math.imul(low ^ unit, 0x85ebca6b);
    low ^= low >>> 13;
    high = Math.imul(high ^ unit, 0xc2b2ae35);
    high ^= high >>> 15;
  }
  low = finalised(low ^ (high >>> 7));
  high = finalised(high ^ low);
  return (high >>> 11) * 0x1_0000_0000 + (low >>> 0);
}

const NULL_LENGTH = 0xffffffff;

/** Texts of up to this many units, as permalinks are, are faster in a loop than with an encoder. */
const SHORT = 80;
/** Up to this many bytes, copying four at a time is faster than a view, which must be collected later. */
const COPIED_BY_FOUR = 512;

const encoder = new TextEncoder();

/** A reusable buffer of fields to hash. No two lists of fields give the same bytes. Whole numbers are little-endian. */
export class HashInput {
  #bytes = new Uint8Array(1 << 12);
  #words = new Int32Array(this.#bytes.buffer);
  #view = new DataView(this.#bytes.buffer);
  #source: DataView = this.#view;
  #length = 0;

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

  /** A whole number from 0 to 2^32 − 1. */
  uint32(value: number): void {
    this.#reserve(4);
    this.#view.setUint32(this.#length, value, true);
    this.#length += 4;
  }

  /** Any number; 0 and −0 are equal. */
  float64(value: number): void {
    this.#reserve(8);
    this.#view.setFloat64(this.#length, value + 0, true);
    this.#length += 8;
  }

  /** Its length in bytes of UTF-8, then the bytes; a lone surrogate is U+FFFD. null differs from an empty text. */
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

  utf8(bytes: Uint8Array, start: number, end: number): void {
    this.uint32(end - start);
    this.raw(bytes, start, end);
  }

  characters(text: string): void {
    this.#reserve(text.length * 3);
    if (text.length > SHORT || !this.#ascii(text)) {
      this.#length += encoder.encodeInto(text, this.#bytes.subarray(this.#length)).written;
    }
  }

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

  /** Reserves this many more bytes from `length` on. The caller fills them and calls `filled`. */
  room(most: number): Uint8Array {
    this.#reserve(most);
    return this.#bytes;
  }

  filled(bytes: number): void {
    this.#length += bytes;
  }

  /** The hash of everything since the last `clear`. */
  hash(seed = 0): Hash64 {
    this.#reserve(MURMUR_BLOCK);
    for (let i = 0; i < MURMUR_BLOCK; i++) this.#bytes[this.#length + i] = 0;
    return murmurHash(this.#words, this.#length, seed);
  }

  /** False, with nothing added, if the text has other characters. */
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

/** 64 bits, as two whole numbers from 0 to 2^32 − 1. */
export interface Hash64 {
  readonly high: number;
  readonly low: number;
}

const MURMUR_BLOCK = 16;

const C1 = 0x239b961b;
const C2 = 0xab0e9789;
const C3 = 0x38b34ae5;
const C4 = 0xa1e38b93;

/**
 * The first 64 bits of MurmurHash3_x86_128 (Appleby,
 * https://github.com/aappleby/smhasher/blob/master/src/MurmurHash3.cpp, public domain): `low` is the first 32 bits of
 * the reference's output, `high` the next. `words`: `length` bytes, little-endian,
 * then zeros up to the next multiple of MURMUR_BLOCK. In one function, since it runs for each record of an import.
 */
export function murmurHash(words: Int32Array, length: number, seed = 0): Hash64 {
  let h1 = seed | 0;
  let h2 = h1;
  let h3 = h1;
  let h4 = h1;
  const whole = (length >>> 4) << 2;
  let at = 0;
  for (; at < whole; at += 4) {
    h1 ^= scrambled(words[at]!, C1, 15, C2);
    h1 = (Math.imul((rotated(h1, 19) + h2) | 0, 5) + 0x561ccd1b) | 0;
    h2 ^= scrambled(words[at + 1]!, C2, 16, C3);
    h2 = (Math.imul((rotated(h2, 17) + h3) | 0, 5) + 0x0bcaa747) | 0;
    h3 ^= scrambled(words[at + 2]!, C3, 17, C4);
    h3 = (Math.imul((rotated(h3, 15) + h4) | 0, 5) + 0x96cd1c35) | 0;
    h4 ^= scrambled(words[at + 3]!, C4, 18, C1);
    h4 = (Math.imul((rotated(h4, 13) + h1) | 0, 5) + 0x32ac3b17) | 0;
  }
  if (length & 15) {
    // Trailing zeros do not change the hash, so no length is needed here.
    h1 ^= scrambled(words[at]!, C1, 15, C2);
    h2 ^= scrambled(words[at + 1]!, C2, 16, C3);
    h3 ^= scrambled(words[at + 2]!, C3, 17, C4);
    h4 ^= scrambled(words[at + 3]!, C4, 18, C1);
  }
  h1 ^= length;
  h2 ^= length;
  h3 ^= length;
  h4 ^= length;
  h1 = (h1 + h2 + h3 + h4) | 0;
  h2 = finalised((h2 + h1) | 0);
  const others = (h2 + finalised((h3 + h1) | 0) + finalised((h4 + h1) | 0)) | 0;
  h1 = (finalised(h1) + others) | 0;
  return { high: (h2 + h1) >>> 0, low: h1 >>> 0 };
}

function scrambled(word: number, factor: number, bits: number, second: number): number {
  return Math.imul(rotated(Math.imul(word, factor), bits), second);
}

function rotated(value: number, bits: number): number {
  return (value << bits) | (value >>> (32 - bits));
}

/** The finaliser of 32 bits: each bit of the value changes each of the result in about half of all cases. */
export function finalised(value: number): number {
  let mixed = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return mixed ^ (mixed >>> 16);
}

/** The value that `finalised` gives this one; its steps undone, by the inverses of its factors modulo 2^32. */
export function unfinalised(mixed: number): number {
  let value = Math.imul(mixed ^ (mixed >>> 16), 0x7ed1b41d);
  value = Math.imul(value ^ (value >>> 13) ^ (value >>> 26), 0xa5cb9243);
  return value ^ (value >>> 16);
}

/** A sum modulo 2^64, from 0. It does not depend on the order or grouping of the terms. */
export class Sum64 {
  #high: number;
  #low: number;

  constructor({ high, low }: Hash64 = { high: 0, low: 0 }) {
    this.#high = high;
    this.#low = low;
  }

  add({ high, low }: Hash64): void {
    const sum = this.#low + low;
    this.#low = sum >>> 0;
    this.#high = (this.#high + high + (sum > 0xffffffff ? 1 : 0)) >>> 0;
  }

  subtract({ high, low }: Hash64): void {
    const difference = this.#low - low;
    this.#low = difference >>> 0;
    this.#high = (this.#high - high - (difference < 0 ? 1 : 0)) >>> 0;
  }

  value(): Hash64 {
    return { high: this.#high, low: this.#low };
  }
}

/** Prints 16 lower-case hex digits. */
export function hex64({ high, low }: Hash64): string {
  return high.toString(16).padStart(8, '0') + low.toString(16).padStart(8, '0');
}

export function parseHex64(text: string): Hash64 | null {
  if (!/^[0-9a-f]{16}$/.test(text)) return null;
  return { high: Number.parseInt(text.slice(0, 8), 16), low: Number.parseInt(text.slice(8), 16) };
}

const input = new HashInput();

const POST = 0;
const COMMENT = 1;

/**
 * Hashes everything that an answer can show, except score, retrieval and arrival. engines/packing/packed-content.ts
 * does the same for packed records.
 */
export function contentHash(record: StoredRecord): Hash64 {
  input.clear();
  input.byte(record.kind === 'post' ? POST : COMMENT);
  input.byte(record.withdrawn ? 1 : 0);
  input.float64(record.created);
  input.text(record.id);
  input.text(record.community);
  input.text(record.communityId);
  input.text(record.permalink);
  if (record.kind === 'post') addPost(record);
  else addComment(record);
  return input.hash();
}

function addPost(post: StoredPost): void {
  input.text(post.domain);
  input.text(post.title);
  input.text(post.selftext);
  input.text(post.url);
  input.byte(post.adult === null ? 2 : post.adult ? 1 : 0);
}

function addComment(comment: StoredComment): void {
  input.text(comment.post);
  input.text(comment.parent);
  input.text(comment.body);
  input.byte(comment.sentiment === null ? 0 : 1);
  if (comment.sentiment !== null) input.float64(comment.sentiment);
}

/** What a record adds to its kind's fingerprint, the sum of all. `content`: its `contentHash`. */
export function fingerprintMix(created: number, score: number, community: string, content: Hash64): Hash64 {
  input.clear();
  input.uint32(content.low);
  input.uint32(content.high);
  input.float64(created);
  input.float64(score);
  input.text(community);
  return input.hash();
}

export function recordMix(record: StoredRecord): Hash64 {
  return fingerprintMix(record.created, record.score, record.community, contentHash(record));
}

/** Texts with fewer characters have no hash, since too many are alike. Counts the folded tokens, joined by spaces. */
const MIN_HASHED_CHARACTERS = 40;

const SPACE = 0x20;

/** Collects the folded tokens of a record's texts and hashes them. */
export class TextHashInput {
  readonly #input = new HashInput();
  /** Code points of the tokens and of the spaces between them. */
  #characters = 0;

  clear(): void {
    this.#input.clear();
    this.#characters = 0;
  }

  /**
   * Adds a text whose tokens are runs of ASCII letters and digits. `folded` maps a byte to its lower-case letter or
   * digit, or to a space. Tokens with spaces between them are the same input as the tokens added one by one.
   */
  plain(bytes: Uint8Array, start: number, end: number, folded: Uint8Array): void {
    const room = this.#input.room(end - start + 1);
    const before = this.#input.length;
    // The first space separates the text from earlier ones; without any, it is overwritten.
    let at = before;
    room[at] = SPACE;
    if (this.#characters > 0) at++;
    const first = at;
    let last = SPACE;
    for (let i = start; i < end; i++) {
      const byte = folded[bytes[i]!]!;
      room[at] = byte;
      // The next byte overwrites a repeated space: this needs no branch, which no processor could predict.
      const differs = (byte ^ SPACE) | (last ^ SPACE);
      at += -differs >>> 31;
      last = byte;
    }
    if (last === SPACE && at > first) at--;
    if (at === first) return;
    this.#characters += at - before;
    this.#input.filled(at - before);
  }

  token(token: string): void {
    this.#separate();
    this.#input.characters(token);
    for (let i = 0; i < token.length; i++) if ((token.charCodeAt(i) & 0xfc00) !== 0xdc00) this.#characters++;
  }

  /** 1 to 2^32 − 1; 0: the text is too short for a hash. */
  hash(): number {
    if (this.#characters < MIN_HASHED_CHARACTERS) return 0;
    return this.#input.hash().low || 1;
  }

  #separate(): void {
    if (this.#characters === 0) return;
    this.#input.byte(SPACE);
    this.#characters++;
  }
}

const wordsInput = new TextHashInput();

/** 32 bits of its words, in any case; 0 if it is withdrawn or short. Finds copies, which are then compared by text. */
export function textHash(record: StoredRecord): number {
  if (record.withdrawn) return 0;
  wordsInput.clear();
  for (const text of searchedTexts(record)) for (const token of tokens(text)) wordsInput.token(token);
  return wordsInput.hash();
}

/** The input of `textHash`, equal for copies of a text: its folded tokens, joined by spaces. */
export function foldedText(texts: readonly string[]): string {
  return texts.flatMap((text) => tokens(text)).join(' ');
}

/** Equal for two indexes with equal records. */
export interface IndexFingerprint {
  /** Sum modulo 2^64 of `recordMix` over the records: 16 lower-case hex digits. */
  readonly fingerprint: string;
  readonly records: number;
}
