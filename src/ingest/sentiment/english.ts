// Is this text reliably English? A cheap look at its commonest words settles most; n-grams judge the rest, as eld does.
import { isVerdictReliable, ngramsAreEnglish } from './ngram-languages.ts';

/** Words of at most 6 letters that are very common in English and rare in the other languages of Latin script. */
const COMMON_WORDS = `
  the and you that it its this with they are not but what your would about which their there when just like from who
  how why been were them then than these those some any could should really think know get got out up if my can more
  people dont doesnt didnt isnt cant wont im ive youre theyre thats has will his our of to`;

/** A word is a letter and the letters, marks, digits and apostrophes that follow it. */
const WORD = /\p{L}[\p{L}\p{M}\p{N}'’]*/gu;
const MIN_WORDS = 2;

/** Below this many words, the detector must call its verdict reliable, and needs this many letters to go by. */
const SHORT_WORDS = 4;
const MIN_LETTERS = 10;

/**
 * The common words settle a text of at least this many words if at least one word in WORDS_A_COMMON is common and two
 * of them differ.
 */
const MIN_SETTLED_WORDS = 5;
const WORDS_A_COMMON = 5;

/** UTF-16 units that are judged: eld reads no more. */
const JUDGED_UNITS = 1000;
/** UTF-16 units in which common words are counted. */
const COUNTED_UNITS = 400;

/** Letters in one packed number: 5 bits each. */
const PACKED_LETTERS = 6;
/** Packed words by open addressing; 0: none. */
const SLOTS = 1 << 10;
const commonWords = new Int32Array(SLOTS);
for (const word of COMMON_WORDS.trim().split(/\s+/)) {
  let slot = slotOf(packed(word));
  while (commonWords[slot] !== 0) slot = (slot + 1) & (SLOTS - 1);
  commonWords[slot] = packed(word);
}

/**
 * False also for fewer than two words. The thresholds were chosen by comparing with CLD2 (the published datasets use
 * it) on comments; links should have been blanked.
 */
export function isReliablyEnglish(text: string): boolean {
  return holdsCommonWords(text) || isDetectedEnglish(text.slice(0, JUDGED_UNITS));
}

/**
 * True if the commonest words settle that the text is English; false leaves it open. About 0.5 µs. A letter outside
 * ASCII leaves it open.
 */
export function holdsCommonWords(text: string): boolean {
  const end = Math.min(text.length, COUNTED_UNITS);
  let words = 0;
  let common = 0;
  let firstCommon = 0;
  let differ = false;
  let word = 0;
  let letters = 0;
  for (let i = 0; i <= end; i++) {
    const unit = i < end ? text.charCodeAt(i) : 0x20;
    const small = unit | 0x20;
    if (small >= 0x61 && small <= 0x7a && unit < 0x80) {
      word = (word << 5) | (small - 0x60);
      letters++;
      continue;
    }
    if (unit === 0x27 || unit === 0x2019) continue;
    if (unit >= 0xaa && isForeignLetter(unit)) return false;
    if (letters === 0) continue;
    words++;
    if (letters <= PACKED_LETTERS && isCommon(word)) {
      common++;
      if (firstCommon === 0) firstCommon = word;
      else if (word !== firstCommon) differ = true;
    }
    word = 0;
    letters = 0;
  }
  return differ && words >= MIN_SETTLED_WORDS && common * WORDS_A_COMMON >= words;
}

function isCommon(word: number): boolean {
  for (let slot = slotOf(word); commonWords[slot] !== 0; slot = (slot + 1) & (SLOTS - 1)) {
    if (commonWords[slot] === word) return true;
  }
  return false;
}

function slotOf(word: number): number {
  return Math.imul(word, 0x9e3779b1) >>> 22;
}

/** By n-grams; some 4 µs, more where letters are outside ASCII. */
export function isDetectedEnglish(text: string): boolean {
  const { words, letters } = firstWords(text);
  if (words < MIN_WORDS) return false;
  const isShort = words < SHORT_WORDS;
  if (isShort && letters < MIN_LETTERS) return false;
  return ngramsAreEnglish(text) && (!isShort || isVerdictReliable());
}

/** The number of the first words, up to SHORT_WORDS, and their letters in all. */
function firstWords(text: string) {
  let words = 0;
  let letters = 0;
  for (const [word] of text.matchAll(WORD)) {
    words++;
    letters += word.length;
    if (words === SHORT_WORDS) break;
  }
  return { words, letters };
}

/** Not ASCII; punctuation, symbols and emoji are no letters. */
function isForeignLetter(unit: number): boolean {
  if (unit >= 0x2000 && unit <= 0x2bff) return false;
  if (unit >= 0xd800 && unit <= 0xdfff) return false;
  return /[\p{L}\p{M}]/u.test(String.fromCharCode(unit)) && unit !== 0xfe0f;
}

function packed(word: string): number {
  let number = 0;
  for (const letter of word) number = (number << 5) | (letter.charCodeAt(0) - 0x60);
  return number;
}
