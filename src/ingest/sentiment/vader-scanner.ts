// A text cut into VADER's words, in one pass and without cutting strings out: for each word its number in the
// vocabulary, whether it negates and whether it is in capitals.

import {
  HASH_START,
  hashedOn,
  negations,
  numberOf,
  numberOfHashed,
  numberWithin,
} from './vader-vocabulary.ts';

/** The words of the text scanned last: overwritten by the next scan. */
export interface ScannedWords {
  count: number;
  /** Number of each word in the vocabulary. */
  numbers: Int32Array;
  /** 1 where the word is a negation or holds "n't". */
  negates: Uint8Array;
  /** 1 where Python's `isupper()` is true: a capital among its letters and no small letter. */
  capitals: Uint8Array;
  /** True where some of the words are in capitals, but not all. */
  capitalsDiffer: boolean;
  exclamationMarks: number;
  questionMarks: number;
}

const scanned: ScannedWords = {
  count: 0,
  numbers: new Int32Array(1024),
  negates: new Uint8Array(1024),
  capitals: new Uint8Array(1024),
  capitalsDiffer: false,
  exclamationMarks: 0,
  questionMarks: 0,
};

const SPACE = 1;
const PUNCTUATION = 2;
const SMALL = 4;
const CAPITAL = 8;
/** Not ASCII and not one of the plain units: the word goes the slow way. */
const FOREIGN = 16;
/** Units up to here are in the table of classes. */
const LAST_CLASSED = 0x3000;
const classes = classTable();

/**
 * Cuts at white space as Python's `split()` does, and takes leading and trailing ASCII punctuation off each word unless
 * two characters or fewer would be left (":)" stays). Emoji must have been described before.
 */
export function scanWords(text: string): ScannedWords {
  scanned.count = 0;
  scanned.exclamationMarks = 0;
  scanned.questionMarks = 0;
  let capitalWords = 0;
  let at = 0;
  while (at < text.length) {
    let met = 0;
    let hash = HASH_START;
    const from = at;
    for (; at < text.length; at++) {
      const unit = text.charCodeAt(at);
      const unitClass = unit <= LAST_CLASSED ? classes[unit]! : FOREIGN;
      if (unitClass === SPACE) break;
      met |= unitClass;
      hash = hashedOn(hash, unitClass === CAPITAL ? unit | 0x20 : unit);
      if (unitClass !== PUNCTUATION) continue;
      if (unit === 0x21) scanned.exclamationMarks++;
      else if (unit === 0x3f) scanned.questionMarks++;
    }
    if (at > from) capitalWords += addWord(text, from, at, met, hash);
    at++;
  }
  scanned.capitalsDiffer = capitalWords > 0 && capitalWords < scanned.count;
  return scanned;
}

/** `met`: every class among the units. `hash`: of all of them. Returns 1 where the word is in capitals. */
function addWord(text: string, start: number, end: number, met: number, hash: number): number {
  let from = start;
  let to = end;
  if ((met & PUNCTUATION) !== 0) {
    while (from < to && isPunctuation(text.charCodeAt(from))) from++;
    while (to > from && isPunctuation(text.charCodeAt(to - 1))) to--;
    if (to - from <= 2 || (to - from <= 4 && [...text.slice(from, to)].length <= 2)) {
      from = start;
      to = end;
    }
  }
  if (scanned.count === scanned.numbers.length) grow();
  const place = scanned.count++;
  if ((met & FOREIGN) !== 0) return addForeignWord(text.slice(from, to), place);
  const isWhole = from === start && to === end;
  const number = isWhole ? numberOfHashed(hash, text, from, to) : numberWithin(text, from, to);
  const negates = negations[number] === 1 || ((met & PUNCTUATION) !== 0 && hasNt(text, from, to));
  const inCapitals = (met & CAPITAL) !== 0 && (met & SMALL) === 0 ? 1 : 0;
  scanned.numbers[place] = number;
  scanned.negates[place] = negates ? 1 : 0;
  scanned.capitals[place] = inCapitals;
  return inCapitals;
}

function addForeignWord(word: string, place: number): number {
  const lower = word.toLowerCase();
  const number = numberOf(lower);
  const inCapitals = /\p{Uppercase}/u.test(word) && !/[\p{Lowercase}\p{Lt}]/u.test(word) ? 1 : 0;
  scanned.numbers[place] = number;
  scanned.negates[place] = negations[number] === 1 || lower.includes("n't") ? 1 : 0;
  scanned.capitals[place] = inCapitals;
  return inCapitals;
}

/** Whether "n't" stands in text[from, to), in any case. */
function hasNt(text: string, from: number, to: number): boolean {
  for (let i = from + 1; i < to - 1; i++) {
    if (text.charCodeAt(i) !== 0x27) continue;
    if ((text.charCodeAt(i - 1) | 32) === 0x6e && (text.charCodeAt(i + 1) | 32) === 0x74) return true;
  }
  return false;
}

function isPunctuation(unit: number): boolean {
  return unit < 128 && classes[unit] === PUNCTUATION;
}

function grow(): void {
  const size = scanned.numbers.length * 2;
  const { numbers, negates, capitals } = scanned;
  scanned.numbers = new Int32Array(size);
  scanned.negates = new Uint8Array(size);
  scanned.capitals = new Uint8Array(size);
  scanned.numbers.set(numbers);
  scanned.negates.set(negates);
  scanned.capitals.set(capitals);
}

/** Classes of the units up to LAST_CLASSED; 0 for what is neither space, punctuation nor letter (digits, dashes). */
function classTable(): Uint8Array {
  const table = new Uint8Array(LAST_CLASSED + 1).fill(FOREIGN, 128);
  const fill = (first: number, last: number, unitClass: number) => table.fill(unitClass, first, last + 1);
  for (const [first, last] of [
    [0x21, 0x2f],
    [0x3a, 0x40],
    [0x5b, 0x60],
    [0x7b, 0x7e],
  ] as const) {
    fill(first, last, PUNCTUATION);
  }
  fill(0x41, 0x5a, CAPITAL);
  fill(0x61, 0x7a, SMALL);
  // Dashes, quotation marks and the ellipsis: neither letters nor changed by lower-casing, and common.
  fill(0x2010, 0x2027, 0);
  // What Python's str.isspace() holds for (CPython, Objects/unicodetype_db.h).
  for (const [first, last] of [
    [0x09, 0x0d],
    [0x1c, 0x20],
    [0x85, 0x85],
    [0xa0, 0xa0],
    [0x1680, 0x1680],
    [0x2000, 0x200a],
    [0x2028, 0x2029],
    [0x202f, 0x202f],
    [0x205f, 0x205f],
    [0x3000, 0x3000],
  ] as const) {
    fill(first, last, SPACE);
  }
  return table;
}
