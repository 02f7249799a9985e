// The keys of a segment's dictionary: a letter for the sort of key, then its text. Everything that a query can ask for
// is a posting list with such a key.
//
// Scores have a list for each of 21 thresholds, a band. `score:` at a threshold uses them, and `top` walks them from
// the highest, so that it reads only records that can be on the page.

import { SCORES_AT_LEAST as LOWER, SCORES_AT_MOST as UPPER } from '../../../model/analyses.ts';
import { siteKeys, tokensOf } from '../../../model/query.ts';
import type { Kind, StoredRecord } from '../../../model/record.ts';
import { placeCode, RecordPayloads, SEVERAL_PAYLOAD, TOKEN_PAYLOAD_BYTES } from './neighbours.ts';
import { isPair, tokenClass } from './pairs.ts';

/** A band of scores (keys.ts), by its two-digit number. */
export const BAND = 'b';
export const COMMUNITY = 'c';
export const ID = 'i';
export const POST = 'o';
/** Two neighbouring tokens that pairs.ts picks, with a NUL between them. */
export const PAIR = 'p';
/** A domain or what it is a subdomain of (`siteKeys`). */
export const SITE = 's';
export const TOKEN = 't';

export function pairKey(first: string, second: string): string {
  return `${PAIR}${first}\0${second}`;
}

/** Of each payload in the list of a key that begins with this byte; 0: it has none. */
export function payloadBytes(letter: number): number {
  if (letter === PAIR.charCodeAt(0)) return 1;
  return letter === TOKEN.charCodeAt(0) ? TOKEN_PAYLOAD_BYTES : 0;
}

/** The key that `post:<id>` asks for. */
export function postKey(kind: Kind, id: string): string {
  return (kind === 'post' ? ID : POST) + id;
}

/** The post of a record, if it has a key of its own; otherwise ''. */
function postOf(record: StoredRecord): string {
  return record.kind === 'comment' ? record.post : '';
}

/**
 * Every key under which a record must be listed, found the plain way, each with the payload of the record in its list,
 * 0 without; `check` compares the lists with it. In no order.
 */
export function recordKeys(record: StoredRecord): Map<string, number> {
  const keys = new Map([
    [ID + record.id, 0],
    [COMMUNITY + record.community, 0],
  ]);
  const post = postOf(record);
  if (post !== '') keys.set(POST + post, 0);
  for (const site of siteKeys(record)) keys.set(SITE + site, 0);
  for (const { min, max, name } of BANDS)
    if (record.score >= min && record.score <= max) keys.set(BAND + name, 0);
  const add = (key: string, payload: number) =>
    keys.set(key, payload !== 0 && keys.has(key) ? SEVERAL_PAYLOAD : payload);
  const texts = tokensOf(record);
  const payloads = new RecordPayloads(texts);
  let place = 0;
  for (const [text, held] of texts.entries()) {
    // A text without tokens, or the first one, has no place between it and the one before.
    if (place > 0) place++;
    for (const [i, token] of held.entries()) {
      add(TOKEN + token, payloads.ofToken(text, i, place + i));
      const next = held[i + 1];
      if (next !== undefined && isPair(tokenClass(token), tokenClass(next)))
        add(pairKey(token, next), placeCode(place + i));
    }
    place += held.length;
  }
  return keys;
}

/** Numbers values in the order of first occurrence, as columns contain them. */
export class Numbering<T> {
  readonly values: T[] = [];
  readonly #numbers = new Map<string, number>();

  /** Values with the same `key` are the same. */
  number(key: string, value: T): number {
    return this.#numbers.getOrInsertComputed(key, () => this.values.push(value) - 1);
  }
}

export interface Band {
  /** Includes both ends. */
  readonly min: number;
  readonly max: number;
  /** The text after the letter. */
  readonly name: string;
}

/** Bands overlap: each includes those beyond it. */
export const BANDS: readonly Band[] = [
  ...UPPER.map((max) => ({ min: -Infinity, max })),
  ...LOWER.map((min) => ({ min, max: Infinity })),
].map((band, i) => ({ ...band, name: String(i).padStart(2, '0') }));

/** Bands for a range between two thresholds: the docs of `inside` that are not in `outside`. */
export interface Slice {
  readonly min: number;
  readonly max: number;
  readonly inside: Band;
  readonly outside: Band | null;
}

/** All scores from the highest slice to the lowest, without overlap. */
export const SLICES: readonly Slice[] = [
  ...LOWER.map((min, i) =>
    slice(atLeast(min)!, LOWER[i + 1] === undefined ? null : atLeast(LOWER[i + 1]!)!),
  ).reverse(),
  ...UPPER.map((max, i) => slice(atMost(max)!, i === 0 ? null : atMost(UPPER[i - 1]!)!)).reverse(),
];

/** The band of exactly the scores from `min` up (`atMost`: from `max` down); null: no such threshold. */
export function atLeast(min: number): Band | null {
  return BANDS.find((band) => band.min === min && band.max === Infinity) ?? null;
}

export function atMost(max: number): Band | null {
  return BANDS.find((band) => band.max === max && band.min === -Infinity) ?? null;
}

function slice(inside: Band, outside: Band | null): Slice {
  const min = outside !== null && inside.min === -Infinity ? outside.max + 1 : inside.min;
  const max = outside !== null && inside.max === Infinity ? outside.min - 1 : inside.max;
  return { min, max, inside, outside };
}
