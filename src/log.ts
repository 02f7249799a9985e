// The log: one JSON line for each event, on standard error, so that standard output is free for results. It
// contains no query text and no full address.

import { closeSync, fstatSync, openSync, write, writeSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

export type LogLevel = 'info' | 'warn' | 'error';

/** Says something in one line. Errors among the fields are told with their stacks and causes. Never throws. */
type Say = (fields: Readonly<Record<string, unknown>>, message: string) => void;

export type Logger = Record<LogLevel, Say>;

const STANDARD_ERROR = 2;
const RETRY_MS = 100;

/** It loads and opens nothing, since what it tells of may be that nothing can be opened. */
export function lineLog(write: (line: string) => void): Logger {
  const at =
    (level: LogLevel): Say =>
    (fields, msg) => {
      const line = { level, time: new Date().toISOString(), ...fields, msg };
      try {
        write(`${JSON.stringify(line, (_, value) => (value instanceof Error ? toldError(value) : value))}\n`);
      } catch {
        // Nobody is left to be told.
      }
    };
  return { info: at('info'), warn: at('warn'), error: at('error') };
}

export const log = lineLog(writeNow);

function toldError({ name, message, stack, cause, ...fields }: Error): object {
  return { name, message, ...fields, stack, cause };
}

/** Written when it returns, so that the last words of a process are read too. */
function writeNow(line: string): void {
  const bytes = Buffer.from(line);
  for (let from = 0; from < bytes.length; ) {
    try {
      from += writeSync(STANDARD_ERROR, bytes, from);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, RETRY_MS);
    }
  }
}

/** Bytes that may wait to be written: about 20,000 lines. */
const MAX_WAITING = 4 * 1024 * 1024;
/** Bytes of one write. */
const MAX_WRITE = 65_536;
/** So much is written to a pipe as a whole, whoever else writes to it (PIPE_BUF of Linux). */
const MAX_PIPE_WRITE = 4096;
/** Lines are written together that come within this time. */
const GATHER_MS = 20;
/** How long a stop waits for a reader that does not read. */
const LAST_WAIT_MS = 1000;

/** Many lines, of which each is written whole and soon: whoever has one to say never waits for a disk or a reader. */
export class LogLines implements AsyncDisposable {
  readonly #fd: number;
  readonly #maxWrite: number;
  readonly #over = new AbortController();
  #waiting: Buffer[] = [];
  #waitingBytes = 0;
  #lost = 0;
  #writing: Promise<void> | null = null;
  #isClosed = false;

  /** null: standard error. Throws what opening the file throws; only its owner may read a file that is made. */
  constructor(file: string | null) {
    this.#fd = file === null ? STANDARD_ERROR : openSync(file, 'a', 0o600);
    this.#maxWrite = fstatSync(this.#fd).isFIFO() ? MAX_PIPE_WRITE : MAX_WRITE;
  }

  /** The time is put in front. Undefined fields are left out. Never throws. */
  write(fields: Readonly<Record<string, unknown>>): void {
    const line = Buffer.from(`${JSON.stringify({ time: new Date().toISOString(), ...fields })}\n`);
    if (this.#isClosed || this.#waitingBytes + line.length > MAX_WAITING) {
      this.#lost++;
      return;
    }
    this.#waiting.push(line);
    this.#waitingBytes += line.length;
    this.#writing ??= this.#writeAll().finally(() => {
      this.#writing = null;
    });
  }

  /** How many lines were lost: nobody read them, or there was no room for them. */
  figures(): { readonly lost: number } {
    return { lost: this.#lost };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#over.abort();
    const patience = new AbortController();
    await Promise.race([
      this.#writing,
      sleep(LAST_WAIT_MS, undefined, { signal: patience.signal }).catch(() => undefined),
    ]);
    patience.abort();
    if (this.#writing === null && this.#fd !== STANDARD_ERROR) closeSync(this.#fd);
  }

  async #writeAll(): Promise<void> {
    while (this.#waiting.length > 0) {
      await sleep(GATHER_MS, undefined, { signal: this.#over.signal }).catch(() => undefined);
      while (this.#waiting.length > 0) {
        const lines = this.#next();
        const isWritten = await writeWhole(this.#fd, Buffer.concat(lines));
        if (!isWritten) this.#lost += lines.length;
        for (const { length } of lines) this.#waitingBytes -= length;
      }
    }
  }

  /** One line at least. */
  #next(): Buffer[] {
    let bytes = 0;
    const beyond = this.#waiting.findIndex(({ length }, at) => {
      bytes += length;
      return at > 0 && bytes > this.#maxWrite;
    });
    return this.#waiting.splice(0, beyond === -1 ? this.#waiting.length : beyond);
  }
}

/** False: it cannot be written, wholly or in part. */
async function writeWhole(fd: number, bytes: Buffer): Promise<boolean> {
  for (let from = 0; from < bytes.length; ) {
    const written = await writeSome(fd, bytes, from);
    if (written === null) return false;
    if (written === 0) await sleep(RETRY_MS, undefined, { ref: false });
    from += written;
  }
  return true;
}

/** How many bytes; 0: not now; null: not at all. */
function writeSome(fd: number, bytes: Buffer, from: number): Promise<number | null> {
  const { promise, resolve } = Promise.withResolvers<number | null>();
  write(fd, bytes, from, bytes.length - from, null, (error, written) => {
    if (error === null) resolve(written);
    else resolve(error.code === 'EAGAIN' ? 0 : null);
  });
  return promise;
}

/** How many names are remembered; the one that was first asked for makes way. */
const MAX_NAMES = 10_000;

/** For events that may come thousands of times a second, of which the log tells some. */
export class Thinned {
  readonly #everyMs: number;
  /** When the last one was told, in milliseconds, and how many have been passed over since. */
  readonly #names = new Map<string, { toldMs: number; passedOver: number }>();

  /** `everyMs`: between two that are told. */
  constructor(everyMs: number) {
    this.#everyMs = everyMs;
  }

  /**
   * How many have been passed over since the last one that was told; null: this one is passed over too. Each name has
   * its own, so that one with many events hides no other.
   */
  next(name = ''): number | null {
    const now = performance.now();
    const [first] = this.#names.keys();
    if (this.#names.size >= MAX_NAMES && !this.#names.has(name)) this.#names.delete(first!);
    const last = this.#names.getOrInsertComputed(name, () => ({ toldMs: -Infinity, passedOver: 0 }));
    const { toldMs, passedOver } = last;
    const isTold = now - toldMs >= this.#everyMs;
    Object.assign(last, isTold ? { toldMs: now, passedOver: 0 } : { passedOver: passedOver + 1 });
    return isTold ? passedOver : null;
  }
}
