// Reads the n-gram table of eld from the text of its module into typed arrays. Loading the module makes 50,000 objects,
// which takes six times as long and 80 MB.

import { readFileSync } from 'node:fs';

export const ELD_FOLDER = new URL('../', import.meta.resolve('eld/extrasmall'));

/** Bytes of an n-gram, at most. */
export const NGRAM = 4;
/** Edges of an n-gram: it begins its word, it ends it. */
export const BEGINS = 1;
export const ENDS = 2;

/** The table has each score minus this. */
const BASE_SCORE = 53;
const [BLANK, QUOTE, COMMA, ZERO, COLON, BACKSLASH, CLOSE] = [0x20, 0x27, 0x2c, 0x30, 0x3a, 0x5c, 0x7d];

/** Of a hash table with open addressing. */
export const SLOTS = 1 << 18;

interface NgramTable {
  /** In the slot of an n-gram, or behind it: its number, from 1; 0: nothing. */
  readonly slots: Uint32Array;
  /** By number of the n-gram: its bytes, the first one lowest, and its edges. */
  readonly bytesOf: Int32Array;
  readonly edgesOf: Uint8Array;
  /** By number: where its languages and scores begin; they end where the next ones begin. */
  readonly firstScore: Uint32Array;
  readonly languages: Uint8Array;
  readonly scores: Int16Array;
  /** By number of the language, as in `languages`. */
  readonly languageNames: readonly string[];
}

export const NO_NGRAMS: NgramTable = {
  ...{ slots: new Uint32Array(0), bytesOf: new Int32Array(0), edgesOf: new Uint8Array(0) },
  ...{ firstScore: new Uint32Array(0), languages: new Uint8Array(0), scores: new Int16Array(0) },
  languageNames: [],
};

/** `{type:…,languages:{0:'am',…},isSubset:false,ngrams:{' Lé4L':{0:176},L_QL:{0:148},'ab\'c':{11:3,20:64},…}}` */
export function readNgramTable(): NgramTable {
  const source = readFileSync(new URL('ngrams/extrasmall.js', ELD_FOLDER), 'utf8');
  if (!source.trimEnd().endsWith('}};')) throw new Error('expected the whole table of eld');
  const start = behind(source, 'ngrams:{');
  const languageNames = Array.from(
    source.slice(behind(source, 'languages:{'), start).matchAll(/\d+:'(\w+)'/g),
    ([, name]) => name!,
  );
  const bytesOf = [0];
  const edgesOf = [0];
  const firstScore = [0];
  const languages: number[] = [];
  const scores: number[] = [];
  for (let at = start; source.charCodeAt(at) !== CLOSE; ) {
    let edges = 0;
    let bytes = 0;
    let length = 0;
    const end = source.charCodeAt(at) === QUOTE ? QUOTE : COLON;
    if (end === QUOTE) at++;
    for (let unit = source.charCodeAt(at++); unit !== end; unit = source.charCodeAt(at++)) {
      if (unit === BLANK) edges |= length === 0 ? BEGINS : ENDS;
      else bytes |= (unit === BACKSLASH ? source.charCodeAt(at++) : unit) << (8 * length++);
    }
    bytesOf.push(bytes);
    edgesOf.push(edges);
    firstScore.push(languages.length);
    if (end === QUOTE) at++;
    // From `{` on, numbers: of a language, of its score, of the next language …
    let number = 0;
    for (let unit = source.charCodeAt(++at); unit !== CLOSE; unit = source.charCodeAt(++at)) {
      if (unit === COLON) languages.push(number);
      else if (unit === COMMA) scores.push(number + BASE_SCORE);
      number = unit === COLON || unit === COMMA ? 0 : 10 * number + unit - ZERO;
    }
    scores.push(number + BASE_SCORE);
    at++;
    if (source.charCodeAt(at) === COMMA) at++;
  }
  return {
    slots: slotsOf(bytesOf, edgesOf),
    bytesOf: Int32Array.from(bytesOf),
    edgesOf: Uint8Array.from(edgesOf),
    firstScore: Uint32Array.from([...firstScore, languages.length]),
    languages: Uint8Array.from(languages),
    scores: Int16Array.from(scores),
    languageNames,
  };
}

function behind(source: string, mark: string): number {
  const at = source.indexOf(mark);
  if (at < 0) throw new Error(`expected \`${mark}\` in the table of eld`);
  return at + mark.length;
}

function slotsOf(bytesOf: readonly number[], edgesOf: readonly number[]): Uint32Array {
  const slots = new Uint32Array(SLOTS);
  for (let number = 1; number < bytesOf.length; number++) {
    let slot = slotOf(bytesOf[number]!, edgesOf[number]!);
    while (slots[slot] !== 0) slot = (slot + 1) & (SLOTS - 1);
    slots[slot] = number;
  }
  return slots;
}

export function slotOf(bytes: number, edges: number): number {
  const mixed = Math.imul(bytes ^ Math.imul(edges + 1, 0x9e3779b1), 0x85ebca6b);
  return (mixed ^ (mixed >>> 15)) & (SLOTS - 1);
}
