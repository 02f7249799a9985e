// A hash of a record's words, to find copies of one text, which are then compared by the text itself.

import { tokens } from '../text/tokenizer.ts';
import { HashInput } from './hash-input.ts';
import { type StoredRecord, searchedTexts } from './record.ts';

/** Shorter texts, in characters of the folded tokens joined by a space, have no hash: too many are alike. */
export const MIN_HASHED_CHARACTERS = 40;

const SPACE = 0x20;

/** The folded tokens of a record's texts, one after the other, and their hash. */
export class TextHashInput {
  readonly #input = new HashInput();
  /** Of the tokens and the spaces between them; a character is a code point. */
  #characters = 0;

  clear(): void {
    this.#input.clear();
    this.#characters = 0;
  }

  /**
   * A text whose tokens are its runs of ASCII letters and digits, as small letters. `folded`: by byte, the letter or
   * digit, or a space. The tokens with a space between them are the same input as one after the other.
   */
  plain(bytes: Uint8Array, start: number, end: number, folded: Uint8Array): void {
    const room = this.#input.room(end - start + 1);
    const before = this.#input.length;
    // A first space parts it from what is there, and is written over where there is nothing.
    let at = before;
    room[at] = SPACE;
    if (this.#characters > 0) at++;
    const first = at;
    let last = SPACE;
    for (let i = start; i < end; i++) {
      const byte = folded[bytes[i]!]!;
      room[at] = byte;
      // A space behind a space is overwritten by what follows: without a branch, which no processor can foresee.
      const differs = (byte ^ SPACE) | (last ^ SPACE);
      at += -differs >>> 31;
      last = byte;
    }
    if (last === SPACE && at > first) at--;
    if (at === first) return;
    this.#characters += at - before;
    this.#input.filled(at - before);
  }

  token(token: string): void {
    this.#separate();
    this.#input.characters(token);
    for (let i = 0; i < token.length; i++) if ((token.charCodeAt(i) & 0xfc00) !== 0xdc00) this.#characters++;
  }

  /** 1 to 2^32 − 1; 0: the text is too short to have one. */
  hash(): number {
    if (this.#characters < MIN_HASHED_CHARACTERS) return 0;
    return this.#input.hash().low || 1;
  }

  #separate(): void {
    if (this.#characters === 0) return;
    this.#input.byte(SPACE);
    this.#characters++;
  }
}

const input = new TextHashInput();

/** 32 bits of its words, in whatever spelling; 0 for a withdrawn or short one. The same on every machine. */
export function textHash(record: StoredRecord): number {
  if (record.withdrawn) return 0;
  input.clear();
  for (const text of searchedTexts(record)) for (const token of tokens(text)) input.token(token);
  return input.hash();
}

/** What `textHash` is made of, and what copies of a text have in common: its folded tokens, joined by spaces. */
export function foldedText(texts: readonly string[]): string {
  return texts.flatMap((text) => tokens(text)).join(' ');
}
