// A phrase as codes (format/chain-codes.ts), looked for in the chains of records that are known to have all
// its pairs.

import { codeOf, FIRST_LEAD, numberAt, ownCode, tokenHash, UNKNOWN } from '../format/chain-codes.ts';

/** What the codes of a record say of the phrase; OPEN: only the text can tell. */
export const ABSENT = 0;
export const FOUND = 1;
export const OPEN = 2;

/** The codes of a token that has none of its own, by level. */
interface HashedToken {
  /** Of the token in the phrase. */
  readonly place: number;
  readonly short: number;
  readonly lead: number;
  readonly second: number;
}

const byPhrase = new WeakMap<readonly string[], PhraseCodes>();

/** Made once for each phrase of a query. */
export function codesOfPhrase(tokens: readonly string[]): PhraseCodes {
  let codes = byPhrase.get(tokens);
  if (codes === undefined) {
    codes = new PhraseCodes(tokens);
    byPhrase.set(tokens, codes);
  }
  return codes;
}

/** By byte: the last record that was found to contain it as a code. */
const stamps = new Uint32Array(0x100);
let stamp = 0;

export class PhraseCodes {
  /** One byte a token: where none shares its code with another one of the record. */
  readonly #usual: Uint8Array;
  readonly #hashed: readonly HashedToken[];
  /** The same for one record: up to two bytes a token. */
  readonly #own: Uint8Array;

  constructor(tokens: readonly string[]) {
    const hashed: HashedToken[] = [];
    this.#usual = Uint8Array.from(tokens, (token, place) => {
      const own = ownCode(token);
      if (own !== 0) return own;
      const hash = tokenHash(token);
      const [short, long] = [codeOf(0, numberAt(0, hash)), codeOf(1, numberAt(1, hash))];
      hashed.push({ place, short, lead: long & 0xff, second: long >>> 8 });
      return short;
    });
    this.#hashed = hashed;
    this.#own = new Uint8Array(tokens.length * 2);
  }

  /** The bytes from `start` to `end` are the chains of a record that has every pair of the phrase. */
  lookIn(bytes: Uint8Array, start: number, end: number): number {
    // No token comes twice, so the pairs follow each other.
    if (start === end) return FOUND;
    const usual = this.#usual;
    if (holds(bytes, start, end, usual, usual.length)) return FOUND;
    if (this.#hashed.length === 0) return ABSENT;
    stampCodes(bytes, start, end);
    // A token whose short code is there has that one, because no other token in a pair of the record can
    // have it.
    if (this.#hashed.every(({ short }) => stamps[short] === stamp)) return ABSENT;
    return this.#lookAgain(bytes, start, end);
  }

  /** With the codes that the tokens have in this record. */
  #lookAgain(bytes: Uint8Array, start: number, end: number): number {
    const own = this.#own;
    let length = 0;
    let next = 0;
    let isKnown = true;
    for (let place = 0; place < this.#usual.length; place++) {
      const token = this.#hashed[next];
      if (token?.place !== place || stamps[token.short] === stamp) own[length++] = this.#usual[place]!;
      else if (holdsTwo(bytes, start, end, token)) {
        own[length++] = token.lead;
        own[length++] = token.second;
      } else {
        own[length++] = UNKNOWN;
        isKnown = false;
      }
      if (token?.place === place) next++;
    }
    if (!holds(bytes, start, end, own, length)) return ABSENT;
    return isKnown ? FOUND : OPEN;
  }
}

/** Marks every code of one byte. */
function stampCodes(bytes: Uint8Array, start: number, end: number): void {
  stamp = (stamp + 1) >>> 0;
  for (let i = start; i < end; i++) {
    const byte = bytes[i]!;
    if (byte >= FIRST_LEAD) i++;
    else stamps[byte] = stamp;
  }
}

/** A first byte of two is never a second one, so two bytes that are side by side are one code. */
function holdsTwo(bytes: Uint8Array, start: number, end: number, { lead, second }: HashedToken): boolean {
  for (let i = start; i + 1 < end; i++) if (bytes[i] === lead && bytes[i + 1] === second) return true;
  return false;
}

/**
 * True if the codes stand there in a row. Where they would begin at the second byte of a code, they do not.
 */
function holds(bytes: Uint8Array, start: number, end: number, codes: Uint8Array, length: number): boolean {
  const first = codes[0]!;
  const last = end - length;
  for (let at = start; at <= last; at++) {
    if (bytes[at] !== first) continue;
    let i = 1;
    while (i < length && bytes[at + i] === codes[i]) i++;
    if (i === length && (at === start || bytes[at - 1]! < FIRST_LEAD)) return true;
  }
  return false;
}
