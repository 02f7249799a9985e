// Text on its way to bytes: UTF-8 in one piece of memory that is used again.

const FIRST_BYTES = 1_048_576;

/** Bytes of UTF-8 that one UTF-16 unit becomes at the most. */
const BYTES_A_UNIT = 3;

export class PlainText {
  #buffer = Buffer.allocUnsafeSlow(FIRST_BYTES);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  write(text: string): void {
    const needed = this.#length + BYTES_A_UNIT * text.length;
    if (needed > this.#buffer.length) this.#grow(needed);
    this.#length += this.#buffer.write(text, this.#length, 'utf8');
  }

  /** All since the last call; valid until the next `write`. */
  take(): Uint8Array {
    const bytes = this.#buffer.subarray(0, this.#length);
    this.#length = 0;
    return bytes;
  }

  #grow(needed: number): void {
    const larger = Buffer.allocUnsafeSlow(Math.max(needed, 2 * this.#buffer.length));
    larger.set(this.#buffer.subarray(0, this.#length));
    this.#buffer = larger;
  }
}
