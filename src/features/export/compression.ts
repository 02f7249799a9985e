// The compressions of an export: one gzip member or zstd frame, whose bytes depend only on the plain bytes and on where
// steps are. They run on libuv's threads, parallel to the thread that makes the plain bytes. Below, rows of text that
// become such bytes.

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
import type { HeldRecords } from '../../model/export.ts';
import type { Row, TextForm } from '../../operation/text-forms.ts';
import type { Compression } from './parameters.ts';

/** Plain bytes are compressed in pieces of this size; the last one before a step is shorter. */
const PIECE_BYTES = 262_144;

/** Pieces that may wait: one more than is being compressed. */
const MAX_PENDING = 2;

/** Default levels of `gzip` and `zstd`. */
const GZIP_LEVEL = 6;
const ZSTD_LEVEL = 3;

export interface Compressor {
  /** Resolves when more may be written. Copies what it keeps. */
  write(plain: Uint8Array): Promise<void>;
  /** Resolves when everything written has come out, so that a truncated file can be read up to here. */
  flush(): Promise<void>;
  /** Resolves when all has come out. */
  end(): Promise<void>;
  /** Bytes since the last call, each piece in a buffer of its own. */
  take(): Uint8Array[];
  /** Discards the rest: nothing comes out after it. */
  close(): void;
}

export function openCompressor(compress: Compression): Compressor {
  switch (compress) {
    case 'none':
      return new NoCompression();
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
export function openDecompressor(compress: Exclude<Compression, 'none'>): Gunzip | ZstdDecompress {
  return compress === 'gzip'
    ? createGunzip({ finishFlush: zlib.Z_SYNC_FLUSH })
    : createZstdDecompress({ finishFlush: zlib.ZSTD_e_continue });
}

class NoCompression implements Compressor {
  #out: Uint8Array[] = [];

  async write(plain: Uint8Array): Promise<void> {
    if (plain.length > 0) this.#out.push(new Uint8Array(plain));
  }

  async flush(): Promise<void> {}

  async end(): Promise<void> {}

  take(): Uint8Array[] {
    const out = this.#out;
    this.#out = [];
    return out;
  }

  close(): void {
    this.#out = [];
  }
}

class ThreadedCompression implements Compressor {
  readonly #stream: Gzip | ZstdCompress;
  readonly #flushKind: number;
  readonly #failed: Promise<never>;
  #piece: Buffer<ArrayBuffer> = Buffer.allocUnsafeSlow(PIECE_BYTES);
  #filled = 0;
  /** Buffers that can be reused. */
  readonly #free: Buffer<ArrayBuffer>[] = [];
  /** In the order written. */
  readonly #pending: Promise<void>[] = [];
  #out: Uint8Array[] = [];

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
    const out = this.#out;
    this.#out = [];
    return out;
  }

  close(): void {
    this.#stream.destroy();
    this.#out = [];
  }

  async #send(): Promise<void> {
    const piece = this.#piece;
    const bytes = piece.subarray(0, this.#filled);
    const written = new Promise<void>((resolve) => {
      this.#stream.write(bytes, () => {
        this.#free.push(piece);
        resolve();
      });
    });
    this.#pending.push(written);
    this.#filled = 0;
    await this.#settled(MAX_PENDING - 1);
    this.#piece = this.#free.pop() ?? Buffer.allocUnsafeSlow(PIECE_BYTES);
  }

  /** Waits until at most `most` pieces are pending. */
  async #settled(most: number): Promise<void> {
    while (this.#pending.length > most) await this.#unlessFailed(this.#pending.shift()!);
  }

  /** A stream that failed or was closed never calls back. */
  async #unlessFailed(done: Promise<void>): Promise<void> {
    await Promise.race([done, this.#failed]);
  }
}

/** Rows become the bytes of a file: pieces of text, compressed, or Parquet. */
export interface RowBytes {
  /** At `isStep`, everything so far comes out. */
  add(rows: readonly Row[], isStep: boolean): Promise<void>;
  /** Nothing may be added after it. */
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

/** Plain bytes that are collected before they are compressed. */
const HANDED_ON_BYTES = 131_072;

export class TextRows implements RowBytes {
  readonly #form: TextForm;
  readonly #compressor: Compressor;
  readonly #plain = new PlainText();
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
    if (before === undefined) this.#plain.write(form.head);
  }

  async add(rows: readonly Row[], isStep: boolean): Promise<void> {
    for (const row of rows) {
      this.#plain.write(this.#form.line(row));
      if (this.#plain.length >= HANDED_ON_BYTES) await this.#handOn();
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
    const plain = this.#plain.take();
    this.#given += plain.length;
    await this.#compressor.write(plain);
  }
}

const FIRST_BYTES = 1_048_576;

/** Most UTF-8 bytes of one UTF-16 unit. */
const BYTES_A_UNIT = 3;

/** Encodes text as UTF-8 into one buffer, which is reused. */
class PlainText {
  #buffer = Buffer.allocUnsafeSlow(FIRST_BYTES);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  write(text: string): void {
    const needed = this.#length + BYTES_A_UNIT * text.length;
    if (needed > this.#buffer.length) this.#grow(needed);
    this.#length += this.#buffer.write(text, this.#length, 'utf8');
  }

  take(): Uint8Array {
    const bytes = this.#buffer.subarray(0, this.#length);
    this.#length = 0;
    return bytes;
  }

  #grow(needed: number): void {
    const larger = Buffer.allocUnsafeSlow(Math.max(needed, 2 * this.#buffer.length));
    larger.set(this.#buffer.subarray(0, this.#length));
    this.#buffer = larger;
  }
}
