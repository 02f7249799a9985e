// VADER: how positive or negative an English text sounds, by a lexicon of rated words and rules for their neighbours.
// Equal to `SentimentIntensityAnalyzer().polarity_scores(text)['compound']` of Python's vaderSentiment 3.3.2, oddities
// included, on Python up to 3.11 (3.12 changed the last bits of `sum`). Hutto & Gilbert, ICWSM 2014; vader-licence.txt.
// A comment is rated where there is English to judge. Contract 5.2.

import { grown } from '../../engines/packing/bytes.ts';
import { isReliablyEnglish } from './english.ts';
import {
  BOOST,
  boosts,
  describeEmoji,
  HASH_START,
  hashedOn,
  idiomValence,
  isDampeningPair,
  negations,
  numberOf,
  numberOfHashed,
  numberWithin,
  phraseStarts,
  valences,
} from './vader-vocabulary.ts';

/** What a negation before a word makes of its valence. */
const NEGATED = -0.74;
/** What capitals add where other words are not in capitals. */
const CAPITALS = 0.733;
/** The square of the valence that counts as half way to ±1, roughly. */
const ALPHA = 15;

const NO = numberOf('no');
const OR = numberOf('or');
const NOR = numberOf('nor');
const BUT = numberOf('but');
const KIND = numberOf('kind');
const OF = numberOf('of');
const LEAST = numberOf('least');
const AT = numberOf('at');
const VERY = numberOf('very');
const NEVER = numberOf('never');
const SO = numberOf('so');
const THIS = numberOf('this');
const WITHOUT = numberOf('without');
const DOUBT = numberOf('doubt');

/** The compound rating: −1 to 1, 4 decimals (half to even), 0 where no word of the lexicon is met; never −0. */
export function compound(text: string): number {
  const words = scanWords(describeEmoji(text));
  const found: number[] = [];
  const places: number[] = [];
  for (let i = 0; i < words.count; i++) {
    const valence = valenceAt(words, i);
    if (valence === 0) continue;
    found.push(valence);
    places.push(i);
  }
  if (found.length === 0) return 0;
  const but = placeOf(BUT, words);
  if (but >= 0) weighAroundBut(found, places, but);
  let sum = 0;
  for (const valence of found) sum += valence;
  const emphasis = emphasisOf(words.exclamationMarks, words.questionMarks);
  if (sum > 0) sum += emphasis;
  else if (sum < 0) sum -= emphasis;
  return roundTo4(sum / Math.sqrt(sum * sum + ALPHA));
}

/** Where a word stands first; −1 where it does not. */
function placeOf(number: number, words: ScannedWords): number {
  for (let i = 0; i < words.count; i++) if (words.numbers[i] === number) return i;
  return -1;
}

/** The valence of the word at this place among its neighbours; 0 for words outside the lexicon. */
function valenceAt(words: ScannedWords, i: number): number {
  const { numbers, capitals, capitalsDiffer } = words;
  const number = numbers[i]!;
  const rated = valences[number]!;
  if (Number.isNaN(rated) || boosts[number] !== 0) return 0;
  const hasNext = i + 1 < words.count;
  if (hasNext && number === KIND && numbers[i + 1] === OF) return 0;
  let valence = rated;
  // "no" before another rated word negates it instead of counting itself.
  if (number === NO && hasNext && isRated(numbers[i + 1]!)) valence = 0;
  if (followsNo(numbers, i)) valence = rated * NEGATED;
  if (capitalsDiffer && capitals[i] === 1) valence = valence > 0 ? valence + CAPITALS : valence - CAPITALS;
  for (let distance = 1; distance <= 3 && distance <= i; distance++) {
    const before = i - distance;
    if (isRated(numbers[before]!)) continue;
    let boost = boostOf(numbers[before]!, valence, capitalsDiffer && capitals[before] === 1);
    if (distance === 2) boost *= 0.95;
    else if (distance === 3) boost *= 0.9;
    valence += boost;
    valence = negate(valence, words, i, distance);
    if (distance === 3) valence = checkPhrases(valence, words, i);
  }
  return checkLeast(valence, numbers, i);
}

function isRated(number: number): boolean {
  return !Number.isNaN(valences[number]!);
}

function followsNo(numbers: Int32Array, i: number): boolean {
  if (i > 0 && numbers[i - 1] === NO) return true;
  if (i > 1 && numbers[i - 2] === NO) return true;
  return i > 2 && numbers[i - 3] === NO && (numbers[i - 1] === OR || numbers[i - 1] === NOR);
}

function boostOf(number: number, valence: number, inCapitals: boolean): number {
  const boost = boosts[number]!;
  if (boost === 0) return 0;
  const towards = valence < 0 ? -boost : boost;
  if (!inCapitals) return towards;
  return valence > 0 ? towards + CAPITALS : towards - CAPITALS;
}

/** `distance`: how far before the word at `i` the word to check stands, 1 to 3. */
function negate(valence: number, words: ScannedWords, i: number, distance: number): number {
  const { numbers } = words;
  const before = numbers[i - distance]!;
  const last = numbers[i - 1]!;
  if (distance === 2) {
    if (before === NEVER && (last === SO || last === THIS)) return valence * 1.25;
    if (before === WITHOUT && last === DOUBT) return valence;
  } else if (distance === 3) {
    const middle = numbers[i - 2]!;
    // The reference asks for "never" only together with the middle word: `a and b or c`.
    if ((before === NEVER && (middle === SO || middle === THIS)) || last === SO || last === THIS) {
      return valence * 1.25;
    }
    if (before === WITHOUT && (middle === DOUBT || last === DOUBT)) return valence;
  }
  return words.negates[i - distance] === 1 ? valence * NEGATED : valence;
}

/** Idioms around the word at `i` (at least three words stand before it), and "kind of" and its like before it. */
function checkPhrases(valence: number, words: ScannedWords, i: number): number {
  const [three, two, one, zero] = [i - 3, i - 2, i - 1, i].map((place) => words.numbers[place]!) as Four;
  const next = i + 1 < words.count ? words.numbers[i + 1]! : -1;
  const overnext = i + 2 < words.count ? words.numbers[i + 2]! : -1;
  const starts = phraseStarts[three]! | phraseStarts[two]! | phraseStarts[one]! | phraseStarts[zero]!;
  if (starts === 0) return valence;
  let checked =
    idiomValence(one, zero) ??
    idiomValence(two, one, zero) ??
    idiomValence(two, one) ??
    idiomValence(three, two, one) ??
    idiomValence(three, two) ??
    valence;
  if (next >= 0) checked = idiomValence(zero, next) ?? checked;
  if (overnext >= 0) checked = idiomValence(zero, next, overnext) ?? checked;
  if (isDampeningPair(three, two)) checked -= BOOST;
  if (isDampeningPair(two, one)) checked -= BOOST;
  return checked;
}

type Four = [number, number, number, number];

/** "least" just before negates, unless it is "at least" or "very least". */
function checkLeast(valence: number, numbers: Int32Array, i: number): number {
  if (i === 0 || numbers[i - 1] !== LEAST) return valence;
  const before = i > 1 ? numbers[i - 2] : -1;
  return before === AT || before === VERY ? valence : valence * NEGATED;
}

/** What exclamation marks (up to 4) and question marks (two or more) add to the intensity of the whole. */
function emphasisOf(exclamationMarks: number, questionMarks: number): number {
  const exclaimed = Math.min(exclamationMarks, 4) * 0.292;
  const asked = questionMarks < 2 ? 0 : questionMarks <= 3 ? questionMarks * 0.18 : 0.96;
  return exclaimed + asked;
}

/**
 * What stands before the first "but", at the place `but`, counts half, what follows it half as much again. `valences`
 * and `places` are those of the words with a valence other than 0, in the order of the text. Changes `valences`, in
 * n log n: in turn for each word, the first word that has the same valence at that moment, as in the reference. It may
 * be an earlier one that was changed to it before (its place then decides the factor).
 */
export function weighAroundBut(valences: number[], places: readonly number[], but: number): void {
  const earlier = new Map<number, MinHeap>();
  const heapOf = (valence: number) => earlier.getOrInsertComputed(valence, () => new MinHeap());
  for (let turn = 0; turn < valences.length; turn++) {
    const valence = valences[turn]!;
    heapOf(valence).push(turn);
    const found = heapOf(valence).pop();
    const weighed = valence * (places[found]! < but ? 0.5 : 1.5);
    valences[found] = weighed;
    heapOf(weighed).push(found);
  }
}

/** A binary heap of numbers, the least first (Williams 1964, CACM 7(6), algorithm 232). */
class MinHeap {
  readonly #items: number[] = [];

  push(item: number): void {
    const items = this.#items;
    let child = items.length;
    while (child > 0) {
      const parent = (child - 1) >> 1;
      if (items[parent]! <= item) break;
      items[child] = items[parent]!;
      child = parent;
    }
    items[child] = item;
  }

  pop(): number {
    const items = this.#items;
    const least = items[0]!;
    const last = items.pop()!;
    if (items.length === 0) return least;
    let parent = 0;
    for (;;) {
      let child = 2 * parent + 1;
      if (child + 1 < items.length && items[child + 1]! < items[child]!) child++;
      if (child >= items.length || items[child]! >= last) break;
      items[parent] = items[child]!;
      parent = child;
    }
    items[parent] = last;
    return least;
  }
}

/** As Python's `round(x, 4)`: to the nearest by the exact binary value, ties to even. For −1 to 1; never −0. */
export function roundTo4(value: number): number {
  const scaled = value * 10_000;
  const below = Math.floor(scaled);
  const rest = scaled - below;
  // The product is off by less than 1e-12: only close to one half must the exact value be asked.
  const up = Math.abs(rest - 0.5) > 1e-9 ? rest > 0.5 : roundsUp(value, below);
  return (up ? below + 1 : below) / 10_000 + 0;
}

/** Whether `value`, about (below + ½) / 10,000, lies nearer to the number above, or as near and that one is even. */
function roundsUp(value: number, below: number): boolean {
  // toFixed prints the exact value: a double between −1 and 1 that is close to such a half has at most 70 decimals.
  const exact = BigInt(value.toFixed(70).replace('.', ''));
  const half = (2n * BigInt(below) + 1n) * 5n * 10n ** 65n;
  return exact === half ? below % 2 !== 0 : exact > half;
}

/** Links say nothing of the language. */
const LINK = /(^|\s)https?:\/\/\S+/gi;

/**
 * −1 to 1, 4 decimals; null where unrated: empty or withdrawn, fewer than two words outside links, or not reliably
 * English. The body is rated as it is stored: links and entities included.
 */
export function rate(body: string): number | null {
  if (body === '' || body === '[deleted]' || body === '[removed]') return null;
  const judged = body.includes('://') ? body.replace(LINK, ' ') : body;
  return isReliablyEnglish(judged) ? compound(body) : null;
}

// A text cut into VADER's words, in one pass and without cutting strings out: for each word its number in the
// vocabulary, whether it negates and whether it is in capitals.

/** The words of the text scanned last: overwritten by the next scan. */
const scanned = {
  count: 0,
  /** Number of each word in the vocabulary. */
  numbers: new Int32Array(1024),
  /** 1 where the word is a negation or holds "n't". */
  negates: new Uint8Array(1024),
  /** 1 where Python's `isupper()` is true: a capital among its letters and no small letter. */
  capitals: new Uint8Array(1024),
  /** True where some of the words are in capitals, but not all. */
  capitalsDiffer: false,
  exclamationMarks: 0,
  questionMarks: 0,
};

type ScannedWords = typeof scanned;

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
function scanWords(text: string): ScannedWords {
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
  scanned.numbers = grown(scanned.numbers);
  scanned.negates = grown(scanned.negates);
  scanned.capitals = grown(scanned.capitals);
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
