// What postings say of the neighbours of their token or pair, so that phrases are settled without reading texts: the
// payload of a posting, where its list has payloads.
//
//   pair (pairs.ts)    one byte: the place of its first token among the tokens of the record
//     1–220              the token numbered 0 to 219
//     221–253            a later one: its number − 220, modulo 33
//   token of class 0   three bytes: the code of the token before it, and of the one behind it, and its place as above
//     1                  none: the text begins or ends here
//     2–127              the 126 commonest tokens, each with a code that no other has
//     128–253            others, by hash; 255 if two tokens of the record have the same
//   both               254 in all bytes: not known; 255 in all: the record has it several times
//
// Places tell what stands together of several pairs and tokens; codes tell the neighbours that are listed by neither. A
// code tells the tokens of one record apart, so it is exact where the record contains the other token. Small and large
// segments give payloads to the same tokens, because what counts is their share of the records; a list that lacks them
// in a source of a merge is not known there. Payloads of format 1 had no places of tokens, and are not read.

import { Buffer } from 'node:buffer';
import { KeyCodes, mixedCodes } from './key-codes.ts';
import { COMMON_TOKENS, tokenClass } from './pairs.ts';

/** Payloads from here on leave it open. */
export const OPEN_CODE = 254;
export const SEVERAL = 255;
/** The same for all bytes of a token's payload; of a pair's, the lowest. */
export const UNKNOWN_PAYLOAD = 0xfefefe;
export const SEVERAL_PAYLOAD = 0xffffff;

const FIRST_LATE = 221;
const LATE = OPEN_CODE - FIRST_LATE;

export const NO_NEIGHBOUR = 1;
const FIRST_OWN = 2;
/** Codes below stand for one token in every record. */
export const FIRST_HASHED = 128;
const HASHED = OPEN_CODE - FIRST_HASHED;

/** The records of a segment for each doc of a list without payloads, at least: reading their texts is fast enough. */
const RARE_SHARE = 8_192;

/** Whether the list of so many docs of a segment has payloads. */
export function hasPayloads(count: number, segmentDocs: number): boolean {
  return count * RARE_SHARE > segmentDocs;
}

export function placeCode(place: number): number {
  return place < FIRST_LATE - 1 ? place + 1 : FIRST_LATE + ((place - FIRST_LATE + 1) % LATE);
}

/** The code of the next place; a late code stands for several places. */
export function nextPlace(code: number): number {
  return code < FIRST_LATE ? code + 1 : FIRST_LATE + ((code - FIRST_LATE + 1) % LATE);
}

export function isLate(code: number): boolean {
  return code >= FIRST_LATE;
}

export const TOKEN_PAYLOAD_BYTES = 3;

/** `before` and `behind`: codes of its neighbours. `place`: that of the token. */
export function tokenPayload(before: number, behind: number, place: number): number {
  return before | (behind << 8) | (placeCode(place) << 16);
}

const OWN_CODES: ReadonlyMap<string, number> = new Map(
  [...COMMON_TOKENS].slice(0, FIRST_HASHED - FIRST_OWN).map((token, i) => [token, FIRST_OWN + i]),
);

/** The code that stands for this token in every record; 0: it has none. */
export function ownCode(token: string): number {
  return OWN_CODES.get(token) ?? 0;
}

/** Of a token without a code of its own, by its codes (key-codes.ts). */
export function hashedCode(first: number, second: number): number {
  return FIRST_HASHED + (((mixedCodes(first, second) >>> 16) * HASHED) >>> 16);
}

const keyCodes = new KeyCodes();

export function neighbourCode(token: string): number {
  const own = ownCode(token);
  if (own !== 0) return own;
  const bytes = Buffer.from(token);
  keyCodes.read(bytes, 0, bytes.length);
  return hashedCode(keyCodes.first, keyCodes.second);
}

/** A posting's payload by the key it is listed under; the tokens of the texts of one record, found the plain way. */
export class RecordPayloads {
  readonly #held: readonly (readonly string[])[];
  readonly #holders = new Map<number, string>();
  readonly #shared = new Set<number>();

  constructor(texts: readonly (readonly string[])[]) {
    this.#held = texts;
    for (const token of texts.flat()) {
      const code = neighbourCode(token);
      const holder = this.#holders.get(code);
      if (holder === undefined) this.#holders.set(code, token);
      else if (holder !== token) this.#shared.add(code);
    }
  }

  /** Of the token numbered `i` of a text, and `place` of the record; 0: it has none. */
  ofToken(text: number, i: number, place: number): number {
    const held = this.#held[text]!;
    if (tokenClass(held[i]!) !== 0) return 0;
    return tokenPayload(this.#code(held[i - 1]), this.#code(held[i + 1]), place);
  }

  #code(token: string | undefined): number {
    if (token === undefined) return NO_NEIGHBOUR;
    const code = neighbourCode(token);
    return this.#shared.has(code) ? SEVERAL : code;
  }
}
