// Bytes of a source, whose beginning can be looked at; and the error of a source that is damaged or ends early.

import type { Readable } from 'node:stream';

/**
 * A source that cannot be read to its end. Everything up to the last checksum is imported; the report says what is
 * wrong.
 */
export class BrokenSource extends Error {
  override name = 'BrokenSource';
}

/** The number of bytes of a container that checksums have confirmed. It grows while the container is read. */
export interface Vouched {
  bytes: number;
}

export function brokenOff(format: string, bytes: number, cause?: unknown): BrokenSource {
  return new BrokenSource(`the ${format} data ends after ${bytes} bytes: the file is incomplete`, { cause });
}

export function damaged(format: string, near: number, what: string, cause?: unknown): BrokenSource {
  return new BrokenSource(`the ${format} data is damaged near byte ${near}: ${what}`, { cause });
}

/** A BrokenSource for an error of a decompressor; any other error unchanged. */
export function unpackingError(format: string, near: number, error: unknown): unknown {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === 'Z_BUF_ERROR') return brokenOff(format, near, error);
  return /^Z(?:_|STD_)/.test(code ?? '') ? damaged(format, near, message, error) : error;
}

/** The bytes may be padding, or data with a damaged beginning. */
export function foreignBytes(format: string, at: number): BrokenSource {
  return new BrokenSource(`the ${format} data ends at byte ${at}, and something else follows: not read`);
}

/** Bytes to look at, take and give back, and what is left of them chunk by chunk. */
export class HeadedBytes {
  readonly #input: AsyncIterator<Buffer>;
  #waiting: Buffer[] = [];
  /** What reading threw; it is thrown again after the bytes that came before it. */
  #failure: { readonly error: unknown } | null = null;
  taken = 0;

  constructor(bytes: AsyncIterable<Buffer>) {
    this.#input = bytes[Symbol.asyncIterator]();
  }

  /** The next bytes, at most `size`, without taking them; fewer if there are no more, or reading them fails. */
  async head(size: number): Promise<Buffer> {
    let length = this.#waiting.reduce((sum, chunk) => sum + chunk.length, 0);
    while (length < size && this.#failure === null) {
      try {
        const next = await this.#input.next();
        if (next.done === true) break;
        this.#waiting.push(next.value);
        length += next.value.length;
      } catch (error) {
        this.#failure = { error };
      }
    }
    if (this.#waiting.length > 1) this.#waiting = [Buffer.concat(this.#waiting)];
    return (this.#waiting[0] ?? NOTHING).subarray(0, size);
  }

  /** Like `head`; throws what reading throws. */
  async peek(size: number): Promise<Buffer> {
    const bytes = await this.head(size);
    if (bytes.length < size && this.#failure !== null) throw this.#failure.error;
    return bytes;
  }

  /** The next `size` bytes, fewer at the end. */
  async take(size: number): Promise<Buffer> {
    const bytes = await this.peek(size);
    const all = this.#waiting.shift() ?? NOTHING;
    if (all.length > size) this.#waiting.unshift(all.subarray(size));
    this.taken += bytes.length;
    return bytes;
  }

  /** The next bytes, however many; null at the end. */
  async next(): Promise<Buffer | null> {
    if (this.#waiting.length === 0 && this.#failure !== null) throw this.#failure.error;
    const chunk = this.#waiting.shift() ?? (await this.#input.next()).value ?? null;
    this.taken += chunk?.length ?? 0;
    return chunk;
  }

  /** Gives back `bytes`, the last ones taken; they will be read again. */
  giveBack(bytes: Buffer): void {
    if (bytes.length > 0) this.#waiting.unshift(bytes);
    this.taken -= bytes.length;
  }

  /** Everything from the next byte on. Works only once. */
  async *[Symbol.asyncIterator](): AsyncGenerator<Buffer> {
    try {
      for (let chunk = await this.next(); chunk !== null; chunk = await this.next()) yield chunk;
    } finally {
      await this.close();
    }
  }

  async close(): Promise<void> {
    await this.#input.return?.();
  }
}

const NOTHING = Buffer.alloc(0);

/** Chunks that wait when the stream is paused. */
const WAITING = 4;

/**
 * The chunks of `stream`; throws its error after the last of them. (A stream's own async iteration drops chunks that
 * came before an error but had not been fetched yet: in a damaged dump, the last complete records.)
 */
export async function* drain(stream: Readable): AsyncGenerator<Buffer> {
  const waiting: Buffer[] = [];
  let failure: unknown = null;
  let isEnded = false;
  let wake = () => {};
  const end = (error?: unknown) => {
    failure ??= error ?? null;
    isEnded = true;
    wake();
  };
  stream.on('data', (chunk: Buffer) => {
    waiting.push(chunk);
    if (waiting.length >= WAITING) stream.pause();
    wake();
  });
  stream
    .on('end', () => end())
    .on('error', end)
    .on('close', () => end());
  try {
    for (;;) {
      const chunk = waiting.shift();
      if (chunk !== undefined) {
        yield chunk;
        if (waiting.length === 0) stream.resume();
      } else if (isEnded) break;
      else {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    }
    if (failure !== null) throw failure;
  } finally {
    stream.destroy();
  }
}
