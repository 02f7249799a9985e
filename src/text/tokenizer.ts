// Which tokens does a text hold, and where? The same at index and at query time.
// Contract 3.4 is the specification.

import { EMOJI_SEQUENCE, emojiToken } from './emoji.ts';
import { decodeEntities, decodeEntitiesWithOffsets } from './entities.ts';
import { FOLDED_TOKEN, fold, IGNORABLES, PIECE, RUN, RUN_WITH_IGNORABLES } from './folding.ts';
import { simpleTokens } from './simple-chunks.ts';

/** A longer token counts by its first so many UTF-16 units (one fewer where a surrogate pair would be split). */
export const MAX_TOKEN_UNITS = 128;

/** A token and the place it was made of, in UTF-16 units of the text as it was given. */
export interface TokenSpan {
  readonly token: string;
  readonly start: number;
  readonly end: number;
}

/**
 * The tokens of a text, in order; empty where it holds none. Never throws, linear time.
 * A token may be a slice that keeps the whole text in memory: copy what is kept for long.
 */
export function tokens(text: string): string[] {
  const decoded = decodeEntities(text);
  const found: string[] = [];
  let chunkStart = -1;
  let seen = 0;
  for (let i = 0; i <= decoded.length; i++) {
    const kind = kindAt(decoded, i);
    if (kind !== SEPARATOR) {
      if (chunkStart < 0) chunkStart = i;
      seen |= kind;
    } else if (chunkStart >= 0) {
      if (seen & OTHER) addChunk(decoded.slice(chunkStart, i), found);
      else {
        const word = decoded.slice(chunkStart, Math.min(i, chunkStart + MAX_TOKEN_UNITS));
        found.push(seen & CAPITAL ? word.toLowerCase() : word);
      }
      chunkStart = -1;
      seen = 0;
    }
  }
  return found;
}

/** The one token of a text, as for `prefix*`; null where the text holds none or several. */
export function foldToken(text: string): string | null {
  const found = tokens(text);
  return found.length === 1 ? found[0]! : null;
}

/**
 * The same tokens, each with its place, in order: starts and ends never go down. Several tokens of one character
 * (`½`) share its place; a token that was cut keeps the place of the whole.
 */
export function tokenSpans(text: string): TokenSpan[] {
  const decoded = decodeEntitiesWithOffsets(text);
  const found: TokenSpan[] = [];
  const add = (token: string, start: number, end: number) =>
    found.push({ token: cut(token), start: decoded.start(start), end: decoded.end(end - 1) });
  let wordsStart = 0;
  for (const { 0: sequence, index } of decoded.text.matchAll(EMOJI_SEQUENCE)) {
    addWordSpans(decoded.text.slice(wordsStart, index), wordsStart, add);
    wordsStart = index + sequence.length;
    add(emojiToken(sequence), index, wordsStart);
  }
  addWordSpans(decoded.text.slice(wordsStart), wordsStart, add);
  return found;
}

// What a UTF-16 unit is to the scan: SEPARATOR ends every token, PLAIN and CAPITAL are letters and digits of ASCII,
// OTHER needs a closer look at its chunk.
const SEPARATOR = 0;
const PLAIN = 1;
const CAPITAL = 2;
const OTHER = 4;
/** `#` and `*`: OTHER or SEPARATOR by what follows. */
const KEYCAP_BASE = 8;
/** Past ASCII, until it is met: looking at all of them would take 20 ms at start. */
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

/** The end of the text separates. */
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

function addChunk(chunk: string, found: string[]): void {
  const simple = simpleTokens(chunk);
  if (simple === null) addTokens(chunk, found);
  else for (const token of simple) found.push(cut(token));
}

/** The tokens of a decoded text, the general way. */
function addTokens(text: string, found: string[]): void {
  let end = 0;
  for (const { 0: sequence, index } of text.matchAll(EMOJI_SEQUENCE)) {
    addWords(text.slice(end, index), found);
    found.push(cut(emojiToken(sequence)));
    end = index + sequence.length;
  }
  addWords(end === 0 ? text : text.slice(end), found);
}

/** `text` holds no emoji. */
function addWords(text: string, found: string[]): void {
  for (const run of text.replace(IGNORABLES, '').match(RUN) ?? []) {
    for (const token of fold(run).match(FOLDED_TOKEN) ?? []) found.push(cut(token));
  }
}

/** `text` holds no emoji; `offset` is added to the places. */
function addWordSpans(
  text: string,
  offset: number,
  add: (token: string, start: number, end: number) => void,
): void {
  for (const { 0: run, index } of text.matchAll(RUN_WITH_IGNORABLES)) {
    let folded = '';
    const pieces: { foldedEnd: number; start: number; end: number }[] = [];
    for (const { 0: piece, index: at } of run.matchAll(PIECE)) {
      folded += fold(piece.replace(IGNORABLES, ''));
      const start = offset + index + at;
      pieces.push({ foldedEnd: folded.length, start, end: start + piece.length });
    }
    let first = 0;
    for (const { 0: token, index: at } of folded.matchAll(FOLDED_TOKEN)) {
      while (pieces[first]!.foldedEnd <= at) first++;
      let last = first;
      while (pieces[last]!.foldedEnd < at + token.length) last++;
      add(token, pieces[first]!.start, pieces[last]!.end);
      first = last;
    }
  }
}

function cut(token: string): string {
  if (token.length <= MAX_TOKEN_UNITS) return token;
  const last = token.charCodeAt(MAX_TOKEN_UNITS - 1);
  const splitsPair = last >= 0xd800 && last <= 0xdbff;
  return token.slice(0, splitsPair ? MAX_TOKEN_UNITS - 1 : MAX_TOKEN_UNITS);
}
