// MurmurHash3_x86_128 (Appleby, https://github.com/aappleby/smhasher/blob/master/src/MurmurHash3.cpp, public
// domain), of which the first 64 bits are given out: to tell contents apart, not to withstand an attacker.

/** 64 bits, as two whole numbers from 0 to 2^32 − 1. */
export interface Hash64 {
  readonly high: number;
  readonly low: number;
}

/** Bytes that are read at a time. */
export const MURMUR_BLOCK = 16;

const C1 = 0x239b961b;
const C2 = 0xab0e9789;
const C3 = 0x38b34ae5;
const C4 = 0xa1e38b93;

/**
 * `low` is the first 32 bits of the reference's output, `high` the next. `words`: `length` bytes, little-endian,
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
    // Zeros change nothing here, so the rest needs no look at how long it is.
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
