// The order of many texts by UTF-16 unit, faster than comparing them: most are told apart by numbers made of the first
// four units behind what all have in common, sorted as such; only equal ones are compared.

import type { KeyPool } from './key-pool.ts';

const PREFIX_UNITS = 4;
/** Positions below this fit beside 28 bits of prefix in 53. */
const POSITIONS = 2 ** 25;

/** Numbers below this fit beside 32 bits in 53. */
const KEY_POSITIONS = 2 ** 21;

/** Fewer texts than this are compared. */
const MIN_BY_PREFIX = 24;

/** Positions of the texts, in the order of the texts; all texts differ. */
export function orderOf(texts: readonly string[]): Uint32Array {
  if (texts.length > POSITIONS) throw new Error(`expected at most ${POSITIONS} texts, found ${texts.length}`);
  const order = Uint32Array.from(texts.keys());
  sortByPrefix(order, texts, sharedUnits(texts));
  return order;
}

/** The numbers of a pool's keys, all different, in the order of their UTF-16 units. */
export function orderOfKeys(pool: KeyPool): Uint32Array {
  const { firsts, count } = pool;
  if (count > KEY_POSITIONS) return orderOf(Array.from({ length: count }, (_, number) => pool.text(number)));
  const order = new Uint32Array(count);
  const keys = new Float64Array(count);
  for (let number = 0; number < count; number++) keys[number] = firsts[number]! * KEY_POSITIONS + number;
  keys.sort();
  for (let i = 0; i < count; i++) order[i] = keys[i]! % KEY_POSITIONS;
  for (let from = 0; from < count; ) {
    const first = firsts[order[from]!]!;
    let to = from + 1;
    while (to < count && firsts[order[to]!] === first) to++;
    if (to - from > 1) sortBySecond(order, from, to, pool);
    from = to;
  }
  return order;
}

/** Puts keys in order that agree in their first code: those that stand in `order` from `from` to `to`. */
function sortBySecond(order: Uint32Array, from: number, to: number, pool: KeyPool): void {
  const { seconds } = pool;
  if (to - from < MIN_BY_PREFIX) {
    for (let i = from + 1; i < to; i++) {
      const number = order[i]!;
      let j = i;
      for (; j > from && seconds[order[j - 1]!]! > seconds[number]!; j--) order[j] = order[j - 1]!;
      order[j] = number;
    }
  } else {
    const keys = Float64Array.from(order.subarray(from, to), (number) => {
      return seconds[number]! * KEY_POSITIONS + number;
    });
    keys.sort();
    for (let i = from; i < to; i++) order[i] = keys[i - from]! % KEY_POSITIONS;
  }
  for (let start = from; start < to; ) {
    const second = seconds[order[start]!]!;
    let end = start + 1;
    while (end < to && seconds[order[end]!] === second) end++;
    if (end - start > 1) sortByText(order.subarray(start, end), pool);
    start = end;
  }
}

/** Puts keys in order that agree in both codes. */
function sortByText(order: Uint32Array, pool: KeyPool): void {
  const numbers = order.slice();
  const sorted = orderOf(Array.from(numbers, (number) => pool.text(number)));
  for (let i = 0; i < order.length; i++) order[i] = numbers[sorted[i]!]!;
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

/** True where texts of this prefix agree in all its units: none of them is beyond ASCII, none past the end. */
function isWhole(prefix: number): boolean {
  for (let rest = prefix, i = 0; i < PREFIX_UNITS; i++, rest = Math.floor(rest / 128)) {
    if (rest % 128 === 127 || rest % 128 === 0) return false;
  }
  return true;
}

/** How many units all texts begin with. */
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

/** Of the units from `start` on. Never above for a text that comes before. Units beyond ASCII are all 127. */
function prefixOf(text: string, start: number): number {
  let prefix = 0;
  for (let i = 0; i < PREFIX_UNITS; i++) {
    const unit = start + i < text.length ? Math.min(127, text.charCodeAt(start + i)) : 0;
    prefix = prefix * 128 + unit;
    // Behind such a unit the rest may be in any order.
    if (unit === 127) return (prefix + 1) * 128 ** (PREFIX_UNITS - 1 - i) - 1;
  }
  return prefix;
}
