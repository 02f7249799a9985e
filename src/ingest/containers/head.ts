// A stream of bytes whose beginning can be examined before it is read.

export class HeadedBytes {
  readonly #source: AsyncIterator<Buffer>;
  #waiting: Buffer[] = [];
  #waitingSize = 0;
  #isEnded = false;
  /** An error while the beginning was examined; it is thrown after the bytes that came before it. */
  #failure: unknown = null;

  constructor(bytes: AsyncIterable<Buffer>) {
    this.#source = bytes[Symbol.asyncIterator]();
  }

  /** The first bytes, at most `size`; fewer only if there are no more. The iteration returns them again. */
  async head(size: number): Promise<Buffer> {
    while (this.#waitingSize < size && !this.#isEnded) {
      const next = await this.#next();
      if (next !== null) {
        this.#waiting.push(next);
        this.#waitingSize += next.length;
      }
    }
    const joined = Buffer.concat(this.#waiting);
    this.#waiting = joined.length > 0 ? [joined] : [];
    return joined.subarray(0, size);
  }

  /** Everything from the first byte on. Works only once. */
  async *[Symbol.asyncIterator](): AsyncGenerator<Buffer> {
    try {
      for (const chunk of this.#waiting.splice(0)) yield chunk;
      while (!this.#isEnded) {
        const next = await this.#next();
        if (next !== null) yield next;
      }
      if (this.#failure !== null) throw this.#failure;
    } finally {
      await this.close();
    }
  }

  /** Closes a source that was examined but not read. */
  async close(): Promise<void> {
    await this.#source.return?.();
  }

  /** null at the end. */
  async #next(): Promise<Buffer | null> {
    try {
      const next = await this.#source.next();
      if (!next.done) return next.value;
    } catch (error) {
      this.#failure = error;
    }
    this.#isEnded = true;
    return null;
  }
}
