// Sorts many texts by UTF-16 unit, faster than comparing them. Each becomes a number made of its first four
// units after the common prefix, and the numbers are sorted; only texts with equal numbers are compared.

import type { KeyPool } from './key-codes.ts';

const PREFIX_UNITS = 4;
/** Positions below this fit beside 28 bits of prefix in 53. */
const POSITIONS = 2 ** 25;

/** Numbers below this fit beside 32 bits in 53. */
const KEY_POSITIONS = 2 ** 21;

/** Fewer texts than this are sorted by comparing. */
const MIN_BY_PREFIX = 24;

/** Positions of the texts, in the order of the texts; all texts differ. */
export function orderOf(texts: readonly string[]): Uint32Array {
  // uncovered: more keys than a segment can have
  if (texts.length > POSITIONS) throw new Error(`expected at most ${POSITIONS} texts, found ${texts.length}`);
  const order = Uint32Array.from(texts.keys());
  sortByPrefix(order, texts, sharedUnits(texts));
  return order;
}

/** The numbers of a pool's keys, all different, in the order of their UTF-16 units. */
export function orderOfKeys(pool: KeyPool): Uint32Array {
  const { firsts, seconds, count } = pool;
  return orderOfCodes(firsts, seconds, count, (order) => {
    const numbers = order.slice();
    const sorted = orderOf(Array.from(numbers, (number) => pool.text(number)));
    for (let i = 0; i < order.length; i++) order[i] = numbers[sorted[i]!]!;
  });
}

/**
 * The numbers 0 to `count` − 1, sorted by both codes (key-codes.ts). `sortEqual` sorts those that agree in
 * both; absent if none do.
 */
export function orderOfCodes(
  firsts: Uint32Array,
  seconds: Uint32Array,
  count: number,
  sortEqual?: (order: Uint32Array) => void,
): Uint32Array {
  const order = new Uint32Array(count);
  sortByCode(
    order.map((_, i) => i),
    order,
    firsts,
  );
  forEachRun(order, 0, count, firsts, (from, to) => {
    if (to - from < MIN_BY_PREFIX) insertByCode(order, from, to, seconds);
    else sortByCode(order.slice(from, to), order.subarray(from, to), seconds);
    if (sortEqual === undefined) return;
    forEachRun(order, from, to, seconds, (start, end) => sortEqual(order.subarray(start, end)));
  });
  return order;
}

/** Sorts numbers into `order` by their code; equal ones by number. */
function sortByCode(numbers: Uint32Array, order: Uint32Array, codes: Uint32Array): void {
  // uncovered: more than two million keys in one segment
  if (codes.length > KEY_POSITIONS && numbers.some((number) => number >= KEY_POSITIONS)) {
    order.set(numbers.sort((a, b) => codes[a]! - codes[b]! || a - b));
    return;
  }
  const keys = new Float64Array(numbers.length);
  for (let i = 0; i < keys.length; i++) keys[i] = codes[numbers[i]!]! * KEY_POSITIONS + numbers[i]!;
  keys.sort();
  for (let i = 0; i < keys.length; i++) order[i] = keys[i]! % KEY_POSITIONS;
}

/** The same in place, for few. */
function insertByCode(order: Uint32Array, from: number, to: number, codes: Uint32Array): void {
  for (let i = from + 1; i < to; i++) {
    const number = order[i]!;
    let j = i;
    for (; j > from && codes[order[j - 1]!]! > codes[number]!; j--) order[j] = order[j - 1]!;
    order[j] = number;
  }
}

/** Every run of two or more numbers between `from` and `to` with the same code. */
function forEachRun(
  order: Uint32Array,
  from: number,
  to: number,
  codes: Uint32Array,
  run: (from: number, to: number) => void,
): void {
  for (let start = from; start < to; ) {
    const code = codes[order[start]!]!;
    let end = start + 1;
    while (end < to && codes[order[end]!] === code) end++;
    if (end - start > 1) run(start, end);
    start = end;
  }
}

/** Sorts positions of texts that agree in the units before `start`. */
function sortByPrefix(order: Uint32Array, texts: readonly string[], start: number): void {
  const keys = new Float64Array(order.length);
  for (let i = 0; i < order.length; i++) keys[i] = prefixOf(texts[order[i]!]!, start) * POSITIONS + order[i]!;
  keys.sort();
  for (let from = 0; from < keys.length; ) {
    const prefix = Math.floor(keys[from]! / POSITIONS);
    let to = from;
    while (to < keys.length && Math.floor(keys[to]! / POSITIONS) === prefix) {
      order[to] = keys[to]! % POSITIONS;
      to++;
    }
    const equal = order.subarray(from, to);
    if (equal.length >= MIN_BY_PREFIX && isWhole(prefix)) sortByPrefix(equal, texts, start + PREFIX_UNITS);
    else if (equal.length > 1) equal.set([...equal].sort((a, b) => (texts[a]! < texts[b]! ? -1 : 1)));
    from = to;
  }
}

/** True if texts with this prefix agree in all its units: none is beyond ASCII, none past the end. */
function isWhole(prefix: number): boolean {
  for (let rest = prefix, i = 0; i < PREFIX_UNITS; i++, rest = Math.floor(rest / 128)) {
    if (rest % 128 === 127 || rest % 128 === 0) return false;
  }
  return true;
}

/** How many units all texts have in common at their start. */
function sharedUnits(texts: readonly string[]): number {
  const first = texts[0] ?? '';
  let shared = first.length;
  for (const text of texts) {
    let i = 0;
    while (i < shared && text.charCodeAt(i) === first.charCodeAt(i)) i++;
    shared = i;
    if (shared === 0) break;
  }
  return shared;
}

/**
 * The number of the units from `start` on. An earlier text never has a greater one. Every unit beyond ASCII
 * counts as 127.
 */
function prefixOf(text: string, start: number): number {
  let prefix = 0;
  for (let i = 0; i < PREFIX_UNITS; i++) {
    const unit = start + i < text.length ? Math.min(127, text.charCodeAt(start + i)) : 0;
    prefix = prefix * 128 + unit;
    // After such a unit, the rest may be in any order.
    if (unit === 127) return (prefix + 1) * 128 ** (PREFIX_UNITS - 1 - i) - 1;
  }
  return prefix;
}
