// Looks for a phrase in one record, without making a string or tokens of its text: in its chains, as codes, where the
// lists tell that the record has all pairs of the phrase; else in the UTF-8 of its texts.

import { Buffer } from 'node:buffer';
import { MAX_TOKEN_UNITS } from '../../../text/tokenizer.ts';
import { codeOf, FIRST_LEAD, numberAt, ownCode, tokenHash, UNKNOWN } from '../format/chains.ts';

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
    // A token whose short code is there has that one, because no other token in a pair of the record can
    // have it.
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

/**
 * True if the codes stand there in a row. Where they would begin at the second byte of a code, they do not.
 */
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
