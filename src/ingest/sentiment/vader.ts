// VADER: how positive or negative an English text sounds, by a lexicon of rated words and rules for their neighbours.
// Equal to `SentimentIntensityAnalyzer().polarity_scores(text)['compound']` of Python's vaderSentiment 3.3.2, oddities
// included, on Python up to 3.11 (3.12 changed the last bits of `sum`). Hutto & Gilbert, ICWSM 2014; vader-licence.txt.

import { roundTo4 } from './rounding.ts';
import { weighAroundBut } from './vader-but.ts';
import { describeEmoji } from './vader-emoji.ts';
import { type ScannedWords, scanWords } from './vader-scanner.ts';
import {
  BOOST,
  boosts,
  idiomValence,
  isDampeningPair,
  numberOf,
  phraseStarts,
  valences,
} from './vader-vocabulary.ts';

/** What a negation before a word makes of its valence. */
const NEGATED = -0.74;
/** What capitals add where other words are not in capitals. */
const CAPITALS = 0.733;
/** The square of the valence that counts as half way to ±1, roughly. */
const ALPHA = 15;

const [NO, OR, NOR, BUT, KIND, OF, LEAST, AT, VERY, NEVER, SO, THIS, WITHOUT, DOUBT] =
  'no or nor but kind of least at very never so this without doubt'.split(' ').map(numberOf) as [
    number,
    number,
    number,
    number,
    number,
    number,
    number,
    number,
    number,
    number,
    number,
    number,
    number,
    number,
  ];

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

/** What a booster or dampener adds to a valence: towards its sign. */
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
