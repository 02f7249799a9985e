// The part file, `FILE.part`: bytes are appended, and it is renamed when complete. A lock beside it allows one writing
// process at a time; the system releases it when the process dies.

import { createHash } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { StorageError, storageError, UsageError } from '../../../errors.ts';
import { syncFolder, tryToLock } from '../../../sqlite/database.ts';
import { hashPart } from '../compression.ts';
import { partOf } from './file-state.ts';

const READ_BYTES = 1_048_576;

export interface Written {
  readonly bytes: number;
  /** Hash of these bytes: 64 hex digits. */
  readonly sha256: string;
}

export class PartFile implements Disposable {
  readonly path: string;
  readonly #file: number;
  readonly #hash = createHash('sha256');
  #bytes = 0;
  #isOpen = true;

  /** Creates an empty one; an existing one is overwritten. */
  static create(path: string): PartFile {
    return guarded(path, () => new PartFile(path, 'w'));
  }

  /**
   * Truncates the part to `written`. Throws a StorageError if the part lacks these bytes: a disk lost them, or another
   * program changed them.
   */
  static reopen(out: string, written: Written): PartFile {
    const path = partOf(out);
    return guarded(path, () => {
      const part = new PartFile(path, existsSync(path) ? 'r+' : 'w');
      try {
        part.#take(written);
        return part;
      } catch (error) {
        part[Symbol.dispose]();
        throw error;
      }
    });
  }

  private constructor(path: string, flags: 'w' | 'r+') {
    this.path = path;
    this.#file = openSync(path, flags, 0o666);
  }

  write(pieces: readonly Uint8Array[]): void {
    guarded(this.path, () => {
      for (const piece of pieces) {
        for (let at = 0; at < piece.length; ) {
          at += writeSync(this.#file, piece, at, piece.length - at, this.#bytes + at);
        }
        this.#hash.update(piece);
        this.#bytes += piece.length;
      }
    });
  }

  /** Where these bytes, which begin at `at`, first differ from those of the file; null: they are the same. */
  firstDifference(bytes: Uint8Array, at: number): number | null {
    const there = Buffer.allocUnsafe(bytes.length);
    for (let read = 0; read < bytes.length; ) {
      const more = readSync(this.#file, there, read, bytes.length - read, at + read);
      if (more === 0) throw notOurs(this.path, `expected byte ${at + read}, found its end`);
      read += more;
    }
    if (there.equals(bytes)) return null;
    return at + bytes.findIndex((byte, i) => byte !== there[i]);
  }

  /** All bytes written so far are on disk when it returns. */
  sync(): Written {
    guarded(this.path, () => fsyncSync(this.#file));
    return { bytes: this.#bytes, sha256: this.#hash.copy().digest('hex') };
  }

  [Symbol.dispose](): void {
    if (this.#isOpen) closeSync(this.#file);
    this.#isOpen = false;
  }

  #take({ bytes, sha256 }: Written): void {
    const buffer = Buffer.allocUnsafe(READ_BYTES);
    while (this.#bytes < bytes) {
      const length = Math.min(buffer.length, bytes - this.#bytes);
      const read = readSync(this.#file, buffer, 0, length, this.#bytes);
      if (read === 0) throw notOurs(this.path, `expected ${bytes} bytes at least, found ${this.#bytes}`);
      this.#hash.update(buffer.subarray(0, read));
      this.#bytes += read;
    }
    if (bytes > 0 && this.#hash.copy().digest('hex') !== sha256) {
      throw notOurs(this.path, 'expected the bytes that were written, found others');
    }
    ftruncateSync(this.#file, bytes);
  }
}

export function notOurs(path: string, found: string): StorageError {
  return new StorageError(
    `\`${path}\`: not the part that this export left: ${found}; begin again with \`--restart\``,
  );
}

/** Throws a UsageError if a file is in the way. */
export function expectNone(out: string, replaces: boolean): void {
  if (replaces || !existsSync(out)) return;
  throw new UsageError(
    `expected no file \`${out}\` yet, found one; \`--restart\` replaces it, or choose another name`,
  );
}

/** Renames the part to `out`, durably. Throws a UsageError if a file exists by now, unless `replaces`. */
export function publish(out: string, replaces: boolean): void {
  expectNone(out, replaces);
  guarded(out, () => {
    renameSync(partOf(out), out);
    syncFolder(dirname(out));
  });
}

export function removePart(out: string): void {
  rmSync(partOf(out), { force: true });
}

/** Whether the file at this path has exactly these bytes. */
export async function isWritten(path: string, { bytes, sha256 }: Written): Promise<boolean> {
  if (statSync(path, { throwIfNoEntry: false })?.size !== bytes) return false;
  const hash = createHash('sha256');
  await hashPart(path, hash);
  return hash.digest('hex') === sha256;
}

function guarded<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw storageError(error, path);
  }
}

/**
 * Locks the path until disposed. Throws a UsageError if another process holds the lock, if the path cannot be a file,
 * or if its folder is missing.
 */
export function lockOut(path: string): Disposable {
  expectPlace(path);
  const file = `${path}.lock`;
  let lock: Disposable | null;
  try {
    lock = tryToLock(file);
  } catch (error) {
    throw storageError(error, file);
  }
  // A process that has just ended may have deleted the lock file under this one.
  if (lock === null || !existsSync(file)) {
    lock?.[Symbol.dispose]();
    throw new UsageError(
      `expected to be alone in writing \`${path}\`, found another process that writes it; ` +
        'let it end, or choose another name',
    );
  }
  return { [Symbol.dispose]: () => release(file, lock) };
}

/** Deletes the file before it releases the lock, so that nobody locks a file without a name; Windows refuses that. */
function release(file: string, lock: Disposable): void {
  const isWindows = process.platform === 'win32';
  if (!isWindows) rmSync(file, { force: true });
  lock[Symbol.dispose]();
  if (!isWindows) return;
  try {
    rmSync(file, { force: true });
  } catch {
    // Another process has it already.
  }
}

function expectPlace(path: string): void {
  if (!statSync(dirname(path), { throwIfNoEntry: false })?.isDirectory()) {
    throw new UsageError(`expected a folder for \`${path}\`, found none at \`${dirname(path)}\``);
  }
  const there = statSync(path, { throwIfNoEntry: false });
  if (there === undefined || there.isFile()) return;
  const found = there.isDirectory() ? 'a folder' : 'something that is no plain file';
  throw new UsageError(`expected a file to write at \`${path}\`, found ${found}`);
}
