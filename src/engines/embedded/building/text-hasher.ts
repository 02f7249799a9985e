// The hash of a record's words (model/text-hash.ts) while a segment is built: of plain text from its bytes, without a
// string for each token.

import { TextHashInput } from '../../../model/text-hash.ts';

const SPACE = 0x20;

/** By byte: the small letter or digit, else a space. */
const FOLDED = Uint8Array.from({ length: 256 }, (_, byte) => {
  const letter = String.fromCharCode(byte).toLowerCase();
  return byte < 0x80 && /[0-9a-z]/.test(letter) ? letter.charCodeAt(0) : SPACE;
});

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
