// What the lists of a segment leave open. Phrases are settled by payloads of their lists (format/neighbours.ts) in the
// records that all of these let through; what payloads leave open, by the UTF-8 of the texts, without making a string
// or tokens of them. The tokenizer decides what is left.

import { Buffer } from 'node:buffer';
import type { Conditions, Word } from '../../../model/query.ts';
import { MAX_TOKEN_UNITS, tokens } from '../../../text/tokenizer.ts';
import type { Segment } from '../index/segment.ts';
import {
  CHUNK_DOCS,
  type Chunk,
  countOf,
  EMPTY,
  intersect,
  isEmpty,
  membersOf,
  subtract,
  unite,
  type WordPool,
} from '../sets/chunk.ts';
import type { Deadline } from './deadline.ts';
import { ABSENT, FOUND, followLinks, OPEN } from './links.ts';
import type { OpenPhrase, SegmentPlan } from './plan.ts';

/** `result`: docs of a chunk that meet everything else and all lists; `open`: those of which only the text can tell. */
export function settlePhrases(
  segment: Segment,
  { required, suspected }: SegmentPlan,
  result: Chunk,
  chunk: number,
  pool: WordPool,
  deadline: Deadline,
): { readonly result: Chunk; readonly open: Chunk } {
  let left = result;
  const open: Chunk[] = [];
  for (const { sure, phrases } of required) {
    if (phrases.length === 0) continue;
    let settled = sure === null ? EMPTY : intersect(sure.chunk(chunk, pool), left, pool);
    const maybe: Chunk[] = [];
    for (const phrase of phrases) {
      const isAlone = phrases.length === 1 && sure === null;
      const among = isAlone ? left : subtract(listed(phrase, left, chunk, pool), settled, pool);
      const found = lookFor(phrase, segment, among, chunk, pool, deadline);
      settled = unite([settled, found.sure], pool);
      maybe.push(found.open);
    }
    const unsettled = subtract(unite(maybe, pool), settled, pool);
    left = unite([settled, unsettled], pool);
    open.push(unsettled);
    if (isEmpty(left)) return { result: EMPTY, open: EMPTY };
  }
  for (const phrase of suspected) {
    const found = lookFor(phrase, segment, listed(phrase, left, chunk, pool), chunk, pool, deadline);
    left = subtract(left, found.sure, pool);
    open.push(found.open);
  }
  return { result: left, open: intersect(unite(open, pool), left, pool) };
}

function listed({ list }: OpenPhrase, docs: Chunk, chunk: number, pool: WordPool): Chunk {
  return intersect(list.chunk(chunk, pool), docs, pool);
}

/** `docs` have all pairs of the phrase and contain all its tokens. */
function lookFor(
  phrase: OpenPhrase,
  segment: Segment,
  docs: Chunk,
  chunk: number,
  pool: WordPool,
  deadline: Deadline,
): { readonly sure: Chunk; readonly open: Chunk } {
  if (isEmpty(docs)) return { sure: EMPTY, open: EMPTY };
  const values = pool.numbers(countOf(docs));
  membersOf(docs, values, pool.kernels);
  const states = followLinks(phrase, values, chunk, pool);
  const bytes = bytesOfPhrase(phrase.tokens);
  const base = chunk * CHUNK_DOCS;
  let found = 0;
  const open: number[] = [];
  for (let i = 0; i < values.length; i++) {
    let state = states[i]!;
    if (state === OPEN) {
      deadline.step();
      state = lookInTexts(bytes, segment, base + values[i]!);
    }
    if (state === FOUND) values[found++] = values[i]!;
    else if (state === OPEN) open.push(values[i]!);
  }
  return {
    sure: { kind: 'array', values: values.subarray(0, found) },
    open: open.length === 0 ? EMPTY : { kind: 'array', values: Uint16Array.from(open) },
  };
}

function lookInTexts(phrase: PhraseBytes, segment: Segment, doc: number): number {
  const { bytes, parts } = segment.textsInRow(doc);
  let state = ABSENT;
  for (let i = 0; i < parts.texts && state !== FOUND; i++) {
    const one = phrase.lookIn(bytes, parts.textStarts[i]!, parts.textEnds[i]!);
    if (one !== ABSENT) state = one;
  }
  return state;
}

/** True if the searched texts of a record meet every included word of the query and contain no excluded one. */
export function textMatches(searched: readonly string[], conditions: Conditions): boolean {
  const texts = searched.map((text) => tokens(text));
  const holds = (word: Word) => texts.some((text) => textHolds(text, word));
  return conditions.words.every((anyOf) => anyOf.some(holds)) && !conditions.excludedWords.some(holds);
}

/**
 * Written apart from model/query.ts on purpose: the reference engine answers by that one, and the tests that compare
 * the two engines compare these as well.
 */
function textHolds(text: readonly string[], word: Word): boolean {
  switch (word.kind) {
    case 'term':
      return text.includes(word.token);
    case 'prefix':
      return text.some((token) => token.startsWith(word.prefix));
    case 'phrase':
      return holdsPhrase(text, word.tokens);
  }
}

function holdsPhrase(text: readonly string[], phrase: readonly string[]): boolean {
  const first = phrase[0]!;
  for (let at = text.indexOf(first); at !== -1; at = text.indexOf(first, at + 1)) {
    let i = 1;
    while (i < phrase.length && text[at + i] === phrase[i]) i++;
    if (i === phrase.length) return true;
  }
  return false;
}

const SEPARATOR = 0;
/** What the byte is depends on those behind it. */
const CLOSER_LOOK = 0xff;

const AMPERSAND = 0x26;
const NUMBER_SIGN = 0x23;
const ASTERISK = 0x2a;
const SEMICOLON = 0x3b;
const LESS = Buffer.from('&lt;');
const GREATER = Buffer.from('&gt;');
const ESCAPED = Buffer.from('&amp;');

/** By byte: a letter or digit, capitals as small letters; SEPARATOR; CLOSER_LOOK. */
const FOLDED = Uint8Array.from({ length: 0x100 }, (_, byte) => {
  if (byte >= 0x80 || byte === AMPERSAND || byte === NUMBER_SIGN || byte === ASTERISK) return CLOSER_LOOK;
  const letter = String.fromCharCode(byte).toLowerCase();
  return /[0-9a-z]/.test(letter) ? letter.charCodeAt(0) : SEPARATOR;
});

const byPhrase = new WeakMap<readonly string[], PhraseBytes>();

/** Made once for each phrase of a query. */
export function bytesOfPhrase(tokens: readonly string[]): PhraseBytes {
  return byPhrase.getOrInsertComputed(tokens, () => new PhraseBytes(tokens));
}

/**
 * A phrase looked for in the UTF-8 of a stored text. Most text is ASCII with the quotes and dashes of typography:
 * there, tokens are runs of letters and digits (text/tokenizer.ts). As soon as a byte comes that may mean something
 * else, only the tokenizer can tell.
 */
class PhraseBytes {
  /** The tokens, a SEPARATOR behind each. */
  readonly #bytes: Uint8Array;
  /** A longer token of a text may have been cut to one of these. */
  readonly #mayBeCut: boolean;

  constructor(tokens: readonly string[]) {
    this.#bytes = Buffer.from(tokens.map((token) => `${token}\0`).join(''));
    this.#mayBeCut = tokens.some(({ length }) => length >= MAX_TOKEN_UNITS - 1);
  }

  /** What the text in the bytes from `start` to `end` says of the phrase. */
  lookIn(bytes: Uint8Array, start: number, end: number): number {
    if (this.#mayBeCut) return OPEN;
    const first = this.#bytes[0]!;
    for (let i = start; i < end; ) {
      let folded = FOLDED[bytes[i]!]!;
      if (folded === SEPARATOR) {
        i++;
        continue;
      }
      if (folded === CLOSER_LOOK) {
        const length = separatorLength(bytes, i, end);
        if (length === 0) return OPEN;
        i += length;
        continue;
      }
      if (folded === first) {
        const found = this.#standsAt(bytes, i, end);
        if (found !== ABSENT) return found;
      }
      do {
        if (++i === end) return ABSENT;
        folded = FOLDED[bytes[i]!]!;
      } while (folded !== SEPARATOR && folded !== CLOSER_LOOK);
    }
    return ABSENT;
  }

  /** A token begins at `start`. */
  #standsAt(bytes: Uint8Array, start: number, end: number): number {
    const phrase = this.#bytes;
    let i = start;
    for (let at = 0; ; ) {
      const wanted = phrase[at++]!;
      if (wanted !== SEPARATOR) {
        if (i === end || FOLDED[bytes[i]!] !== wanted) return ABSENT;
        i++;
        continue;
      }
      // The token of the phrase ends here: so must that of the text.
      const before = i;
      for (; i < end && FOLDED[bytes[i]!] === SEPARATOR; i++);
      while (i < end && FOLDED[bytes[i]!] === CLOSER_LOOK) {
        const length = separatorLength(bytes, i, end);
        if (length === 0) return i === before || at < phrase.length ? OPEN : FOUND;
        i += length;
        for (; i < end && FOLDED[bytes[i]!] === SEPARATOR; i++);
      }
      if (at === phrase.length) return i === end || i > before ? FOUND : ABSENT;
      if (i === end || i === before) return ABSENT;
    }
  }
}

/**
 * How many bytes at `i` separate tokens whatever is around them: an ampersand, `&amp;`, `&lt;` or `&gt;` that is not
 * the beginning of another entity (they are decoded twice), `#` and `*` that no keycap is made of, U+00A0, U+2010 to
 * U+2029 (dashes, quotes, bullets, the ellipsis). 0: it is not so simple.
 */
function separatorLength(bytes: Uint8Array, i: number, end: number): number {
  const next = i + 1 < end ? bytes[i + 1]! : 0;
  switch (bytes[i]) {
    case AMPERSAND:
      return ampersandLength(bytes, i, end);
    case NUMBER_SIGN:
    case ASTERISK:
      // An ampersand may become a number, and that a part of a keycap.
      return next < 0x80 && next !== AMPERSAND ? 1 : 0;
    case 0xc2:
      return next === 0xa0 ? 2 : 0;
    case 0xe2: {
      // uncovered: no UTF-8 ends in the midst of a character
      const last = i + 2 < end ? bytes[i + 2]! : 0;
      return next === 0x80 && last >= 0x90 && last <= 0xa9 ? 3 : 0;
    }
    default:
      return 0;
  }
}

function ampersandLength(bytes: Uint8Array, i: number, end: number): number {
  if (!mayBeEntity(bytes, i + 1, end)) return 1;
  if (standsThere(bytes, i, end, LESS) || standsThere(bytes, i, end, GREATER)) return LESS.length;
  const behind = i + ESCAPED.length;
  return standsThere(bytes, i, end, ESCAPED) && !mayBeEntity(bytes, behind, end) ? ESCAPED.length : 0;
}

/** What follows an ampersand: the name of an entity ends with a semicolon, which may be an entity itself. */
function mayBeEntity(bytes: Uint8Array, start: number, end: number): boolean {
  for (let i = start; i < end; i++) {
    const folded = FOLDED[bytes[i]!]!;
    if (folded === SEPARATOR) return bytes[i] === SEMICOLON;
    if (folded === CLOSER_LOOK) return true;
  }
  return false;
}

function standsThere(bytes: Uint8Array, start: number, end: number, wanted: Uint8Array): boolean {
  if (start + wanted.length > end) return false;
  for (let i = 0; i < wanted.length; i++) if (bytes[start + i] !== wanted[i]) return false;
  return true;
}
