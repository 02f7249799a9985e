// A stream of bytes whose beginning can be looked at before it is read.

export class HeadedBytes {
  readonly #source: AsyncIterator<Buffer>;
  #waiting: Buffer[] = [];
  #waitingSize = 0;
  #isEnded = false;
  /** The error that ended the source while its beginning was looked at: it comes behind what came before it. */
  #failure: unknown = null;

  constructor(bytes: AsyncIterable<Buffer>) {
    this.#source = bytes[Symbol.asyncIterator]();
  }

  /** The first bytes, at most `size`; fewer only where no more can be read. They are read again by the iteration. */
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

  /** Everything, from the first byte on. Once only. */
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

  /** Lets go of the source: for one that is looked at and not read. */
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
