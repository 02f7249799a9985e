// A phrase looked for in the UTF-8 of a stored text, without making a string or tokens of it. Most text is ASCII
// with the quotes and dashes of typography: there, tokens are runs of letters and digits (text/tokenizer.ts). As soon
// as a byte comes that may mean something else, only the tokenizer can tell.

import { Buffer } from 'node:buffer';
import { MAX_TOKEN_UNITS } from '../../../text/tokenizer.ts';
import { ABSENT, FOUND, OPEN } from './phrase-codes.ts';

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

export class PhraseBytes {
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
