// Tokens while a segment is built, by the part of the alphabet where they begin: their codes (key-codes.ts), the docs
// that contain them, and a label for each, which says what pairs need to know of it: its class (format/pairs.ts) and,
// if it is listed, its place in the list.

import { Buffer } from 'node:buffer';
import { COMMON_TOKENS, FREQUENT_TOKENS, tokenClass } from '../format/pairs.ts';
import { grown } from './growing-numbers.ts';
import { KeyCodes } from './key-codes.ts';
import { orderOfCodes } from './key-order.ts';
import type { Labels } from './key-table.ts';

const SINGLES = '0123456789abcdefghijklmnopqrstuvwxyz';

/**
 * Every token of the lists in format/pairs.ts, and every single letter and digit, in the order of their UTF-16
 * units.
 */
export const LISTED_TOKENS: readonly string[] = [
  ...new Set([...COMMON_TOKENS, ...FREQUENT_TOKENS, ...SINGLES]),
].sort();

export const LISTED: number = LISTED_TOKENS.length;

const PLACES: ReadonlyMap<string, number> = new Map(LISTED_TOKENS.map((token, place) => [token, place]));

/** How many bits of a label the class takes; one more says whether a link may begin with the token. */
const CLASS_BITS = 3;
const LINK = 1 << CLASS_BITS;
const PLACE_SHIFT = CLASS_BITS + 1;
const LINK_TOKENS: ReadonlySet<string> = new Set(['http', 'https', 'www']);

/** The class of a token, by its label. */
export function classOf(label: number): number {
  return label & (LINK - 1);
}

/**
 * True for `http`, `https` and `www`, and for several labels combined by "or" if one of them is such a label.
 */
export function beginsLink(label: number): boolean {
  return (label & LINK) !== 0;
}

/** The place of a token among LISTED_TOKENS, by its label; −1: it is not listed. */
export function placeInList(label: number): number {
  return (label >>> PLACE_SHIFT) - 1;
}

/** In 16 bits. */
function labelOf(token: string): number {
  const place = PLACES.get(token);
  if (place === undefined) return tokenClass(token);
  return tokenClass(token) | (LINK_TOKENS.has(token) ? LINK : 0) | ((place + 1) << PLACE_SHIFT);
}

/**
 * 1 + the place of a listed token in the three below, by a hash of its codes: open addressing. Most tokens end here, so
 * that it should be small enough for the processor's nearest cache.
 */
const SLOTS = 1 << 12;
const slots = new Uint16Array(SLOTS);
const firsts = new Int32Array(LISTED);
const seconds = new Int32Array(LISTED);
const labels = new Uint16Array(LISTED);

function fill(): void {
  const codes = new KeyCodes();
  for (const [place, token] of LISTED_TOKENS.entries()) {
    const bytes = Buffer.from(token);
    codes.read(bytes, 0, bytes.length);
    if (!codes.isWhole) continue;
    let at = slotOf(codes.first, codes.second);
    while (slots[at] !== 0) at = (at + 1) & (SLOTS - 1);
    slots[at] = place + 1;
    firsts[place] = codes.first;
    seconds[place] = codes.second;
    labels[place] = labelOf(token);
  }
}

function slotOf(first: number, second: number): number {
  return Math.imul(first ^ Math.imul(second, 0x9e3779b1), 0x85ebca6b) >>> 20;
}

fill();

/** The label of a token that fits into its codes (key-codes.ts); 0: it is not listed. */
export function labelOfCodes(first: number, second: number): number {
  for (let at = slotOf(first, second); slots[at] !== 0; at = (at + 1) & (SLOTS - 1)) {
    const place = slots[at]! - 1;
    if (firsts[place] === first && seconds[place] === second) return labels[place]!;
  }
  return 0;
}

export const TOKEN_LABELS: Labels = { ofCodes: labelOfCodes, ofText: labelOf };

const FIRST_CAPACITY = 1 << 10;
/** Instead of a key's number: the doc already has the key. */
const AGAIN = 0xffffffff;

/** The tokens of one part of the alphabet, identified by their codes, and the docs that contain them. */
export class TokenPart {
  /** The codes of each key, in the order of first occurrence. */
  firsts: Uint32Array = new Uint32Array(FIRST_CAPACITY);
  seconds: Uint32Array = new Uint32Array(FIRST_CAPACITY);
  count = 0;
  /** All lists, one after the other: that of key k is `docs` from `starts[k]` to `starts[k + 1]`. */
  docs: Uint32Array = new Uint32Array(0);
  starts: Uint32Array = new Uint32Array(0);
  /** By key: how many docs, and 1 + the last of them. */
  #counts = new Uint32Array(FIRST_CAPACITY);
  #lasts = new Uint32Array(FIRST_CAPACITY);
  /** Open addressing: 1 + number of the key; 0: free. */
  #slots = new Uint32Array(FIRST_CAPACITY * 2);
  #mask = 0;

  /**
   * Replaces what was read before. Each entry has three numbers: both codes and the doc, docs ascending;
   * overwrites them.
   */
  read(entries: Uint32Array): void {
    this.#clear(entries.length / 3);
    let held = 0;
    for (let at = 0; at < entries.length; at += 3) {
      const key = this.#number(entries[at]!, entries[at + 1]!);
      const doc = entries[at + 2]!;
      if (this.#lasts[key] === doc + 1) {
        entries[at] = AGAIN;
        continue;
      }
      this.#lasts[key] = doc + 1;
      this.#counts[key]!++;
      entries[at] = key;
      held++;
    }
    this.#place(entries, held);
  }

  /** The keys in the order of their codes, which is the order of their bytes. */
  order(): Uint32Array {
    return orderOfCodes(this.firsts, this.seconds, this.count);
  }

  #clear(entries: number): void {
    let slots = FIRST_CAPACITY;
    while (slots < entries * 2) slots *= 2;
    if (slots > this.#slots.length) this.#slots = new Uint32Array(slots);
    else this.#slots.fill(0, 0, slots);
    this.#mask = slots - 1;
    this.#counts.fill(0, 0, this.count);
    this.#lasts.fill(0, 0, this.count);
    this.count = 0;
  }

  #number(first: number, second: number): number {
    const slots = this.#slots;
    const mask = this.#mask;
    let mixed = Math.imul(first, 0x9e3779b1) ^ Math.imul(second, 0x85ebca77);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0xc2b2ae3d);
    let slot = (mixed ^ (mixed >>> 13)) & mask;
    for (;;) {
      const found = slots[slot]!;
      if (found === 0) break;
      if (this.firsts[found - 1] === first && this.seconds[found - 1] === second) return found - 1;
      slot = (slot + 1) & mask;
    }
    const key = this.count++;
    slots[slot] = this.count;
    if (key === this.firsts.length) this.#grow();
    this.firsts[key] = first;
    this.seconds[key] = second;
    return key;
  }

  #place(entries: Uint32Array, held: number): void {
    if (held > this.docs.length) this.docs = new Uint32Array(held * 2);
    if (this.count >= this.starts.length) this.starts = new Uint32Array(this.count * 2 + 1);
    const { starts, docs } = this;
    // While docs are written, each start moves on to that of the next key; afterwards it is reset.
    starts[0] = 0;
    for (let key = 0; key < this.count; key++) starts[key + 1] = starts[key]! + this.#counts[key]!;
    for (let at = 0; at < entries.length; at += 3) {
      const key = entries[at]!;
      if (key !== AGAIN) docs[starts[key]!++] = entries[at + 2]!;
    }
    for (let key = this.count; key > 0; key--) starts[key] = starts[key - 1]!;
    starts[0] = 0;
  }

  #grow(): void {
    this.firsts = grown(this.firsts);
    this.seconds = grown(this.seconds);
    this.#counts = grown(this.#counts);
    this.#lasts = grown(this.#lasts);
  }
}
