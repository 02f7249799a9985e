// The words that VADER knows: lexicon, boosters, negations and the words of its idioms, each under a small number.
// Constants and lists are those of vaderSentiment 3.3.2 (Hutto & Gilbert 2014); see vader-licence.txt.
// Emoji as words: VADER reads each as its description ("😁" as "beaming face with smiling eyes").

import { readFileSync } from 'node:fs';

/** Rise of intensity by a booster ("very"); a dampener ("slightly") takes as much away. */
export const BOOST = 0.293;

const NEGATIONS = `
  aint arent cannot cant couldnt darent didnt doesnt ain't aren't can't couldn't daren't didn't doesn't dont hadnt
  hasnt havent isnt mightnt mustnt neither don't hadn't hasn't haven't isn't mightn't mustn't neednt needn't never
  none nope nor not nothing nowhere oughtnt shant shouldnt uhuh wasnt werent oughtn't shan't shouldn't uh-uh wasn't
  weren't without wont wouldnt won't wouldn't rarely seldom despite`;

const BOOSTERS = `
  absolutely amazingly awfully completely considerable considerably decidedly deeply effing enormous enormously
  entirely especially exceptional exceptionally extreme extremely fabulously flipping flippin frackin fracking
  fricking frickin frigging friggin fully fuckin fucking fuggin fugging greatly hella highly hugely incredible
  incredibly intensely major majorly more most particularly purely quite really remarkably so substantially
  thoroughly total totally tremendous tremendously uber unbelievably unusually utter utterly very`;

const DAMPENERS = `
  almost barely hardly kinda kindof kind-of less little marginal marginally occasional occasionally partly scarce
  scarcely slight slightly somewhat sorta sortof sort-of`;

/** Words that the rules name and that no list above holds. */
const RULE_WORDS = `no or but kind of least at this doubt the shit bomb bad ass bus stop yeah right kiss death to die
  for beating heart just enough sort`;

/** Phrases with a valence of their own. "badass" alone stands in the reference too, where no phrase can equal it. */
const IDIOMS: readonly (readonly [string, number])[] = [
  ['the shit', 3],
  ['the bomb', 3],
  ['bad ass', 1.5],
  ['bus stop', 0],
  ['yeah right', -2],
  ['kiss of death', -1.5],
  ['to die for', 3],
  ['beating heart', 3.5],
];

const DAMPENING_PAIRS = ['just enough', 'kind of', 'sort of'];

/** The number of a word that VADER does not know. */
export const UNKNOWN = 0;

const words: string[] = [''];
const numberByWord = new Map<string, number>();
/** Word → mean rating. Words are looked up in lower case, so the few with capitals can never be found. */
const lexicon = new Map(linesOf('./vader-lexicon.tsv').map(([word, rating]) => [word, Number(rating)]));
for (const list of [NEGATIONS, BOOSTERS, DAMPENERS, RULE_WORDS]) for (const word of split(list)) add(word);
for (const word of lexicon.keys()) add(word);

/** By number: the valence of the lexicon, about −4 to 4; NaN for words that are not in it. */
export const valences = Float64Array.from(words, (word) => lexicon.get(word) ?? NaN);

/** By number: BOOST for boosters, −BOOST for dampeners, 0 for other words. */
export const boosts = new Float64Array(words.length);
for (const word of split(BOOSTERS)) boosts[numberOf(word)] = BOOST;
for (const word of split(DAMPENERS)) boosts[numberOf(word)] = -BOOST;

/** By number: 1 for words that negate what follows. */
export const negations = new Uint8Array(words.length);
for (const word of split(NEGATIONS)) negations[numberOf(word)] = 1;

/** By number: 1 for words that begin an idiom or a dampening pair. */
export const phraseStarts = new Uint8Array(words.length);
for (const phrase of [...IDIOMS.map(([text]) => text), ...DAMPENING_PAIRS]) {
  phraseStarts[numberOf(split(phrase)[0]!)] = 1;
}

/** Stands for the third word of a phrase of two; no word has this number. */
const NO_THIRD = 65_535;

/** Valence of the idiom of two words (or three, where `third` is given); undefined where they are none. */
export function idiomValence(first: number, second: number, third = NO_THIRD): number | undefined {
  return idioms.get(phraseKey(first, second, third));
}

export function isDampeningPair(first: number, second: number): boolean {
  return dampeningPairs.has(phraseKey(first, second, NO_THIRD));
}

const idioms = new Map(IDIOMS.map(([phrase, valence]) => [keyOf(phrase), valence]));
const dampeningPairs = new Set(DAMPENING_PAIRS.map(keyOf));

/** The number of a word in lower case, UNKNOWN where VADER does not know it. */
export function numberOf(word: string): number {
  return numberByWord.get(word) ?? UNKNOWN;
}

// Open addressing over FNV-1a (http://www.isthe.com/chongo/tech/comp/fnv/) of the UTF-16 units, so that the scanner
// looks a word up without cutting it out of its text.
const TABLE_SIZE = 32_768;
export const HASH_START = 0x811c9dc5 | 0;
const HASH_FACTOR = 0x01000193;
const table = new Uint16Array(TABLE_SIZE);
/** By slot: the hash of its word. */
const hashes = new Int32Array(TABLE_SIZE);
/**
 * A bit for each hash that a word has (Bloom, "Space/Time Trade-offs in Hash Coding", CACM 1970): most words of a text
 * are unknown, and these 8 KB stay in the processor's cache where the table does not.
 */
const FILTER_BITS = 1 << 16;
const filter = new Int32Array(FILTER_BITS / 32);
for (const [word, number] of numberByWord) {
  let hash = HASH_START;
  for (let i = 0; i < word.length; i++) hash = hashedOn(hash, word.charCodeAt(i));
  let slot = mixed(hash);
  while (table[slot] !== UNKNOWN) slot = (slot + 1) & (TABLE_SIZE - 1);
  table[slot] = number;
  hashes[slot] = hash;
  filter[filterBit(hash) >>> 5]! |= 1 << filterBit(hash);
}

/** `hash` with one more unit of the word: of a small letter where it is A–Z. */
export function hashedOn(hash: number, lowerUnit: number): number {
  return Math.imul(hash ^ lowerUnit, HASH_FACTOR);
}

/** As numberOf, of text[from, to) with A–Z taken as a–z. */
export function numberWithin(text: string, from: number, to: number): number {
  let hash = HASH_START;
  for (let i = from; i < to; i++) hash = hashedOn(hash, lowerUnit(text.charCodeAt(i)));
  return numberOfHashed(hash, text, from, to);
}

/** The same where the hash is known: `hashedOn` from HASH_START, unit by unit. */
export function numberOfHashed(hash: number, text: string, from: number, to: number): number {
  const bit = filterBit(hash);
  if ((filter[bit >>> 5]! & (1 << bit)) === 0) return UNKNOWN;
  for (let slot = mixed(hash); table[slot] !== UNKNOWN; slot = (slot + 1) & (TABLE_SIZE - 1)) {
    if (hashes[slot] === hash && equalsWithin(words[table[slot]!]!, text, from, to)) return table[slot]!;
  }
  return UNKNOWN;
}

function equalsWithin(word: string, text: string, from: number, to: number): boolean {
  if (word.length !== to - from) return false;
  for (let i = 0; i < word.length; i++) {
    if (word.charCodeAt(i) !== lowerUnit(text.charCodeAt(from + i))) return false;
  }
  return true;
}

function filterBit(hash: number): number {
  return (hash ^ (hash >>> 13)) & (FILTER_BITS - 1);
}

function mixed(hash: number): number {
  return (hash ^ (hash >>> 15)) & (TABLE_SIZE - 1);
}

function lowerUnit(unit: number): number {
  return unit >= 65 && unit <= 90 ? unit | 32 : unit;
}

function phraseKey(first: number, second: number, third: number): number {
  return (first * 65_536 + second) * 65_536 + third;
}

function keyOf(phrase: string): number {
  const [first, second, third] = split(phrase);
  return phraseKey(numberOf(first!), numberOf(second!), third === undefined ? NO_THIRD : numberOf(third));
}

function add(word: string): void {
  if (numberByWord.has(word)) return;
  numberByWord.set(word, words.length);
  words.push(word);
}

function split(list: string): string[] {
  return list.trim().split(/\s+/);
}

/** The two cells of each line. */
function linesOf(name: string): (readonly [string, string])[] {
  const file = readFileSync(new URL(name, import.meta.url), 'utf8');
  return file
    .trimEnd()
    .split('\n')
    .map((line) => {
      const tab = line.indexOf('\t');
      return [line.slice(0, tab), line.slice(tab + 1)];
    });
}

const descriptions = new Map(
  linesOf('./emoji-lexicon.tsv').map(([emoji, text]) => [emoji.codePointAt(0)!, text]),
);
const leastUnit = Math.min(...descriptions.keys());

/**
 * The text with every emoji of one code point replaced by its description; a blank goes before it unless it begins the
 * text or follows a blank. None comes after it: what follows sticks to its last word, as in the reference.
 */
export function describeEmoji(text: string): string {
  let described = '';
  let copied = 0;
  for (let i = 0; i < text.length; i++) {
    if (text.charCodeAt(i) < leastUnit) continue;
    const point = text.codePointAt(i)!;
    const description = descriptions.get(point);
    const width = point > 0xffff ? 2 : 1;
    if (description !== undefined) {
      described += text.slice(copied, i);
      if (i > 0 && (i === copied || text[i - 1] !== ' ')) described += ' ';
      described += description;
      copied = i + width;
    }
    i += width - 1;
  }
  return copied === 0 ? text : described + text.slice(copied);
}
