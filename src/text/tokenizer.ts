// Which tokens does a text contain, and where? The same for indexing and for queries. Contract 3.4 is the
// specification.

import { decodeEntities, decodeEntitiesWithPlaces } from './entities.ts';
import { EMOJI_SEQUENCE, emojiToken, FOLDED_TOKEN, fold, IGNORABLES, RUN } from './folding.ts';
import { foldPlacedRuns } from './placed-runs.ts';
import { simpleTokens } from './simple-chunks.ts';

/** Goes up whenever a text may have other tokens than before. */
export const TOKENIZER_VERSION = 1;

/** Of a longer token, only this many UTF-16 units count (one fewer if a surrogate pair would be split). */
export const MAX_TOKEN_UNITS = 128;

/** A token and the place it comes from, in UTF-16 units of the given text. */
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
 * The same tokens, each with its place, in order: starts and ends never go down. Tokens from one character
 * (`½`) share its place; a token that was cut keeps the place of the whole. `beginnings`: not 0 at the low byte of
 * every unit that a wanted token begins with; others may be absent then.
 */
export function tokenSpans(text: string, beginnings: Uint8Array | null = null): TokenSpan[] {
  const decoded = decodeEntitiesWithPlaces(text);
  const found: string[] = [];
  const places: number[] = [];
  collect(decoded.text, found, places, beginnings);
  decoded.locate(places);
  const spans: TokenSpan[] = [];
  for (let i = 0; i < found.length; i++) {
    spans.push({ token: found[i]!, start: places[2 * i]!, end: places[2 * i + 1]! });
  }
  return spans;
}

/** Start and end of each token found, one after the other, in the decoded text; null: not wanted. */
type Places = number[] | null;

/** Adds the tokens of a decoded text; of words of ASCII, those alone that begin as wanted (null: all). */
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

/** Makes a capital of ASCII small; small letters and digits have it. */
const CASE_BIT = 0x20;

// How the scan classifies a UTF-16 unit: SEPARATOR ends every token, PLAIN and CAPITAL are ASCII letters and
// digits, OTHER means that its chunk needs a closer look.
const SEPARATOR = 0;
const PLAIN = 1;
const CAPITAL = 2;
const OTHER = 4;
/** `#` and `*`: OTHER or SEPARATOR, depending on what follows. */
const KEYCAP_BASE = 8;
/** A unit beyond ASCII that has not occurred yet: classifying all of them would take 20 ms at the start. */
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

/** The end of the text is a separator. */
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

/** The tokens of a decoded text, the general way. */
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

/** `text` contains no emoji. */
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
