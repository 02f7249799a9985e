// The hash of a record's words (model/text-hash.ts) while a segment is built: of plain text from its bytes, without a
// string for each token.

import { Buffer } from 'node:buffer';
import { TextHashInput } from '../../../model/text-hash.ts';

const SPACE = 0x20;

/** By byte: the small letter or digit, else a space. */
const FOLDED = Uint8Array.from({ length: 256 }, (_, byte) => {
  const letter = String.fromCharCode(byte).toLowerCase();
  return byte < 0x80 && /[0-9a-z]/.test(letter) ? letter.charCodeAt(0) : SPACE;
});

export class TextHasher {
  readonly #input = new TextHashInput();
  #folded = Buffer.allocUnsafeSlow(1 << 12);

  /** Begins a record. */
  clear(): void {
    this.#input.clear();
  }

  /**
   * Adds a text. `texts`: its tokens; null: they are the runs of ASCII letters and digits, as small letters.
   */
  add(texts: readonly string[] | null, bytes: Uint8Array, from: number, to: number): void {
    if (texts === null) this.#addPlain(bytes, from, to);
    else for (const token of texts) this.#input.token(token);
  }

  /** `textHash` of a record with these texts that is not withdrawn. */
  hash(): number {
    return this.#input.hash();
  }

  /** Its tokens, with a space between them, are the same input as one token after the other. */
  #addPlain(bytes: Uint8Array, from: number, to: number): void {
    if (this.#folded.length <= to - from) this.#folded = Buffer.allocUnsafeSlow((to - from) * 2 + 1);
    const folded = this.#folded;
    let last = SPACE;
    let length = 0;
    for (let i = from; i < to; i++) {
      const byte = FOLDED[bytes[i]!]!;
      folded[length] = byte;
      // A space behind a space is overwritten by what follows: without a branch, which no processor can foresee.
      const differs = (byte ^ SPACE) | (last ^ SPACE);
      length += -differs >>> 31;
      last = byte;
    }
    if (last === SPACE && length > 0) length--;
    if (length > 0) this.#input.utf8(folded, 0, length);
  }
}
