// What pairs need to know of a token, stored with its number while a segment is built: its class (pairs.ts)
// and, if it is listed, its place in the list.

import { Buffer } from 'node:buffer';
import { COMMON_TOKENS, FREQUENT_TOKENS } from '../format/common-tokens.ts';
import { tokenClass } from '../format/pairs.ts';
import { KeyCodes } from './key-codes.ts';
import type { Labels } from './key-table.ts';

const SINGLES = '0123456789abcdefghijklmnopqrstuvwxyz';

/**
 * Every token of the lists in pairs.ts, and every single letter and digit, in the order of their UTF-16
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
