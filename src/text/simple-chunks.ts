// The fast path of the tokenizer beyond ASCII: chunks in which every UTF-16 unit folds by itself, as nearly all words
// of European, Cyrillic, Hangul, Han and kana text are. What each unit folds to comes from folding.ts, once a unit.

import { CONTINUATION, FOLDED_TOKEN, fold, SINGLE_TOKEN } from './folding.ts';

/** Folding only makes it lower case. */
const LOWER = 1;
/** Folds to other letters, however many. */
const MAPPED = 2;
/** Folds to a token of its own. */
const SINGLE = 4;
/** Folds by its context: marks, ignorables, emoji, jamo, surrogates, separators and whatever folds to one. */
const GENERAL = 8;

/** By unit; 0: not looked at yet. */
const classes = new Uint8Array(0x10000);
/** By unit, for the classes MAPPED, SINGLE and LOWER. */
const folded: string[] = [];

/**
 * The tokens of a chunk, not yet cut; null if it needs the general path. The chunk contains no separator known to the
 * tokenizer's scan, so without marks it is one run. Adds the start and end of each token, plus `start`, to `places`.
 */
export function simpleTokens(chunk: string, start: number, places: number[] | null): string[] | null {
  let seen = 0;
  for (let i = 0; i < chunk.length; i++) {
    const unit = chunk.charCodeAt(i);
    seen |= classes[unit] || classify(unit);
    if (seen >= GENERAL) return null;
  }
  if (seen === LOWER) {
    if (places !== null) places.push(start, start + chunk.length);
    return [chunk.toLowerCase()];
  }
  const tokens: string[] = [];
  let word = '';
  let wordStart = 0;
  const endWord = (end: number) => {
    if (word !== '') {
      tokens.push(word);
      if (places !== null) places.push(start + wordStart, start + end);
    }
    word = '';
    wordStart = end + 1;
  };
  for (let i = 0; i < chunk.length; i++) {
    const unit = chunk.charCodeAt(i);
    if (classes[unit] !== SINGLE) {
      word += folded[unit]!;
      continue;
    }
    endWord(i);
    tokens.push(folded[unit]!);
    if (places !== null) places.push(start + i, start + i + 1);
  }
  endWord(chunk.length);
  return tokens;
}

function classify(unit: number): number {
  const character = String.fromCharCode(unit);
  const form = fold(character);
  folded[unit] = form;
  classes[unit] = classOf(character, form);
  return classes[unit];
}

function classOf(character: string, form: string): number {
  if (/[^\p{L}\p{N}]|[\p{Default_Ignorable_Code_Point}\p{Extended_Pictographic}]/u.test(character))
    return GENERAL;
  // A digit may be the base of a keycap; the other characters of a keycap are GENERAL.
  if (CONTINUATION.test(character)) return GENERAL;
  const [token, another] = form.match(FOLDED_TOKEN) ?? [];
  if (token !== form || another !== undefined || /^\p{M}/u.test(form)) return GENERAL;
  if (SINGLE_TOKEN.test(form)) return SINGLE;
  // The lower case of Σ depends on its place: a final one becomes ς.
  return form === character.toLowerCase() && character !== 'Σ' ? LOWER : MAPPED;
}
