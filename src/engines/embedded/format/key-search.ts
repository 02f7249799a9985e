// Looks for a key, as UTF-8, among those of a dictionary (dictionary.ts); makes none of the keys that it passes.

import { Buffer } from 'node:buffer';
import { MAX_INLINE } from './posting-codec.ts';

/** Every block of a dictionary but the last has as many. */
export const BLOCK_KEYS = 128;

/**
 * Behind a block in memory there may be places from which a search can start, one after every sixteenth key:
 *
 *   u16 where the next key begins, counted from the block; u8 how many of the first bytes of the key follow, up to 13
 */
const START_EVERY = 16;
const START_BYTES = 16;
const START_HEAD = 3;
const START_KEY_BYTES = START_BYTES - START_HEAD;

/** For those of a block. */
export const STARTS_BYTES = (BLOCK_KEYS / START_EVERY) * START_BYTES;

/** The first bytes of the key that was passed last. */
const passed = Buffer.alloc(START_KEY_BYTES);

/** Writes them behind the block that stands in `bytes` from `from` to before `to`; returns how many. */
export function writeStarts(bytes: Buffer, from: number, to: number): number {
  if (to - from > 0xffff) return 0;
  let starts = 0;
  let keys = 0;
  for (let at = from; at < to; ) {
    let shared = bytes[at++]!;
    if (shared >= 0x80) [shared, at] = restOfVarint(bytes, at, shared);
    let own = bytes[at++]!;
    if (own >= 0x80) [own, at] = restOfVarint(bytes, at, own);
    const length = Math.min(shared + own, START_KEY_BYTES);
    for (let i = shared; i < length; i++) passed[i] = bytes[at + i - shared]!;
    at = afterEntry(bytes, at + own);
    if (++keys % START_EVERY !== 0 || at >= to) continue;
    const start = to + starts++ * START_BYTES;
    bytes[start] = (at - from) & 0xff;
    bytes[start + 1] = (at - from) >>> 8;
    bytes[start + 2] = length;
    for (let i = 0; i < length; i++) bytes[start + START_HEAD + i] = passed[i]!;
  }
  return starts;
}

function afterEntry(bytes: Buffer, start: number): number {
  let at = start;
  const count = bytes[at++]!;
  if (count >= 0x80) while (bytes[at++]! >= 0x80);
  for (let left = count <= MAX_INLINE ? count : 2; left > 0; left--) while (bytes[at++]! >= 0x80);
  return at;
}

export class KeySearch {
  #wanted: Buffer = Buffer.allocUnsafeSlow(512);
  #length = 0;
  #agreed = 0;
  /** Of the block looked into last: how many of its keys come before the wanted one. */
  before = 0;
  /** Where the entry of the wanted key begins there; −1: the block has no such key. */
  entry = -1;

  want(key: string): void {
    if (this.#wanted.length < key.length * 3) this.#wanted = Buffer.allocUnsafeSlow(key.length * 6);
    const wanted = this.#wanted;
    for (let i = 0; i < key.length; i++) {
      const unit = key.charCodeAt(i);
      if (unit >= 0x80) {
        this.#length = wanted.write(key, 0, 'utf8');
        return;
      }
      wanted[i] = unit;
    }
    this.#length = key.length;
  }

  /** `headOf` the wanted key. */
  get head(): number {
    return headOf(this.#wanted, 0, this.#length);
  }

  /** Below, at or above 0: the order of the wanted key and the one in `bytes` from `from` to before `to`. */
  compare(bytes: Buffer, from: number, to: number): number {
    const wanted = this.#wanted;
    const most = Math.min(this.#length, to - from);
    let same = 0;
    while (same < most && wanted[same] === bytes[from + same]) same++;
    if (same === most) return this.#length - (to - from);
    return unitRank(wanted[same]!) - unitRank(bytes[from + same]!);
  }

  /** Whether the key in `bytes` from `from` to before `to` begins with the wanted one. */
  begins(bytes: Buffer, from: number, to: number): boolean {
    const wanted = this.#wanted;
    let same = 0;
    while (same < this.#length && from + same < to && wanted[same] === bytes[from + same]) same++;
    return same === this.#length;
  }

  /**
   * Looks into the block that stands in `bytes` from `from` to before `to`, with so many places to start from behind
   * it. `isPast`: for the end of the keys that begin with the wanted one; `before` then counts those too.
   */
  lookInto(bytes: Buffer, from: number, to: number, starts: number, isPast = false): void {
    const wanted = this.#wanted;
    const length = this.#length;
    this.#agreed = 0;
    const start = this.#startIn(bytes, to, starts);
    let at =
      start < 0
        ? from
        : from + (bytes[to + start * START_BYTES]! | (bytes[to + start * START_BYTES + 1]! << 8));
    let before = (start + 1) * START_EVERY;
    /** How many bytes of the wanted key the last key began with; that one comes before it. */
    let agreed = this.#agreed;
    this.entry = -1;
    for (; at < to; before++) {
      let shared = bytes[at++]!;
      if (shared >= 0x80) [shared, at] = restOfVarint(bytes, at, shared);
      let own = bytes[at++]!;
      if (own >= 0x80) [own, at] = restOfVarint(bytes, at, own);
      const end = at + own;
      // It leaves the key before sooner than the wanted one does: it is above both.
      if (shared < agreed) break;
      if (shared === agreed) {
        while (at < end && agreed < length && bytes[at] === wanted[agreed]) {
          at++;
          agreed++;
        }
        if (agreed === length) {
          if (!isPast) {
            if (at === end) this.entry = end;
            break;
          }
        } else if (at < end && unitRank(bytes[at]!) > unitRank(wanted[agreed]!)) break;
      }
      at = afterEntry(bytes, end);
    }
    this.before = before;
  }

  /**
   * The last of the places that is known to lie behind a key before the wanted one; −1: the block's beginning. Sets
   * how many bytes both begin with.
   */
  #startIn(bytes: Buffer, to: number, starts: number): number {
    const wanted = this.#wanted;
    let low = 0;
    let high = starts;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const start = to + middle * START_BYTES;
      const known = bytes[start + 2]!;
      const key = start + START_HEAD;
      const most = Math.min(known, this.#length);
      let same = 0;
      while (same < most && wanted[same] === bytes[key + same]) same++;
      const isBefore =
        same < most
          ? unitRank(bytes[key + same]!) < unitRank(wanted[same]!)
          : known < this.#length && known < START_KEY_BYTES;
      if (isBefore) {
        low = middle + 1;
        this.#agreed = same;
      } else high = middle;
    }
    return low - 1;
  }
}

/** Of the number that stands for the beginning of a key. */
const HEAD_BYTES = 6;

/**
 * A number for the first bytes of the key in `bytes` from `from` to before `to`: of two keys that differ in it, the
 * one with the lower number comes first.
 */
export function headOf(bytes: Buffer, from: number, to: number): number {
  let head = 0;
  for (let at = from; at < from + HEAD_BYTES; at++) head = head * 256 + (at < to ? unitRank(bytes[at]!) : 0);
  return head;
}

/** A number of several bytes, and where it ends; `first` stands before `start`. */
function restOfVarint(bytes: Buffer, start: number, first: number): [value: number, at: number] {
  let value = first & 0x7f;
  let at = start;
  let byte: number;
  let scale = 128;
  do {
    byte = bytes[at++]!;
    value += (byte & 0x7f) * scale;
    scale *= 128;
  } while (byte >= 0x80);
  return [value, at];
}

/** Below, at or above 0: the order of two keys in UTF-8 by their UTF-16 units. */
export function compareKeys(one: Buffer, oneLength: number, other: Buffer, otherLength: number): number {
  const length = Math.min(oneLength, otherLength);
  let at = 0;
  while (at < length && one[at] === other[at]) at++;
  return at === length ? oneLength - otherLength : unitRank(one[at]!) - unitRank(other[at]!);
}

/** Of bytes that differ first: as UTF-16, what takes four bytes (surrogates) stands before U+E000 to U+FFFF. */
function unitRank(byte: number): number {
  if (byte < 0xee) return byte;
  return byte >= 0xf0 ? byte - 2 : byte + 0x10;
}
