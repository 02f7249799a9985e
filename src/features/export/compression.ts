// The compressions of an export: one gzip member or zstd frame, whose bytes depend only on the plain bytes and on where
// steps are. They run on libuv's threads, parallel to the thread that makes the plain bytes. Below, rows of text that
// become such bytes.

import type { Hash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream';
import {
  createGunzip,
  createGzip,
  createZstdCompress,
  createZstdDecompress,
  type Gunzip,
  type Gzip,
  type ZstdCompress,
  type ZstdDecompress,
  constants as zlib,
} from 'node:zlib';
import { StorageError, storageError } from '../../errors.ts';
import type { HeldRecords } from '../../model/export.ts';
import type { Row, TextForm } from '../../operation/text-forms.ts';
import { isCount } from '../../sqlite/database.ts';
import type { Compression } from './parameters.ts';

/** Plain bytes are compressed in pieces of this size; the last one before a step is shorter. */
const PIECE_BYTES = 262_144;

const MAX_PENDING = 2;

const GZIP_LEVEL = 6;
const ZSTD_LEVEL = 3;

interface Compressor {
  /** Resolves when more may be written. Copies what it keeps. */
  write(plain: Uint8Array): Promise<void>;
  /** Resolves when everything written has come out, so that a truncated file can be read up to here. */
  flush(): Promise<void>;
  end(): Promise<void>;
  /** Bytes since the last call, each piece in a buffer of its own. */
  take(): Uint8Array[];
  /** Discards the rest: nothing comes out after it. */
  close(): void;
}

export function openCompressor(compress: Compression): Compressor {
  switch (compress) {
    case 'none':
      return noCompression();
    case 'gzip':
      return new ThreadedCompression(
        createGzip({ level: GZIP_LEVEL, chunkSize: PIECE_BYTES }),
        zlib.Z_SYNC_FLUSH,
      );
    case 'zstd': {
      const params = { [zlib.ZSTD_c_compressionLevel]: ZSTD_LEVEL, [zlib.ZSTD_c_checksumFlag]: 1 };
      return new ThreadedCompression(
        createZstdCompress({ params, chunkSize: PIECE_BYTES }),
        zlib.ZSTD_e_flush,
      );
    }
  }
}

/** A stream that accepts a member or frame without its end, and ends where that ends. */
function openDecompressor(compress: Exclude<Compression, 'none'>): Gunzip | ZstdDecompress {
  return compress === 'gzip'
    ? createGunzip({ finishFlush: zlib.Z_SYNC_FLUSH })
    : createZstdDecompress({ finishFlush: zlib.ZSTD_e_continue });
}

function noCompression(): Compressor {
  const out: Uint8Array[] = [];
  return {
    async write(plain) {
      if (plain.length > 0) out.push(new Uint8Array(plain));
    },
    async flush() {},
    async end() {},
    take: () => out.splice(0),
    close() {
      out.length = 0;
    },
  };
}

class ThreadedCompression implements Compressor {
  readonly #stream: Gzip | ZstdCompress;
  readonly #flushKind: number;
  readonly #failed: Promise<never>;
  #piece = Buffer.allocUnsafeSlow(PIECE_BYTES);
  #filled = 0;
  readonly #pending: Promise<void>[] = [];
  readonly #out: Uint8Array[] = [];

  constructor(stream: Gzip | ZstdCompress, flushKind: number) {
    this.#stream = stream;
    this.#flushKind = flushKind;
    // Copied: the stream goes on writing into the same buffer.
    stream.on('data', (bytes: Buffer) => this.#out.push(new Uint8Array(bytes)));
    this.#failed = new Promise((_, reject) => stream.once('error', reject));
    this.#failed.catch(() => {});
  }

  async write(plain: Uint8Array): Promise<void> {
    for (let at = 0; at < plain.length; ) {
      const length = Math.min(plain.length - at, PIECE_BYTES - this.#filled);
      this.#piece.set(plain.subarray(at, at + length), this.#filled);
      this.#filled += length;
      at += length;
      if (this.#filled === PIECE_BYTES) await this.#send();
    }
  }

  async flush(): Promise<void> {
    if (this.#filled > 0) await this.#send();
    await this.#unlessFailed(new Promise<void>((resolve) => this.#stream.flush(this.#flushKind, resolve)));
    await this.#settled(0);
  }

  async end(): Promise<void> {
    if (this.#filled > 0) await this.#send();
    const ended = new Promise<void>((resolve) => this.#stream.once('end', resolve));
    this.#stream.end();
    await this.#unlessFailed(ended);
  }

  take(): Uint8Array[] {
    return this.#out.splice(0);
  }

  close(): void {
    this.#stream.destroy();
    this.#out.length = 0;
  }

  async #send(): Promise<void> {
    const bytes = this.#piece.subarray(0, this.#filled);
    this.#pending.push(new Promise((resolve) => this.#stream.write(bytes, () => resolve())));
    this.#piece = Buffer.allocUnsafeSlow(PIECE_BYTES);
    this.#filled = 0;
    await this.#settled(MAX_PENDING - 1);
  }

  async #settled(most: number): Promise<void> {
    while (this.#pending.length > most) await this.#unlessFailed(this.#pending.shift()!);
  }

  /** A stream that failed or was closed never calls back. */
  async #unlessFailed(done: Promise<void>): Promise<void> {
    await Promise.race([done, this.#failed]);
  }
}

export interface RowBytes {
  /** At `isStep`, everything so far comes out. */
  add(rows: readonly Row[], isStep: boolean): Promise<void>;
  end(): Promise<void>;
  /** Bytes since the last call, each piece in a buffer of its own. */
  take(): Uint8Array[];
  readonly cutCells: number;
  /** Rows that have not come out yet, and can be dropped. */
  readonly held?: HeldRecords;
  /** At a step: what is needed to resume behind it. */
  state(): object;
  close(): void;
}

/** UTF-16 units that are collected before they are compressed. */
const HANDED_ON = 131_072;

export class TextRows implements RowBytes {
  readonly #form: TextForm;
  readonly #compressor: Compressor;
  #plain = '';
  /** Plain bytes at each step. */
  readonly #steps: number[];
  readonly #cutBefore: number;
  #given: number;

  /** `before`: the steps of the part that the compressor has resumed, and its cut cells; absent: there is none. */
  constructor(
    form: TextForm,
    compressor: Compressor,
    before?: { readonly steps: readonly number[]; readonly cutCells: number },
  ) {
    this.#form = form;
    this.#compressor = compressor;
    this.#steps = [...(before?.steps ?? [])];
    this.#cutBefore = before?.cutCells ?? 0;
    this.#given = this.#steps.at(-1) ?? 0;
    if (before === undefined) this.#plain = form.head;
  }

  async add(rows: readonly Row[], isStep: boolean): Promise<void> {
    for (const row of rows) {
      this.#plain += this.#form.line(row);
      if (this.#plain.length >= HANDED_ON) await this.#handOn();
    }
    // Sends the first bytes at once.
    if (isStep || this.#given === 0) await this.#handOn();
    if (!isStep) return;
    await this.#compressor.flush();
    this.#steps.push(this.#given);
  }

  async end(): Promise<void> {
    await this.#handOn();
    await this.#compressor.end();
  }

  take(): Uint8Array[] {
    return this.#compressor.take();
  }

  get cutCells(): number {
    return this.#cutBefore + this.#form.cutCells;
  }

  state() {
    return { steps: this.#steps, cutCells: this.cutCells };
  }

  close(): void {
    this.#compressor.close();
  }

  async #handOn(): Promise<void> {
    const plain = Buffer.from(this.#plain);
    this.#plain = '';
    this.#given += plain.length;
    await this.#compressor.write(plain);
  }
}

// The state and the part of an interrupted export, so that it can be resumed. That the part has the bytes that were
// written, and that communities are known as they were, is seen to before (file/).

interface TextState {
  readonly bytes: number;
  readonly steps: readonly number[];
  readonly cutCells: number;
}

/** Throws a StorageError if it is invalid. */
export function readTextState(state: unknown): TextState {
  const { bytes, steps, cutCells } = (state ?? {}) as Partial<TextState>;
  const isWhole =
    [bytes, cutCells].every(isCount) &&
    Array.isArray(steps) &&
    steps.every((at, i) => isCount(at) && at >= (i === 0 ? 0 : steps[i - 1]));
  if (!isWhole) throw noState();
  return state as TextState;
}

export interface ParquetState {
  readonly bytes: number;
  readonly groups: string;
}

export function readParquetState(state: unknown): ParquetState {
  const { bytes, groups } = (state ?? {}) as Partial<ParquetState>;
  if (!isCount(bytes) || typeof groups !== 'string') throw noState();
  return state as ParquetState;
}

export function noState(): StorageError {
  return new StorageError('expected the state of an export, found something else; `--restart`');
}

export async function hashPart(path: string, hash: Hash): Promise<void> {
  try {
    for await (const bytes of createReadStream(path)) hash.update(bytes as Buffer);
  } catch (error) {
    throw storageError(error, path);
  }
}

/**
 * A compressor in the state at the end of the part; `steps`: plain bytes at each step, the last at its end. `hash` gets
 * the bytes of the part.
 */
export async function reopenCompressor(
  compress: Compression,
  path: string,
  steps: readonly number[],
  hash: Hash,
): Promise<Compressor> {
  const compressor = openCompressor(compress);
  try {
    if (compress === 'none') await hashPart(path, hash);
    else await replay(compress, path, steps, compressor, hash);
    return compressor;
  } catch (error) {
    compressor.close();
    throw storageError(error, path);
  }
}

async function replay(
  compress: Exclude<Compression, 'none'>,
  path: string,
  steps: readonly number[],
  compressor: Compressor,
  hash: Hash,
): Promise<void> {
  let at = 0;
  let step = 0;
  const flushDue = async () => {
    for (; steps[step] === at; step++) await compressor.flush();
    for (const piece of compressor.take()) hash.update(piece);
  };
  await flushDue();
  for await (const chunk of pipeline(createReadStream(path), openDecompressor(compress), () => {})) {
    for (let plain = chunk as Uint8Array; plain.length > 0; ) {
      const now = plain.subarray(0, (steps[step] ?? Infinity) - at);
      await compressor.write(now);
      at += now.length;
      plain = plain.subarray(now.length);
      await flushDue();
    }
  }
}
