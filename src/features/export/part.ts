// Rereads the state and the part of an interrupted export, so that it can be resumed.

import type { Hash } from 'node:crypto';
import { createReadStream, type ReadStream, statSync } from 'node:fs';
import { StorageError, storageError } from '../../errors.ts';
import { type Compressor, openCompressor, openDecompressor } from './compression.ts';
import type { Compression } from './parameters.ts';

export interface TextState {
  readonly generation: number;
  readonly bytes: number;
  /** Plain bytes at each step so far. */
  readonly steps: readonly number[];
  readonly cutCells: number;
}

/** Throws a StorageError if it is invalid, or if what is known of communities has changed since. */
export function readTextState(state: unknown, generation: number): TextState {
  const { generation: before, bytes, steps, cutCells } = (state ?? {}) as Partial<TextState>;
  const isWhole =
    [before, bytes, cutCells].every(isCount) &&
    Array.isArray(steps) &&
    steps.every((at, i) => isCount(at) && at >= (i === 0 ? 0 : steps[i - 1]));
  if (!isWhole) throw noState();
  checkGeneration(before!, generation);
  return state as TextState;
}

export interface ParquetState {
  readonly generation: number;
  readonly bytes: number;
  readonly groups: readonly unknown[];
}

/** Throws as `readTextState` does. */
export function readParquetState(state: unknown, generation: number): ParquetState {
  const { generation: before, bytes, groups } = (state ?? {}) as Partial<ParquetState>;
  if (!isCount(before) || !isCount(bytes) || !Array.isArray(groups)) throw noState();
  checkGeneration(before!, generation);
  return state as ParquetState;
}

export function noState(): StorageError {
  return new StorageError('expected the state of an export, found something else; `--restart`');
}

function checkGeneration(before: number, now: number): void {
  if (before === now) return;
  throw new StorageError(
    'expected the known communities as they were when the export was interrupted, ' +
      'found that they have changed; begin again with `--restart`',
  );
}

export function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

interface WrittenPart {
  /** A file with exactly these bytes. */
  readonly path: string;
  readonly bytes: number;
  /** Plain bytes at each step; the last step is at the end of the part. */
  readonly steps: readonly number[];
}

/**
 * A compressor in the state at the end of the part. `hash` gets the bytes of the part. Throws a StorageError if the
 * part differs from what this program writes for its content.
 */
export async function reopenCompressor(
  compress: Compression,
  part: WrittenPart,
  hash: Hash,
): Promise<Compressor> {
  const compressor = openCompressor(compress);
  try {
    if (compress === 'none') await takePart(part, hash);
    else await replay(compress, part, compressor, hash);
    return compressor;
  } catch (error) {
    compressor.close();
    throw storageError(error, part.path);
  }
}

type PartFile = Pick<WrittenPart, 'path' | 'bytes'>;

/** Hashes a part of this length. Throws a StorageError if it has another. */
export async function takePart(part: PartFile, hash: Hash): Promise<void> {
  try {
    checkLength(part);
    for await (const bytes of createReadStream(part.path)) hash.update(bytes as Buffer);
  } catch (error) {
    throw storageError(error, part.path);
  }
}

function checkLength({ path, bytes }: PartFile): void {
  const found = statSync(path).size;
  if (found !== bytes) throw notOurs(path, `expected ${bytes} bytes, found ${found}`);
}

async function replay(
  compress: Exclude<Compression, 'none'>,
  part: WrittenPart,
  compressor: Compressor,
  hash: Hash,
): Promise<void> {
  checkLength(part);
  const same = new SameBytes(part.path);
  let at = 0;
  let step = 0;
  const flushDue = async () => {
    for (; part.steps[step] === at; step++) await compressor.flush();
    await same.check(compressor.take(), hash);
  };
  const file = createReadStream(part.path);
  const decompressor = openDecompressor(compress);
  file.once('error', (error) => decompressor.destroy(error));
  try {
    await flushDue();
    for await (const chunk of file.pipe(decompressor)) {
      let plain = chunk as Uint8Array;
      while (plain.length > 0) {
        const stepAt = part.steps[step];
        if (stepAt === undefined) throw notOurs(part.path, 'expected its end, found more');
        const now = plain.subarray(0, stepAt - at);
        await compressor.write(now);
        at += now.length;
        plain = plain.subarray(now.length);
        await flushDue();
      }
    }
    if (step < part.steps.length) throw notOurs(part.path, 'expected more, found its end');
    await same.checkEnd();
  } catch (error) {
    if (isDamage(error)) throw notOurs(part.path, (error as Error).message);
    throw error;
  } finally {
    file.destroy();
    await same.close();
  }
}

/** Compares bytes with those of a file. */
class SameBytes {
  readonly #path: string;
  readonly #file: ReadStream;
  readonly #pieces: AsyncIterator<Buffer>;
  #rest: Uint8Array = new Uint8Array(0);

  constructor(path: string) {
    this.#path = path;
    // If it is closed before the first read, nobody else handles an error of opening.
    this.#file = createReadStream(path).on('error', () => undefined);
    this.#pieces = this.#file[Symbol.asyncIterator]();
  }

  async check(pieces: readonly Uint8Array[], hash: Hash): Promise<void> {
    for (const piece of pieces) {
      hash.update(piece);
      for (let at = 0; at < piece.length; ) {
        if (this.#rest.length === 0 && !(await this.#read())) throw this.#other();
        const length = Math.min(this.#rest.length, piece.length - at);
        if (Buffer.compare(this.#rest.subarray(0, length), piece.subarray(at, at + length)) !== 0)
          throw this.#other();
        this.#rest = this.#rest.subarray(length);
        at += length;
      }
    }
  }

  async checkEnd(): Promise<void> {
    if (this.#rest.length > 0 || (await this.#read())) throw this.#other();
  }

  async close(): Promise<void> {
    await this.#pieces.return?.();
    // An iterator that was never started closes nothing.
    this.#file.destroy();
  }

  async #read(): Promise<boolean> {
    const { value, done } = await this.#pieces.next();
    if (done !== true) this.#rest = value;
    return done !== true;
  }

  #other(): StorageError {
    return notOurs(this.#path, 'expected the bytes that this version writes, found others');
  }
}

/** Whether the `code` of an error from zlib means damaged bytes. */
function isDamage(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return /^(?:Z_|ZSTD_|ERR_ZLIB)/.test(code);
}

export function notOurs(path: string, found: string): StorageError {
  return new StorageError(
    `\`${path}\`: not the part that this export left: ${found}; begin again with \`--restart\``,
  );
}
