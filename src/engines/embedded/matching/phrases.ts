// What the lists of a segment leave open. Phrases are settled by chains (format/chains.ts), as codes, where the lists
// tell that a record has all pairs of the phrase; where a phrase has tokens that stand in no pair, by the UTF-8 of the
// texts, without making a string or tokens of them. Each is looked for in the records that its own lists let through,
// because codes tell nothing of tokens that their record does not contain. The tokenizer decides what is left.

import { Buffer } from 'node:buffer';
import type { Conditions, Word } from '../../../model/query.ts';
import { MAX_TOKEN_UNITS, tokens } from '../../../text/tokenizer.ts';
import {
  ChainReader,
  codeOf,
  FIRST_LEAD,
  numberAt,
  ownCode,
  tokenHash,
  UNKNOWN,
  WINDOW_BYTES,
} from '../format/chains.ts';
import type { Segment } from '../index/segment.ts';
import {
  CHUNK_DOCS,
  type Chunk,
  countOf,
  EMPTY,
  forEach,
  intersect,
  isEmpty,
  subtract,
  unite,
  type WordPool,
} from '../sets/chunk.ts';
import type { Deadline } from './deadline.ts';
import type { OpenPhrase, SegmentPlan } from './plan.ts';

/** Docs that match, and those of them of which only the text can tell. */
interface Settled {
  readonly result: Chunk;
  readonly open: Chunk;
}

/** `result`: the docs of a chunk that meet everything else and, of each phrase, its lists. */
export function settlePhrases(
  segment: Segment,
  { required, suspected }: SegmentPlan,
  result: Chunk,
  chunk: number,
  pool: WordPool,
  deadline: Deadline,
): Settled {
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

/** Questions of a thread are answered one after the other. */
const room = Buffer.allocUnsafeSlow(WINDOW_BYTES);

/** `docs` have all pairs of the phrase and contain all its tokens. */
function lookFor(
  { tokens, isChain }: OpenPhrase,
  segment: Segment,
  docs: Chunk,
  chunk: number,
  pool: WordPool,
  deadline: Deadline,
): { readonly sure: Chunk; readonly open: Chunk } {
  if (isEmpty(docs)) return { sure: EMPTY, open: EMPTY };
  const inTexts = lookerInTexts(tokens, segment);
  const look = isChain ? lookerInChains(tokens, segment, docs, inTexts) : inTexts;
  const sure = pool.numbers(countOf(docs));
  let found = 0;
  const open: number[] = [];
  const base = chunk * CHUNK_DOCS;
  forEach(docs, (doc) => {
    deadline.step();
    const state = look(base + doc);
    if (state === FOUND) sure[found++] = doc;
    else if (state === OPEN) open.push(doc);
  });
  return {
    sure: { kind: 'array', values: pool.shorten(sure, found) },
    open: open.length === 0 ? EMPTY : { kind: 'array', values: Uint16Array.from(open) },
  };
}

/** Says of ascending docs whether they contain the phrase: ABSENT, FOUND or OPEN. */
type Looker = (doc: number) => number;

/** Of docs that the chains leave open, it asks `inTexts`. */
function lookerInChains(tokens: readonly string[], segment: Segment, docs: Chunk, inTexts: Looker): Looker {
  const codes = codesOfPhrase(tokens);
  const reader = new ChainReader(
    segment.source,
    segment.chains,
    segment.docs,
    room,
    CHUNK_DOCS / countOf(docs),
  );
  return (doc) => {
    reader.find(doc);
    const state = codes.lookIn(reader.bytes, reader.start, reader.end);
    return state === OPEN ? inTexts(doc) : state;
  };
}

function lookerInTexts(tokens: readonly string[], segment: Segment): Looker {
  const phrase = bytesOfPhrase(tokens);
  return (doc) => {
    const { bytes, parts } = segment.textsInRow(doc);
    let state = ABSENT;
    for (let i = 0; i < parts.texts && state !== FOUND; i++) {
      const one = phrase.lookIn(bytes, parts.textStarts[i]!, parts.textEnds[i]!);
      if (one !== ABSENT) state = one;
    }
    return state;
  };
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

/** What the codes of a record say of the phrase; OPEN: only the text can tell. */
export const ABSENT = 0;
export const FOUND = 1;
export const OPEN = 2;

/** The codes of a token that has none of its own, by level. */
interface HashedToken {
  /** Of the token in the phrase. */
  readonly place: number;
  readonly short: number;
  readonly lead: number;
  readonly second: number;
}

const codesByPhrase = new WeakMap<readonly string[], PhraseCodes>();

/** Made once for each phrase of a query. */
export function codesOfPhrase(tokens: readonly string[]): PhraseCodes {
  let codes = codesByPhrase.get(tokens);
  if (codes === undefined) {
    codes = new PhraseCodes(tokens);
    codesByPhrase.set(tokens, codes);
  }
  return codes;
}

/** By byte: the last record that was found to contain it as a code. */
const stamps = new Uint32Array(0x100);
let stamp = 0;

/** A phrase as codes, looked for in the chains of records (format/chains.ts). */
class PhraseCodes {
  /** One byte a token: where none shares its code with another one of the record. */
  readonly #usual: Uint8Array;
  readonly #hashed: readonly HashedToken[];
  /** The same for one record: up to two bytes a token. */
  readonly #own: Uint8Array;

  constructor(tokens: readonly string[]) {
    const hashed: HashedToken[] = [];
    this.#usual = Uint8Array.from(tokens, (token, place) => {
      const own = ownCode(token);
      if (own !== 0) return own;
      const hash = tokenHash(token);
      const [short, long] = [codeOf(0, numberAt(0, hash)), codeOf(1, numberAt(1, hash))];
      hashed.push({ place, short, lead: long & 0xff, second: long >>> 8 });
      return short;
    });
    this.#hashed = hashed;
    this.#own = new Uint8Array(tokens.length * 2);
  }

  /** The bytes from `start` to `end` are the chains of a record that has every pair of the phrase. */
  lookIn(bytes: Uint8Array, start: number, end: number): number {
    // No token comes twice, so the pairs follow each other.
    if (start === end) return FOUND;
    const usual = this.#usual;
    if (holds(bytes, start, end, usual, usual.length)) return FOUND;
    if (this.#hashed.length === 0) return ABSENT;
    stampCodes(bytes, start, end);
    // A token whose short code is there has that one, because no other token in a pair of the record can have it.
    if (this.#hashed.every(({ short }) => stamps[short] === stamp)) return ABSENT;
    return this.#lookAgain(bytes, start, end);
  }

  /** With the codes that the tokens have in this record. */
  #lookAgain(bytes: Uint8Array, start: number, end: number): number {
    const own = this.#own;
    let length = 0;
    let next = 0;
    let isKnown = true;
    for (let place = 0; place < this.#usual.length; place++) {
      const token = this.#hashed[next];
      if (token?.place !== place || stamps[token.short] === stamp) own[length++] = this.#usual[place]!;
      else if (holdsTwo(bytes, start, end, token)) {
        own[length++] = token.lead;
        own[length++] = token.second;
      } else {
        own[length++] = UNKNOWN;
        isKnown = false;
      }
      if (token?.place === place) next++;
    }
    if (!holds(bytes, start, end, own, length)) return ABSENT;
    return isKnown ? FOUND : OPEN;
  }
}

/** Marks every code of one byte. */
function stampCodes(bytes: Uint8Array, start: number, end: number): void {
  stamp = (stamp + 1) >>> 0;
  for (let i = start; i < end; i++) {
    const byte = bytes[i]!;
    if (byte >= FIRST_LEAD) i++;
    else stamps[byte] = stamp;
  }
}

/** A first byte of two is never a second one, so two bytes that are side by side are one code. */
function holdsTwo(bytes: Uint8Array, start: number, end: number, { lead, second }: HashedToken): boolean {
  for (let i = start; i + 1 < end; i++) if (bytes[i] === lead && bytes[i + 1] === second) return true;
  return false;
}

/** True if the codes stand there in a row. Where they would begin at the second byte of a code, they do not. */
function holds(bytes: Uint8Array, start: number, end: number, codes: Uint8Array, length: number): boolean {
  const first = codes[0]!;
  const last = end - length;
  for (let at = start; at <= last; at++) {
    if (bytes[at] !== first) continue;
    let i = 1;
    while (i < length && bytes[at + i] === codes[i]) i++;
    if (i === length && (at === start || bytes[at - 1]! < FIRST_LEAD)) return true;
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
  let bytes = byPhrase.get(tokens);
  if (bytes === undefined) {
    bytes = new PhraseBytes(tokens);
    byPhrase.set(tokens, bytes);
  }
  return bytes;
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
