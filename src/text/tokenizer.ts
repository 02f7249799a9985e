// The tokens of a text and their places, the same for indexing and for queries. Contract 3.4 is the specification. The
// fast path beyond ASCII takes chunks in which every UTF-16 unit folds on its own: nearly all European, Cyrillic,
// Hangul, Han and kana words. It caches what folding.ts makes of each unit. The general path works on runs. The place
// of a token is the stretch of text that it was folded from.

import { decodeEntities } from './entities.ts';
import {
  CONTINUATION,
  EMOJI_SEQUENCE,
  emojiToken,
  FOLDED_TOKEN,
  fold,
  IGNORABLES,
  PIECE,
  RUN,
  RUN_WITH_IGNORABLES,
  SINGLE_TOKEN,
} from './folding.ts';

/** Folds to its lower case. */
const LOWER = 1;
/** Folds to one or more other letters. */
const MAPPED = 2;
/** Folds to a token of its own. */
const SINGLE = 4;
/** Depends on its context: marks, ignorables, emoji, jamo, surrogates, separators and units that fold to one. */
const GENERAL = 8;

/** By unit; 0: not classified yet. */
const classes = new Uint8Array(0x10000);
/** By unit, for the classes MAPPED, SINGLE and LOWER. */
const folded: string[] = [];

/**
 * The tokens of a chunk, not yet cut; null if it needs the general path. The scan found no separator in the chunk, so
 * without marks it is one run. Adds the start and end of each token, plus `start`, to `places`.
 */
function simpleTokens(chunk: string, start: number, places: number[] | null): string[] | null {
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
  // toLowerCase turns a final Σ into ς.
  return form === character.toLowerCase() && character !== 'Σ' ? LOWER : MAPPED;
}

/**
 * The tokens of a text without emoji and entities, from folding its runs, not yet cut. Adds the start and end of each,
 * plus `start`, to `places`: those of its pieces, without the ignorable characters around them.
 */
function foldPlacedRuns(text: string, start: number, places: number[]): string[] {
  const found: string[] = [];
  for (const { 0: run, index } of text.matchAll(RUN_WITH_IGNORABLES)) {
    const folded = fold(run.replace(IGNORABLES, ''));
    const tokens = folded.match(FOLDED_TOKEN);
    if (tokens === null) continue;
    const pieces = [...run.matchAll(PIECE)].filter(([piece]) => !IGNORABLE.test(piece));
    if (tokens[0].length === folded.length) {
      const last = pieces.at(-1)!;
      places.push(start + index + pieces[0]!.index, start + index + last.index + last[0].length);
    } else placeEach(tokens, folded, pieces, start + index, places);
    for (const token of tokens) found.push(token);
  }
  return found;
}

const IGNORABLE = /^\p{Default_Ignorable_Code_Point}/u;

/** Walks the pieces of a run in step with its folded form. */
function placeEach(
  tokens: readonly string[],
  folded: string,
  pieces: readonly RegExpExecArray[],
  start: number,
  places: number[],
): void {
  let next = 0;
  let foldedEnd = 0;
  /**
   * The source piece of the character at this offset of `folded`. Stops at the last piece if the folded pieces are
   * shorter than the folded run (a letter keeps the mark of the vowel AM only beside the vowel).
   */
  const goTo = (offset: number) => {
    while (foldedEnd <= offset && next < pieces.length) foldedEnd += foldedLength(pieces[next++]![0]);
    return pieces[next - 1]!;
  };
  let tokenEnd = 0;
  for (const token of tokens) {
    // indexOf is exact: no character between two tokens can begin one.
    const tokenStart = folded.indexOf(token, tokenEnd);
    tokenEnd = tokenStart + token.length;
    places.push(start + goTo(tokenStart).index);
    const last = goTo(tokenEnd - 1);
    places.push(start + last.index + last[0].length);
  }
}

/** Caches the folded length of short pieces; texts in one script have few different ones. */
const lengths = new Map<string, number>();
const MAX_KEPT_LENGTHS = 10_000;
const MAX_KEPT_UNITS = 8;

function foldedLength(piece: string): number {
  const known = lengths.get(piece);
  if (known !== undefined) return known;
  const { length } = fold(piece.replace(IGNORABLES, ''));
  if (piece.length <= MAX_KEPT_UNITS && lengths.size < MAX_KEPT_LENGTHS) lengths.set(String(piece), length);
  return length;
}

/** Raise it whenever the tokens of a text may change. */
export const TOKENIZER_VERSION = 1;

/** Longer tokens are cut to this many UTF-16 units (one fewer to keep a surrogate pair whole). */
export const MAX_TOKEN_UNITS = 128;

/** A token and its place, in UTF-16 units of the given text. */
export interface TokenSpan {
  readonly token: string;
  readonly start: number;
  readonly end: number;
}

/**
 * The tokens of a text, in order; empty if it contains none. Never throws; linear time. A token may be a
 * slice that keeps the whole text in memory: copy it if you keep it for long.
 */
export function tokens(text: string): string[] {
  const found: string[] = [];
  collect(decodeEntities(text), found, null, null);
  return found;
}

/**
 * The same tokens of a text whose entities are decoded, with their places, starts and ends in ascending order. Tokens
 * from one character (`½`) share its place; a cut token keeps its full place. `beginnings` is a filter, not 0 at the
 * low byte of the first unit of each wanted token; other tokens may be left out.
 */
export function tokenSpans(decoded: string, beginnings: Uint8Array | null = null): TokenSpan[] {
  const found: string[] = [];
  const places: number[] = [];
  collect(decoded, found, places, beginnings);
  const spans: TokenSpan[] = [];
  for (let i = 0; i < found.length; i++) {
    spans.push({ token: found[i]!, start: places[2 * i]!, end: places[2 * i + 1]! });
  }
  return spans;
}

/** Pairs of start and end in the decoded text, one per token; null: not wanted. */
type Places = number[] | null;

/** Adds the tokens of a decoded text. `wanted` filters ASCII words by their first letter; null: all. */
function collect(decoded: string, found: string[], places: Places, wanted: Uint8Array | null): void {
  let chunkStart = -1;
  let seen = 0;
  for (let i = 0; i <= decoded.length; i++) {
    const kind = kindAt(decoded, i);
    if (kind !== SEPARATOR) {
      if (chunkStart < 0) chunkStart = i;
      seen |= kind;
    } else if (chunkStart >= 0) {
      if (seen & OTHER) addChunk(decoded.slice(chunkStart, i), chunkStart, found, places);
      else if (wanted === null || wanted[decoded.charCodeAt(chunkStart) | CASE_BIT] !== 0) {
        const word = decoded.slice(chunkStart, Math.min(i, chunkStart + MAX_TOKEN_UNITS));
        found.push(seen & CAPITAL ? word.toLowerCase() : word);
        if (places !== null) places.push(chunkStart, i);
      }
      chunkStart = -1;
      seen = 0;
    }
  }
}

/** Makes an ASCII capital lower case; lower-case letters and digits have it set. */
const CASE_BIT = 0x20;

// Classes of UTF-16 units for the scan: SEPARATOR ends a token, PLAIN and CAPITAL are ASCII letters and digits,
// OTHER sends its chunk to `addChunk`.
const SEPARATOR = 0;
const PLAIN = 1;
const CAPITAL = 2;
const OTHER = 4;
/** `#` and `*`: OTHER or SEPARATOR, depending on what follows. */
const KEYCAP_BASE = 8;
/** A unit beyond ASCII before its first use: classifying all of them at the start would take 20 ms. */
const UNKNOWN = 16;

const OTHER_UNIT = /[[\p{L}\p{M}\p{N}\p{Default_Ignorable_Code_Point}\p{Emoji}\p{Surrogate}]--\u02BC]/v;
const kinds = unitKinds();

function unitKinds(): Uint8Array {
  const known = new Uint8Array(0x10000).fill(UNKNOWN, 0x80);
  for (let unit = 0; unit < 0x80; unit++) {
    const character = String.fromCharCode(unit);
    if (/[a-z0-9]/.test(character)) known[unit] = PLAIN;
    else if (/[A-Z]/.test(character)) known[unit] = CAPITAL;
    else if (/[#*]/.test(character)) known[unit] = KEYCAP_BASE;
  }
  return known;
}

/** The end of the text counts as a separator. */
function kindAt(text: string, i: number): number {
  if (i >= text.length) return SEPARATOR;
  const kind = kinds[text.charCodeAt(i)]!;
  return kind >= KEYCAP_BASE ? kindByLook(text, i) : kind;
}

function kindByLook(text: string, i: number): number {
  const unit = text.charCodeAt(i);
  if (kinds[unit] === KEYCAP_BASE) {
    const next = text.charCodeAt(i + 1);
    return next === 0xfe0f || next === 0x20e3 ? OTHER : SEPARATOR;
  }
  const kind = OTHER_UNIT.test(text.charAt(i)) ? OTHER : SEPARATOR;
  kinds[unit] = kind;
  return kind;
}

function addChunk(chunk: string, start: number, found: string[], places: Places): void {
  const simple = simpleTokens(chunk, start, places);
  if (simple === null) addTokens(chunk, start, found, places);
  else for (const token of simple) found.push(cut(token));
}

/** The general path. */
function addTokens(text: string, start: number, found: string[], places: Places): void {
  let end = 0;
  for (const { 0: sequence, index } of text.matchAll(EMOJI_SEQUENCE)) {
    addWords(text.slice(end, index), start + end, found, places);
    found.push(cut(emojiToken(sequence)));
    end = index + sequence.length;
    if (places !== null) places.push(start + index, start + end);
  }
  addWords(end === 0 ? text : text.slice(end), start + end, found, places);
}

/** `text` must not contain emoji. */
function addWords(text: string, start: number, found: string[], places: Places): void {
  if (places !== null) {
    for (const token of foldPlacedRuns(text, start, places)) found.push(cut(token));
    return;
  }
  for (const run of text.replace(IGNORABLES, '').match(RUN) ?? []) {
    for (const token of fold(run).match(FOLDED_TOKEN) ?? []) found.push(cut(token));
  }
}

function cut(token: string): string {
  if (token.length <= MAX_TOKEN_UNITS) return token;
  const last = token.charCodeAt(MAX_TOKEN_UNITS - 1);
  const splitsPair = last >= 0xd800 && last <= 0xdbff;
  return token.slice(0, splitsPair ? MAX_TOKEN_UNITS - 1 : MAX_TOKEN_UNITS);
}
