// A place for what must be a file and came through a pipe: a zip archive is read from its end.

import { createWriteStream } from 'node:fs';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';

/** A file of the system's folder for temporary files; it goes with the end of the scope. */
export class Spool implements AsyncDisposable {
  #folder: string | null = null;

  /** Writes everything into a file. Returns its path and size in bytes. */
  async keep(bytes: AsyncIterable<Buffer>): Promise<{ readonly path: string; readonly size: number }> {
    this.#folder ??= await mkdtemp(join(tmpdir(), 'colloquy-import-'));
    const path = join(this.#folder, 'input');
    await pipeline(bytes, createWriteStream(path, { mode: 0o600 }));
    return { path, size: (await stat(path)).size };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#folder !== null) await rm(this.#folder, { recursive: true, force: true });
  }
}
