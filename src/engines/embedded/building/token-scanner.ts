// Finds the tokens of texts while a segment is built. Most text is plain ASCII: one scan over its bytes finds and folds
// its tokens, without a string for each. Other text goes through `tokens`.
//
// A token is one of three: listed (token-part.ts) and identified by its place in the list; short enough to be
// identified by its codes (key-codes.ts); or another, which gets a number.

import { Buffer } from 'node:buffer';
import { TextHashInput } from '../../../model/hash.ts';
import { MAX_TOKEN_UNITS, tokens } from '../../../text/tokenizer.ts';
import { grown } from './growing-numbers.ts';
import { CODE_BASE, CODE_UNITS, CODES, FILL, KeyCodes } from './key-codes.ts';
import { KeyTable } from './key-table.ts';
import { beginsLink, LISTED, labelOfCodes, placeInList, TOKEN_LABELS } from './token-part.ts';

const SEPARATOR = 0;
/** The text may have to go through `tokens`. */
const CLOSER_LOOK = 0xff;

const AMPERSAND = 0x26;

/** In `ids`: the token is identified by its codes. */
export const BY_CODES = -1;

/** By byte: the code of a letter or digit, capitals as small letters; SEPARATOR; CLOSER_LOOK. */
const SCANNED = Uint8Array.from({ length: 256 }, (_, byte) => {
  if (byte >= 0x80 || byte === AMPERSAND) return CLOSER_LOOK;
  const letter = String.fromCharCode(byte).toLowerCase();
  return /[0-9a-z]/.test(letter) ? CODES[letter.charCodeAt(0)]! : SEPARATOR;
});

export class TokenScanner {
  /** The tokens with numbers: those that do not fit into their codes, listed ones included. */
  readonly others = new KeyTable(TOKEN_LABELS);
  /** For each token of the last scanned text: its place in the list, LISTED + its number, or BY_CODES. */
  ids: Int32Array = new Int32Array(1 << 10);
  /** The codes of a token that is identified by them. */
  firsts: Int32Array = new Int32Array(1 << 10);
  seconds: Int32Array = new Int32Array(1 << 10);
  /** Its label for pairs and links (token-part.ts). */
  labels: Uint16Array = new Uint16Array(1 << 10);
  /** The tokens of the last scanned text; null: they are its runs of ASCII letters and digits, as small letters. */
  texts: readonly string[] | null = null;
  /** False: the last scanned text contains no link. */
  mayHoldLink = false;
  readonly #codes = new KeyCodes();
  /** A token of ASCII: a buffer for each would have to be made and collected. */
  readonly #token = Buffer.allocUnsafeSlow(MAX_TOKEN_UNITS);
  #isCut = false;

  /** Scans the UTF-8 text in `bytes`; returns how many tokens it contains. */
  scan(bytes: Buffer, from: number, to: number): number {
    let found = 0;
    let seen = 0;
    this.texts = null;
    this.#isCut = false;
    for (let i = from; i < to; ) {
      const code = SCANNED[bytes[i]!]!;
      if (code === SEPARATOR) i++;
      else if (code === CLOSER_LOOK) {
        const length = separatorLength(bytes, i, to);
        if (length === 0) {
          this.mayHoldLink = true;
          return this.#takeTexts(tokens(bytes.toString('utf8', from, to)));
        }
        i += length;
      } else {
        if (found === this.ids.length) this.#grow();
        i = this.#scanToken(bytes, i, to, found);
        seen |= this.labels[found++]!;
      }
    }
    this.mayHoldLink = beginsLink(seen);
    if (this.#isCut) this.texts = tokens(bytes.toString('utf8', from, to));
    return found;
  }

  /** Returns where the token that begins at `start` ends. */
  #scanToken(bytes: Buffer, start: number, to: number, found: number): number {
    let first = 0;
    let second = 0;
    let i = start;
    const middle = Math.min(to, start + CODE_UNITS);
    for (; i < middle; i++) {
      const code = SCANNED[bytes[i]!]!;
      if (!isOfToken(code)) break;
      first = (Math.imul(first, CODE_BASE) + code) | 0;
    }
    if (i < start + CODE_UNITS) first = Math.imul(first, FILL[i - start]!);
    else {
      const end = Math.min(to, start + 2 * CODE_UNITS);
      for (; i < end; i++) {
        const code = SCANNED[bytes[i]!]!;
        if (!isOfToken(code)) break;
        second = (Math.imul(second, CODE_BASE) + code) | 0;
      }
      second = Math.imul(second, FILL[i - start - CODE_UNITS]!);
      while (i < to && isOfToken(SCANNED[bytes[i]!]!)) i++;
      if (i - start > 2 * CODE_UNITS) {
        const token = bytes.toString('latin1', start, Math.min(i, start + MAX_TOKEN_UNITS)).toLowerCase();
        this.#takeOther(Buffer.from(token, 'latin1'), token.length, found);
        if (i - start > MAX_TOKEN_UNITS) this.#isCut = true;
        return i;
      }
    }
    this.#takeCodes(first, second, found);
    return i;
  }

  #takeTexts(texts: readonly string[]): number {
    this.texts = texts;
    while (this.ids.length < texts.length) this.#grow();
    const codes = this.#codes;
    for (let i = 0; i < texts.length; i++) {
      const token = texts[i]!;
      const length = this.#writeAscii(token);
      const bytes = length < 0 ? Buffer.from(token) : this.#token;
      const end = length < 0 ? bytes.length : length;
      codes.read(bytes, 0, end);
      if (codes.isWhole) this.#takeCodes(codes.first, codes.second, i);
      else this.#takeOther(bytes, end, i);
    }
    return texts.length;
  }

  /** Writes a token to `#token`; returns how many bytes it has. −1: it has letters outside ASCII, or no room. */
  #writeAscii(token: string): number {
    if (token.length > this.#token.length) return -1;
    for (let i = 0; i < token.length; i++) {
      const unit = token.charCodeAt(i);
      if (unit >= 0x80) return -1;
      this.#token[i] = unit;
    }
    return token.length;
  }

  #takeCodes(first: number, second: number, found: number): void {
    const label = labelOfCodes(first, second);
    const place = placeInList(label);
    this.labels[found] = label;
    this.ids[found] = place;
    if (place >= 0) return;
    this.firsts[found] = first;
    this.seconds[found] = second;
  }

  #takeOther(bytes: Buffer, length: number, found: number): void {
    this.ids[found] = LISTED + this.others.number(bytes, 0, length);
    this.labels[found] = this.others.label;
  }

  #grow(): void {
    this.ids = grown(this.ids);
    this.firsts = grown(this.firsts);
    this.seconds = grown(this.seconds);
    this.labels = grown(this.labels);
  }
}

function isOfToken(code: number): boolean {
  return code !== SEPARATOR && code !== CLOSER_LOOK;
}

/**
 * How many bytes at `i` are a character that always separates tokens, whatever is around it: an ampersand
 * that begins no entity, U+00A0, U+2010 to U+2029 (dashes, quotes, bullets, the ellipsis). 0: it needs a
 * closer look.
 */
function separatorLength(bytes: Buffer, i: number, to: number): number {
  const next = i + 1 < to ? bytes[i + 1]! : 0;
  switch (bytes[i]) {
    case AMPERSAND:
      return next === 0x23 || isOfToken(SCANNED[next]!) ? 0 : 1;
    case 0xc2:
      return next === 0xa0 ? 2 : 0;
    case 0xe2: {
      // uncovered: no UTF-8 ends in the midst of a character
      const last = i + 2 < to ? bytes[i + 2]! : 0;
      return next === 0x80 && last >= 0x90 && last <= 0xa9 ? 3 : 0;
    }
    default:
      return 0;
  }
}

const SPACE = 0x20;

/** By byte: the small letter or digit, else a space. */
const FOLDED = Uint8Array.from({ length: 256 }, (_, byte) => {
  const letter = String.fromCharCode(byte).toLowerCase();
  return byte < 0x80 && /[0-9a-z]/.test(letter) ? letter.charCodeAt(0) : SPACE;
});

/** The hash of a record's words (model/hash.ts): of plain text from its bytes, without a string for each token. */
export class TextHasher {
  readonly #input = new TextHashInput();

  /** Begins a record. */
  clear(): void {
    this.#input.clear();
  }

  /**
   * Adds a text. `texts`: its tokens; null: they are the runs of ASCII letters and digits, as small letters.
   */
  add(texts: readonly string[] | null, bytes: Uint8Array, from: number, to: number): void {
    if (texts === null) this.#input.plain(bytes, from, to, FOLDED);
    else for (const token of texts) this.#input.token(token);
  }

  /** `textHash` of a record with these texts that is not withdrawn. */
  hash(): number {
    return this.#input.hash();
  }
}
