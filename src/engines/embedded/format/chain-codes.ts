// Tokens of chains (chains.ts) as bytes. Inside one record, a code stands for one token: who knows from the
// lists that a record has all pairs of a phrase can tell from the codes alone whether they follow each
// other. So most phrases are settled without a look at the text.
//
//   0          between two chains
//   1          some token without a code
//   2–129      the 128 commonest tokens, each with a code that no other has
//   130–247    others, by hash: level 0
//   248–255    the first of two bytes, the second 0 to 247; by hash: level 1
//
// A token has the code of the first level at which none of the other tokens in the pairs of its record has
// it. (A perfect hash by levels, as in Limasset et al., "Fast and Scalable Minimal Perfect Hashing for
// Massive Key Sets", arXiv 1702.03154, for a set as small as the words of one comment.)

import { Buffer } from 'node:buffer';
import { COMMON_TOKENS } from './common-tokens.ts';

export const BETWEEN = 0;
export const UNKNOWN = 1;

const OWN_CODES = 128;
const FIRST_OWN = 2;
const FIRST_HASHED = FIRST_OWN + OWN_CODES;
/** This byte and those above begin a code of two bytes; a second byte is below. */
export const FIRST_LEAD = 248;

/** Codes by hash, by level. */
export const LEVELS = 2;
const LEVEL_CODES = [FIRST_LEAD - FIRST_HASHED, (0x100 - FIRST_LEAD) * FIRST_LEAD] as const;
/** A number of a code at its level is below this. */
export const MAX_LEVEL_CODES: number = Math.max(...LEVEL_CODES);

const OWN_TOKENS: ReadonlyMap<string, number> = new Map(
  [...COMMON_TOKENS].slice(0, OWN_CODES).map((token, place) => [token, FIRST_OWN + place]),
);

/** The code that stands for this token in every record; 0: it has none. */
export function ownCode(token: string): number {
  return OWN_TOKENS.get(token) ?? 0;
}

/** By which a token without a code of its own gets one, 32 bits. */
export function tokenHash(token: string): number {
  const bytes = Buffer.from(token);
  return hashOfBytes(bytes, 0, bytes.length);
}

/** The same of its UTF-8, from `start` to `end`: FNV-1a, mixed by MurmurHash3's finaliser. */
export function hashOfBytes(bytes: Uint8Array, start: number, end: number): number {
  let hash = 0x811c9dc5;
  for (let i = start; i < end; i++) hash = Math.imul(hash ^ bytes[i]!, 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return hash ^ (hash >>> 16);
}

/** The number of the hash among the codes of a level. */
export function numberAt(level: number, hash: number): number {
  if (level === 0) return ((hash & 0xffff) * LEVEL_CODES[0]) >>> 16;
  return ((Math.imul(hash, 0x9e3779b1) >>> 16) * LEVEL_CODES[1]) >>> 16;
}

/** The code of a number at its level: one byte; at level 1 the first byte and, times 256, the second. */
export function codeOf(level: number, number: number): number {
  if (level === 0) return FIRST_HASHED + number;
  return FIRST_LEAD + Math.floor(number / FIRST_LEAD) + ((number % FIRST_LEAD) << 8);
}
