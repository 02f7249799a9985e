// Bytes that can be looked at, taken, and given back.

export class ByteQueue {
  readonly #input: AsyncIterator<Buffer>;
  /** Read from the input but not taken yet. */
  #waiting: Buffer[] = [];
  /** Bytes taken, minus those given back. */
  taken = 0;

  constructor(input: AsyncIterable<Buffer>) {
    this.#input = input[Symbol.asyncIterator]();
  }

  /** The next bytes, however many; null at the end. */
  async next(): Promise<Buffer | null> {
    const chunk = this.#waiting.shift() ?? (await this.#read());
    this.taken += chunk?.length ?? 0;
    return chunk;
  }

  /** The next `size` bytes, fewer at the end, without taking them. */
  async peek(size: number): Promise<Buffer> {
    let length = this.#waiting.reduce((sum, chunk) => sum + chunk.length, 0);
    while (length < size) {
      const chunk = await this.#read();
      if (chunk === null) break;
      this.#waiting.push(chunk);
      length += chunk.length;
    }
    if (this.#waiting.length > 1) this.#waiting = [Buffer.concat(this.#waiting)];
    return (this.#waiting[0] ?? NOTHING).subarray(0, size);
  }

  /** The next `size` bytes, fewer at the end. */
  async take(size: number): Promise<Buffer> {
    const bytes = await this.peek(size);
    const all = this.#waiting.shift() ?? NOTHING;
    if (all.length > size) this.#waiting.unshift(all.subarray(size));
    this.taken += bytes.length;
    return bytes;
  }

  /** Gives back `bytes`, the last ones taken; they will be read again. */
  giveBack(bytes: Buffer): void {
    if (bytes.length > 0) this.#waiting.unshift(bytes);
    this.taken -= bytes.length;
  }

  /** Closes the input. */
  async close(): Promise<void> {
    await this.#input.return?.();
  }

  async #read(): Promise<Buffer | null> {
    const next = await this.#input.next();
    return next.done === true ? null : next.value;
  }
}

const NOTHING = Buffer.alloc(0);
