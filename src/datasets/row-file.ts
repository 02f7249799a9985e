// The endings of the files of a data set.
//
// One published file: rows become its bytes, in one of the formats of data sets.

import { createHash } from 'node:crypto';
import { closeSync, fsyncSync, openSync, writeSync } from 'node:fs';
import { columnsOf, type Row } from '../exporting/columns.ts';
import { type Compressor, openCompressor } from '../exporting/compression.ts';
import type { Compression, Format, TextFormat } from '../exporting/formats.ts';
import { ParquetFile } from '../exporting/parquet-file.ts';
import { GROUP_BYTES } from '../exporting/parquet-shaper.ts';
import { openTextForm, PlainText, type TextForm } from '../exporting/text-forms.ts';
import type { DatasetFormat } from '../model/catalogue.ts';
import { EXPORT_STEP } from '../model/export.ts';
import type { Kind } from '../model/record.ts';

/** What the ending of a file means to the export room. */
export const FORMAT_OF: Readonly<
  Record<DatasetFormat, { readonly format: Format; readonly compress: Compression }>
> = {
  'ndjson.zst': { format: 'ndjson', compress: 'zstd' },
  'csv.gz': { format: 'csv', compress: 'gzip' },
  parquet: { format: 'parquet', compress: 'none' },
};

export interface WrittenFile {
  readonly bytes: number;
  /** 64 hex digits. */
  readonly sha256: string;
}

/** Fields of the interface, for a file that says what made it where its format has a place for that. */
export class RowFile implements Disposable {
  readonly #file: number;
  readonly #hash = createHash('sha256');
  readonly #bytes: RowBytes;
  #length = 0;
  #isOpen = true;

  /** Makes the file, whatever was there. */
  constructor(path: string, kind: Kind, ending: DatasetFormat, about: Readonly<Record<string, string>>) {
    const { format, compress } = FORMAT_OF[ending];
    this.#file = openSync(path, 'w');
    this.#bytes =
      format === 'parquet'
        ? new ParquetBytes(new ParquetFile(columnsOf(kind, null), about, null))
        : new TextBytes(openTextForm(format satisfies TextFormat, kind, null), openCompressor(compress));
  }

  async add(rows: readonly Row[]): Promise<void> {
    this.#write(await this.#bytes.add(rows));
  }

  /** On disk when it resolves. */
  async end(): Promise<WrittenFile> {
    this.#write(await this.#bytes.end());
    fsyncSync(this.#file);
    this[Symbol.dispose]();
    return { bytes: this.#length, sha256: this.#hash.digest('hex') };
  }

  [Symbol.dispose](): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#bytes.close();
    closeSync(this.#file);
  }

  #write(pieces: readonly Uint8Array[]): void {
    for (const piece of pieces) {
      for (let at = 0; at < piece.length; ) at += writeSync(this.#file, piece, at);
      this.#hash.update(piece);
      this.#length += piece.length;
    }
  }
}

interface RowBytes {
  add(rows: readonly Row[]): Promise<readonly Uint8Array[]>;
  end(): Promise<readonly Uint8Array[]>;
  close(): void;
}

/** Plain bytes that are collected before they are compressed. */
const HANDED_ON_BYTES = 131_072;

class TextBytes implements RowBytes {
  readonly #form: TextForm;
  readonly #compressor: Compressor;
  readonly #plain = new PlainText();

  constructor(form: TextForm, compressor: Compressor) {
    this.#form = form;
    this.#compressor = compressor;
    this.#plain.write(form.head);
  }

  async add(rows: readonly Row[]): Promise<readonly Uint8Array[]> {
    for (const row of rows) {
      this.#plain.write(this.#form.line(row));
      if (this.#plain.length >= HANDED_ON_BYTES) await this.#compressor.write(this.#plain.take());
    }
    return this.#compressor.take();
  }

  async end(): Promise<readonly Uint8Array[]> {
    await this.#compressor.write(this.#plain.take());
    await this.#compressor.end();
    return this.#compressor.take();
  }

  close(): void {
    this.#compressor.close();
  }
}

class ParquetBytes implements RowBytes {
  readonly #file: ParquetFile;

  constructor(file: ParquetFile) {
    this.#file = file;
  }

  async add(rows: readonly Row[]): Promise<readonly Uint8Array[]> {
    const file = this.#file;
    for (const row of rows) {
      file.add(row);
      if (file.rows === EXPORT_STEP || file.textBytes >= GROUP_BYTES) file.endGroup();
    }
    return [file.take()];
  }

  async end(): Promise<readonly Uint8Array[]> {
    this.#file.end();
    return [this.#file.take()];
  }

  close(): void {}
}
