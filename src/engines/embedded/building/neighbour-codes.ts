// The codes by which the tokens of a record know their neighbours (format/neighbours.ts), while a segment is built.

import { FIRST_HASHED, hashedCode, NO_NEIGHBOUR, neighbourCode, SEVERAL } from '../format/neighbours.ts';
import { grown } from './postings.ts';
import { BETWEEN, BY_CODES, LISTED, LISTED_TOKENS, type TokenScanner } from './token-scanner.ts';

const LISTED_CODES = Uint8Array.from(LISTED_TOKENS, neighbourCode);
const CODES = 1 << 8;

export class NeighbourCodes {
  /** By token of the record, as the scanner has them; behind the last one as before the first. */
  #codes = new Uint8Array(1 << 10);
  /** By code: its first token in the record, where the stamp is that of the record; and whether others have it too. */
  readonly #holders = new Uint32Array(CODES);
  readonly #stamps = new Uint32Array(CODES);
  readonly #isShared = new Uint8Array(CODES);
  #stamp = 0;
  #length = 0;

  /** Takes the tokens of a record in place of those before. */
  read(scanner: TokenScanner): void {
    const { ids, firsts, seconds, length } = scanner;
    const { pool } = scanner.others;
    while (this.#codes.length < length) this.#codes = grown(this.#codes);
    const codes = this.#codes;
    this.#length = length;
    this.#stamp = (this.#stamp + 1) >>> 0;
    for (let i = 0; i < length; i++) {
      const id = ids[i]!;
      if (id === BETWEEN) codes[i] = NO_NEIGHBOUR;
      else {
        if (id === BY_CODES) codes[i] = hashedCode(firsts[i]!, seconds[i]!);
        else if (id < LISTED) codes[i] = LISTED_CODES[id]!;
        else codes[i] = hashedCode(pool.firsts[id - LISTED]!, pool.seconds[id - LISTED]!);
        if (codes[i]! >= FIRST_HASHED) this.#hold(codes[i]!, i, scanner);
      }
    }
    for (let i = 0; i < length; i++) if (this.#isShared[codes[i]!] === 1) codes[i] = SEVERAL;
  }

  /** The payload of a token, by its place. */
  payload(i: number): number {
    const before = i === 0 ? NO_NEIGHBOUR : this.#codes[i - 1]!;
    const behind = i + 1 === this.#length ? NO_NEIGHBOUR : this.#codes[i + 1]!;
    return before | (behind << 8);
  }

  #hold(code: number, i: number, { ids, firsts, seconds }: TokenScanner): void {
    if (this.#stamps[code] !== this.#stamp) {
      this.#stamps[code] = this.#stamp;
      this.#holders[code] = i;
      this.#isShared[code] = 0;
      return;
    }
    const holder = this.#holders[code]!;
    const isSame =
      ids[holder] === ids[i] &&
      (ids[i] !== BY_CODES || (firsts[holder] === firsts[i] && seconds[holder] === seconds[i]));
    if (!isSame) this.#isShared[code] = 1;
  }
}
