// A file that appears only when it is complete: it is written under another name, compressed by its ending, synced, and
// renamed at the end.

import { once } from 'node:events';
import { existsSync, statSync } from 'node:fs';
import { type FileHandle, open, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { PassThrough, type Transform } from 'node:stream';
import { constants, createGzip, createZstdCompress } from 'node:zlib';
import { storageError, UsageError } from '../../../errors.ts';
import { syncFolder } from '../../../sqlite/database.ts';

/** To be disposed of: an unfinished file leaves nothing behind. */
export class OutFile {
  readonly path: string;
  readonly #part: string;
  readonly #handle: FileHandle;
  readonly #encoder: Transform;
  readonly #writing: Promise<void>;
  #bytes = 0;
  #isOpen = true;

  /**
   * `replaces`: overwrites a file of this name, finished or not. Throws a UsageError if a file or folder is in the way.
   */
  static async create(path: string, replaces: boolean): Promise<OutFile> {
    const part = partOf(path);
    try {
      if (statSync(path, { throwIfNoEntry: false })?.isDirectory())
        throw new UsageError(`expected a file to write, found a folder at \`${path}\``);
      if (replaces) await rm(part, { force: true });
      else expectNothing(path, part);
      return new OutFile(path, await open(part, 'wx', 0o666));
    } catch (error) {
      throw explained(error, path);
    }
  }

  private constructor(path: string, handle: FileHandle) {
    this.path = path;
    this.#part = partOf(path);
    this.#handle = handle;
    this.#encoder = encoderFor(path);
    this.#writing = this.#writeAll();
    // The error is thrown where the writing is awaited.
    this.#writing.catch(() => undefined);
  }

  async write(bytes: Uint8Array): Promise<void> {
    if (bytes.length === 0 || this.#encoder.write(bytes)) return;
    await Promise.race([once(this.#encoder, 'drain'), this.#writing]);
  }

  /** Publishes the file, synced, and returns its bytes. */
  async finish(): Promise<number> {
    this.#encoder.end();
    await this.#writing;
    try {
      await this.#handle.sync();
      if (!(await this.#isOurs())) throw takenOver(this.path);
      await this.#publish();
      syncFolder(dirname(this.path));
    } catch (error) {
      throw explained(error, this.path);
    }
    return this.#bytes;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.#isOpen) return;
    this.#encoder.destroy();
    await this.#writing.catch(() => undefined);
    const isOurs = await this.#isOurs();
    await this.#close();
    if (isOurs) await rm(this.#part, { force: true });
  }

  /** Closes first: only then all errors of writing are known. */
  async #publish(): Promise<void> {
    try {
      await this.#close();
      await rename(this.#part, this.path);
    } catch (error) {
      await rm(this.#part, { force: true });
      throw error;
    }
  }

  /** False: another run has replaced the unfinished file. */
  async #isOurs(): Promise<boolean> {
    const ours = await this.#handle.stat({ bigint: true });
    const named = await stat(this.#part, { bigint: true, throwIfNoEntry: false });
    return named !== undefined && named.dev === ours.dev && named.ino === ours.ino;
  }

  async #writeAll(): Promise<void> {
    try {
      for await (const chunk of this.#encoder as AsyncIterable<Buffer>) {
        await this.#handle.writeFile(chunk);
        this.#bytes += chunk.length;
      }
    } catch (error) {
      throw storageError(error, this.#part);
    }
  }

  async #close(): Promise<void> {
    this.#isOpen = false;
    await this.#handle.close();
  }
}

export function partOf(path: string): string {
  return `${path}.part`;
}

/** zstd's checksum tells a reader that everything is there, as gzip's does. */
function encoderFor(path: string): Transform {
  if (path.endsWith('.gz')) return createGzip();
  if (!path.endsWith('.zst')) return new PassThrough();
  return createZstdCompress({ params: { [constants.ZSTD_c_checksumFlag]: 1 } });
}

function expectNothing(path: string, part: string): void {
  if (existsSync(path)) {
    throw new UsageError(
      `expected no file \`${path}\` yet, found one; \`--restart\` replaces it, or choose another name`,
    );
  }
  if (existsSync(part)) {
    throw new UsageError(
      `expected no \`${part}\`, found the file of another run, which is at work or was killed; \`--restart\` starts again`,
    );
  }
}

function takenOver(path: string): UsageError {
  return new UsageError(
    `expected to write \`${path}\` alone, found another run with \`--restart\`, which replaced it; this file is not kept`,
  );
}

function explained(error: unknown, path: string): unknown {
  const { code, message } = error as NodeJS.ErrnoException;
  if (!['ENOENT', 'ENOTDIR', 'EEXIST', 'EISDIR', 'ERR_FS_EISDIR'].includes(`${code}`))
    return storageError(error, path);
  const words = `expected a folder in which \`${path}\` can be written, found ${message}`;
  return new UsageError(words, { cause: error });
}
