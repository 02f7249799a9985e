// Numbers for tokens while a segment is built. Most text is plain ASCII: its tokens are found, folded, hashed and looked
// up in one scan, without a string for each. Other text goes through `tokens`, and is looked up the same way.

import { MAX_TOKEN_UNITS, tokens } from '../../text/tokenizer.ts';
import { tokenClass } from './pairs.ts';

/** Not ASCII, or an entity may stand in it. */
const NEEDS_TOKENIZER = /[^\0-\x7f]|&/;

const HAS_CAPITAL = /[A-Z]/;

const SEPARATOR = 0;

/** By ASCII code: the folded code of a letter or digit, SEPARATOR for the rest. */
const FOLDED = Uint8Array.from({ length: 128 }, (_, code) => {
  const text = String.fromCharCode(code);
  return /[0-9A-Za-z]/.test(text) ? text.toLowerCase().charCodeAt(0) : SEPARATOR;
});

/** By ASCII code: the same, but the code itself for the rest (`#` and `*` stand in keycap emoji). */
const LOWER = FOLDED.map((folded, code) => (folded === SEPARATOR ? code : folded));

const FIRST_CAPACITY = 1 << 12;

/** Tokens 0, 1, 2 … in the order of their first coming. */
export class TokenTable {
  /** UTF-16 units of all tokens, one after the other. */
  #units = new Uint16Array(FIRST_CAPACITY * 8);
  #unitsUsed = 0;
  /** By token: where its units begin; the next one's begin is its end. */
  #starts = new Uint32Array(FIRST_CAPACITY + 1);
  /** Open addressing: hash and 1 + number of the token, side by side; 0: free. */
  #slots = new Uint32Array(FIRST_CAPACITY * 4);
  #mask = FIRST_CAPACITY * 2 - 1;
  /** Every token, by its number. */
  readonly texts: string[] = [];
  /** By token: its class (pairs.ts). */
  classes = new Uint8Array(FIRST_CAPACITY);
  count = 0;
  /** Numbers of the text that was scanned last, in order. */
  numbers = new Uint32Array(1 << 10);

  /** Puts the numbers of the tokens of a text into `numbers`; returns how many. */
  scan(text: string): number {
    if (NEEDS_TOKENIZER.test(text)) return this.#scanTokens(tokens(text));
    let found = 0;
    let start = -1;
    let hash = 0;
    const { length } = text;
    for (let i = 0; i <= length; i++) {
      const folded = i < length ? FOLDED[text.charCodeAt(i)]! : SEPARATOR;
      if (folded !== SEPARATOR) {
        if (start < 0) {
          start = i;
          hash = 0;
        }
        if (i - start < MAX_TOKEN_UNITS) hash = Math.imul(hash ^ folded, 0x01000193);
      } else if (start >= 0) {
        if (found === this.numbers.length) this.#growNumbers();
        this.numbers[found++] = this.#number(text, start, Math.min(i, start + MAX_TOKEN_UNITS), hash);
        start = -1;
      }
    }
    return found;
  }

  #scanTokens(texts: readonly string[]): number {
    while (this.numbers.length < texts.length) this.#growNumbers();
    for (let i = 0; i < texts.length; i++) {
      const text = texts[i]!;
      let hash = 0;
      for (let j = 0; j < text.length; j++) hash = Math.imul(hash ^ text.charCodeAt(j), 0x01000193);
      this.numbers[i] = this.#number(text, 0, text.length, hash);
    }
    return texts.length;
  }

  /** Of the token that stands in `text` from `start` to `end`, ASCII capitals aside. */
  #number(text: string, start: number, end: number, unmixed: number): number {
    let hash = Math.imul(unmixed ^ (unmixed >>> 15), 0x85ebca6b);
    hash = (hash ^ (hash >>> 13)) >>> 0;
    const slots = this.#slots;
    const mask = this.#mask;
    let slot = hash & mask;
    for (;;) {
      const found = slots[slot * 2 + 1]!;
      if (found === 0) return this.#add(text, start, end, hash, slot);
      if (slots[slot * 2] === hash && this.#is(found - 1, text, start, end)) return found - 1;
      slot = (slot + 1) & mask;
    }
  }

  #is(number: number, text: string, start: number, end: number): boolean {
    const first = this.#starts[number]!;
    if (this.#starts[number + 1]! - first !== end - start) return false;
    for (let i = start; i < end; i++) {
      const unit = text.charCodeAt(i);
      if (this.#units[first + i - start] !== (unit < 128 ? LOWER[unit] : unit)) return false;
    }
    return true;
  }

  #add(text: string, start: number, end: number, hash: number, slot: number): number {
    const number = this.count++;
    if (this.#unitsUsed + end - start > this.#units.length) this.#units = grown(this.#units);
    for (let i = start; i < end; i++) {
      const unit = text.charCodeAt(i);
      this.#units[this.#unitsUsed++] = unit < 128 ? LOWER[unit]! : unit;
    }
    if (number + 2 > this.#starts.length) this.#starts = grown(this.#starts);
    if (number === this.classes.length) this.classes = grown(this.classes);
    this.#starts[number + 1] = this.#unitsUsed;
    const own = text.slice(start, end);
    // Only what was scanned can hold capitals, and it is ASCII.
    const token = HAS_CAPITAL.test(own) ? own.toLowerCase() : own;
    this.texts.push(token);
    this.classes[number] = tokenClass(token);
    this.#slots[slot * 2] = hash;
    this.#slots[slot * 2 + 1] = this.count;
    if (this.count * 2 > this.#mask) this.#rehash();
    return number;
  }

  #rehash(): void {
    const old = this.#slots;
    this.#slots = new Uint32Array(old.length * 4);
    this.#mask = this.#slots.length / 2 - 1;
    for (let i = 0; i < old.length; i += 2) {
      if (old[i + 1] === 0) continue;
      let slot = old[i]! & this.#mask;
      while (this.#slots[slot * 2 + 1] !== 0) slot = (slot + 1) & this.#mask;
      this.#slots[slot * 2] = old[i]!;
      this.#slots[slot * 2 + 1] = old[i + 1]!;
    }
  }

  #growNumbers(): void {
    this.numbers = grown(this.numbers);
  }
}

function grown<T extends Uint8Array | Uint16Array | Uint32Array>(numbers: T): T {
  const larger = new (numbers.constructor as new (length: number) => T)(numbers.length * 2);
  larger.set(numbers as never);
  return larger;
}
