// Numbers for tokens while a segment is built. Most text is plain ASCII: its tokens are found, folded and looked up in
// one scan over its bytes, without a string for each. Other text goes through `tokens`, and is looked up the same way.

import type { Buffer } from 'node:buffer';
import { MAX_TOKEN_UNITS, tokens } from '../../text/tokenizer.ts';
import { grown } from './growing-numbers.ts';
import { CODE_BASE, CODE_UNITS, CODES, FILL } from './key-codes.ts';
import { KeyTable } from './key-table.ts';
import { beginsLink, TOKEN_LABELS } from './token-labels.ts';

const SEPARATOR = 0;
/** The text may have to go through `tokens`. */
const CLOSER_LOOK = 0xff;

const AMPERSAND = 0x26;

/** By byte: the code of a letter or digit, capitals as small letters; SEPARATOR; CLOSER_LOOK. */
const SCANNED = Uint8Array.from({ length: 256 }, (_, byte) => {
  if (byte >= 0x80 || byte === AMPERSAND) return CLOSER_LOOK;
  const letter = String.fromCharCode(byte).toLowerCase();
  return /[0-9a-z]/.test(letter) ? CODES[letter.charCodeAt(0)]! : SEPARATOR;
});

/** Tokens 0, 1, 2 … in the order of their first coming. */
export class TokenTable {
  readonly keys = new KeyTable(TOKEN_LABELS);
  /** Of the text that was scanned last, in order: numbers and labels (token-labels.ts) of its tokens. */
  numbers = new Uint32Array(1 << 10);
  labels = new Uint16Array(1 << 10);
  /** False: no link stands in the text that was scanned last. */
  mayHoldLink = false;

  /** Puts the tokens of the text that stands in `bytes`, as UTF-8, into `numbers` and `labels`; returns how many. */
  scan(bytes: Buffer, from: number, to: number): number {
    let found = 0;
    let seen = 0;
    for (let i = from; i < to; ) {
      const code = SCANNED[bytes[i]!]!;
      if (code === SEPARATOR) i++;
      else if (code === CLOSER_LOOK) {
        const length = separatorLength(bytes, i, to);
        if (length === 0) {
          this.mayHoldLink = true;
          return this.#scanTokens(tokens(bytes.toString('utf8', from, to)));
        }
        i += length;
      } else {
        if (found === this.numbers.length) this.#growNumbers();
        i = this.#scanToken(bytes, i, to, found);
        seen |= this.labels[found++]!;
      }
    }
    this.mayHoldLink = beginsLink(seen);
    return found;
  }

  /** Returns where the token that begins at `start` ends. */
  #scanToken(bytes: Buffer, start: number, to: number, found: number): number {
    let first = 0;
    let second = 0;
    let i = start;
    let code = 0;
    const middle = Math.min(to, start + CODE_UNITS);
    for (; i < middle; i++) {
      code = SCANNED[bytes[i]!]!;
      if (code === SEPARATOR || code === CLOSER_LOOK) break;
      first = (Math.imul(first, CODE_BASE) + code) | 0;
    }
    if (i < start + CODE_UNITS) first = Math.imul(first, FILL[i - start]!);
    else {
      const end = Math.min(to, start + 2 * CODE_UNITS);
      for (; i < end; i++) {
        code = SCANNED[bytes[i]!]!;
        if (code === SEPARATOR || code === CLOSER_LOOK) break;
        second = (Math.imul(second, CODE_BASE) + code) | 0;
      }
      second = Math.imul(second, FILL[i - start - CODE_UNITS]!);
    }
    while (i < to && isOfToken(SCANNED[bytes[i]!]!)) i++;
    this.numbers[found] =
      i - start <= 2 * CODE_UNITS
        ? this.keys.numberOfCodes(first, second, bytes, start, i)
        : this.keys.numberOfText(
            bytes.toString('latin1', start, Math.min(i, start + MAX_TOKEN_UNITS)).toLowerCase(),
          );
    this.labels[found] = this.keys.label;
    return i;
  }

  #scanTokens(texts: readonly string[]): number {
    while (this.numbers.length < texts.length) this.#growNumbers();
    for (let i = 0; i < texts.length; i++) {
      this.numbers[i] = this.keys.numberOfText(texts[i]!);
      this.labels[i] = this.keys.label;
    }
    return texts.length;
  }

  #growNumbers(): void {
    this.numbers = grown(this.numbers);
    this.labels = grown(this.labels);
  }
}

function isOfToken(code: number): boolean {
  return code !== SEPARATOR && code !== CLOSER_LOOK;
}

/**
 * How many bytes at `i` are a character that separates tokens whatever stands around it: an ampersand that begins no
 * entity, U+00A0, U+2010 to U+2029 (dashes, quotes, bullets, the ellipsis). 0: it takes a closer look.
 */
function separatorLength(bytes: Buffer, i: number, to: number): number {
  const next = i + 1 < to ? bytes[i + 1]! : 0;
  switch (bytes[i]) {
    case AMPERSAND:
      return next === 0x23 || isOfToken(SCANNED[next]!) ? 0 : 1;
    case 0xc2:
      return next === 0xa0 ? 2 : 0;
    case 0xe2: {
      const last = i + 2 < to ? bytes[i + 2]! : 0;
      return next === 0x80 && last >= 0x90 && last <= 0xa9 ? 3 : 0;
    }
    default:
      return 0;
  }
}
