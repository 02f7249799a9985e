// How the pages of a Parquet file are compressed.
//
// A column chunk of texts (https://parquet.apache.org/docs/file-format/data-pages/): pages of UTF-8, each compressed
// as soon as it is full, so that only compressed bytes of a row group are kept.
//
//   page     header, levels (0 null, 1 not; only of a nullable column), compressed texts
//   text     u32 length in bytes, UTF-8

import { constants, zstdCompressSync } from 'node:zlib';
import { ByteWriter, type ParquetWriter } from 'hyparquet-writer';
import { writePageHeader } from 'hyparquet-writer/src/datapage.js';
import { writeRleBitPackedHybrid } from 'hyparquet-writer/src/encoding.js';

/** Default level of `zstd`. */
const ZSTD_LEVEL = 3;

export function compressedPage(page: Uint8Array): Uint8Array {
  const params = { [constants.ZSTD_c_compressionLevel]: ZSTD_LEVEL };
  return zstdCompressSync(page, { params, pledgedSrcSize: page.length });
}

/** A page ends with the text that reaches this length, before compression. */
const PAGE_BYTES = 1_048_576;

/** Most UTF-8 bytes of one UTF-16 unit. */
const BYTES_A_UNIT = 3;
const LENGTH_BYTES = 4;

export type ColumnChunk = ParquetWriter['row_groups'][number]['columns'][number];

export class TextChunk {
  readonly #name: string;
  readonly #isNullable: boolean;
  readonly #pages = new ByteWriter();
  #page = Buffer.allocUnsafeSlow(2 * PAGE_BYTES);
  #length = 0;
  /** Of the page: 0 for a null, 1 for a text. */
  #levels: number[] = [];
  #values = 0;
  /** Of the chunk, without the current page. */
  #written = { values: 0, bytes: 0 };

  constructor(name: string, isNullable: boolean) {
    this.#name = name;
    this.#isNullable = isNullable;
  }

  /** Bytes before compression. */
  get length(): number {
    return this.#written.bytes + this.#length;
  }

  add(text: string | null): void {
    this.#values++;
    if (this.#isNullable) this.#levels.push(text === null ? 0 : 1);
    if (text === null) return;
    const start = this.#length + LENGTH_BYTES;
    const needed = start + BYTES_A_UNIT * text.length;
    if (needed > this.#page.length) this.#grow(needed);
    const bytes = this.#page.write(text, start, 'utf8');
    this.#page.writeUInt32LE(bytes, this.#length);
    this.#length = start + bytes;
    if (this.#length >= PAGE_BYTES) this.#endPage();
  }

  /** Writes the chunk to `out`, and starts a new one. */
  writeTo(out: ByteWriter): ColumnChunk {
    if (this.#values > 0) this.#endPage();
    const offset = BigInt(out.offset);
    const pages = this.#pages.getBytes();
    out.appendBytes(pages);
    const { values, bytes } = this.#written;
    this.clear();
    return {
      file_offset: offset,
      meta_data: {
        type: 'BYTE_ARRAY',
        encodings: ['PLAIN', 'RLE'],
        path_in_schema: [this.#name],
        codec: 'ZSTD',
        num_values: BigInt(values),
        total_compressed_size: BigInt(pages.length),
        total_uncompressed_size: BigInt(bytes),
        data_page_offset: offset,
      },
    };
  }

  /** Discards all that was added since the last chunk. */
  clear(): void {
    this.#written = { values: 0, bytes: 0 };
    this.#pages.index = 0;
    this.#clearPage();
  }

  #clearPage(): void {
    this.#levels = [];
    this.#values = 0;
    this.#length = 0;
  }

  #endPage(): void {
    const levels = new ByteWriter();
    if (this.#isNullable) writeRleBitPackedHybrid(levels, this.#levels, 1);
    const compressed = compressedPage(this.#page.subarray(0, this.#length));
    const before = this.#pages.index;
    writePageHeader(this.#pages, {
      type: 'DATA_PAGE_V2',
      uncompressed_page_size: levels.index + this.#length,
      compressed_page_size: levels.index + compressed.length,
      data_page_header_v2: {
        num_values: this.#values,
        num_nulls: this.#levels.reduce((nulls, level) => nulls + 1 - level, 0),
        num_rows: this.#values,
        encoding: 'PLAIN',
        definition_levels_byte_length: levels.index,
        repetition_levels_byte_length: 0,
        is_compressed: true,
      },
    });
    const header = this.#pages.index - before;
    this.#pages.appendBytes(levels.getBytes());
    this.#pages.appendBytes(compressed);
    this.#written.values += this.#values;
    this.#written.bytes += header + levels.index + this.#length;
    this.#clearPage();
  }

  #grow(needed: number): void {
    const larger = Buffer.allocUnsafeSlow(Math.max(needed, 2 * this.#page.length));
    larger.set(this.#page.subarray(0, this.#length));
    this.#page = larger;
  }
}
