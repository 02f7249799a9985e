// Which neighbours are indexed as a pair, so that phrases of common words can be answered without reading the
// text. CommonGrams, as in Nutch and HathiTrust ("Large-scale Full-text Indexing", Burton-West 2010), with a
// bound on the other word too: a rare neighbour leaves few candidates anyway, and rare pairs would fill the
// dictionary.

import { COMMON_TOKENS, FREQUENT_TOKENS } from './common-tokens.ts';

/** Goes up when the rule or its lists change; segments say which one they were written by. */
export const PAIR_RULE = 1;

/** The class of a token for the rule. */
export const ORDINARY = 0;
export const FREQUENT = 1;
export const COMMON = 2;
/** One character (a letter of Chinese, Japanese, Thai …, a digit, an emoji): with another one always a pair. */
export const SINGLE = 4;

/** A sum of the classes above. */
export function tokenClass(token: string): number {
  const single = isSingle(token) ? SINGLE : 0;
  if (!mayBeListed(token)) return single;
  if (COMMON_TOKENS.has(token)) return single | COMMON | FREQUENT;
  return FREQUENT_TOKENS.has(token) ? single | FREQUENT : single;
}

/**
 * True if two neighbours of these classes are indexed: at least one common and one frequent, or both single.
 */
export function isPair(first: number, second: number): boolean {
  return (
    ((first & second & FREQUENT) !== 0 && ((first | second) & COMMON) !== 0) ||
    (first & second & SINGLE) !== 0
  );
}

/** One code point, or one letter of a script without spaces together with its marks. */
function isSingle(token: string): boolean {
  if (token.length === 1) return true;
  if (token.length === 2 && token.codePointAt(0)! > 0xffff) return true;
  return token.charCodeAt(0) >= 0x0e00 && LETTER_WITH_MARKS.test(token);
}

const LETTER_WITH_MARKS =
  /^[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmer}\p{scx=Myanmar}]\p{M}*$/u;

/**
 * Length and first, second and last unit of the listed tokens, which rule out most others without a look-up.
 */
const LISTED_SHAPES: ReadonlySet<number> = new Set([...COMMON_TOKENS, ...FREQUENT_TOKENS].map(shapeOf));

function mayBeListed(token: string): boolean {
  return LISTED_SHAPES.has(shapeOf(token));
}

/** Of the length and the first, second and last unit. */
function shapeOf(token: string): number {
  const { length } = token;
  const ends = token.charCodeAt(0) * 0x1_0000 + token.charCodeAt(length - 1);
  return (ends * 0x100 + (token.charCodeAt(1) & 0xff)) * 0x100 + Math.min(length, 0xff);
}
