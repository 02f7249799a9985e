// The record files of an edition: each kind in each format, in parts if it is split. Rows become bytes in the format
// that the extension of a file names.

import { join } from 'node:path';
import type { IndexFingerprint } from '../../../model/hash.ts';
import type { Kind } from '../../../model/record.ts';
import { columnsOf, openTextForm, type Row, type TextFormat } from '../../../operation/text-forms.ts';
import { openCompressor, type RowBytes, TextRows } from '../compression.ts';
import { PartFile, type Written } from '../file/part-file.ts';
import type { Compression, Format } from '../parameters.ts';
import { ParquetFile } from '../parquet-file.ts';
import { readBase } from './base.ts';
import { type EditionFile, type EditionTable, shownRow } from './edition.ts';
import type { MembersWriter } from './members.ts';
import type { DatasetDefinition, DatasetFormat } from './store.ts';

/** Export format and compression of each extension. */
export const FORMAT_OF: Readonly<
  Record<DatasetFormat, { readonly format: Format; readonly compress: Compression }>
> = {
  'ndjson.zst': { format: 'ndjson', compress: 'zstd' },
  'csv.gz': { format: 'csv', compress: 'gzip' },
  parquet: { format: 'parquet', compress: 'none' },
};

/** A file with the fields of the interface, and with `about` if the format has a place for it. */
export class RowFile implements Disposable {
  readonly #file: PartFile;
  readonly #bytes: RowBytes;
  #isOpen = true;

  /** Creates the file; an existing one is overwritten. */
  constructor(path: string, kind: Kind, ending: DatasetFormat, about: Readonly<Record<string, string>>) {
    const { format, compress } = FORMAT_OF[ending];
    this.#file = PartFile.create(path);
    this.#bytes =
      format === 'parquet'
        ? new ParquetFile(columnsOf(kind, null), about, null)
        : new TextRows(openTextForm(format satisfies TextFormat, kind, null), openCompressor(compress));
  }

  async add(rows: readonly Row[]): Promise<void> {
    await this.#bytes.add(rows, false);
    this.#file.write(this.#bytes.take());
  }

  /** On disk when it resolves. */
  async end(): Promise<Written> {
    await this.#bytes.end();
    this.#file.write(this.#bytes.take());
    const written = this.#file.sync();
    this[Symbol.dispose]();
    return written;
  }

  [Symbol.dispose](): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#bytes.close();
    this.#file[Symbol.dispose]();
  }
}

export const SHOWN_ROWS = 10;

/** Digits of a part's number, so that names sort as the parts do. */
const PART_DIGITS = 5;

export interface TableRequest {
  readonly definition: DatasetDefinition;
  readonly kind: Kind;
  readonly folder: string;
  readonly index: IndexFingerprint | null;
  /** Metadata for formats that have a place for it. */
  readonly about: Readonly<Record<string, string>>;
  readonly members: MembersWriter;
  readonly signal: AbortSignal;
  readonly onProgress: (done: number) => void;
}

/** Reads the base once and writes all formats in parallel. All files are on disk when it resolves. */
export async function writeTable(
  request: TableRequest,
): Promise<{ readonly table: EditionTable; readonly files: readonly EditionFile[] }> {
  const { definition, kind, folder, members, signal, onProgress, index } = request;
  const most = definition.splitEvery ?? Infinity;
  const files: EditionFile[] = [];
  const shown: Row[] = [];
  let [records, first, last] = [0, null as number | null, null as number | null];
  let part = new Part(request, 1);
  try {
    for await (const found of readBase(folder, kind)) {
      signal.throwIfAborted();
      for (const { row, post } of found) members.add(kind, row, post);
      const rows = found.map(({ row }) => row);
      for (const row of rows.slice(0, SHOWN_ROWS - shown.length)) shown.push(shownRow(row));
      first ??= (rows[0]?.created_utc as number | undefined) ?? null;
      last = (rows.at(-1)?.created_utc as number | undefined) ?? last;
      for (let at = 0; at < rows.length; ) {
        if (part.records === most) {
          files.push(...(await part.end()));
          part = new Part(request, part.number + 1);
        }
        const some = rows.slice(at, at + most - part.records);
        await part.add(some);
        at += some.length;
      }
      records += rows.length;
      onProgress(records);
    }
    files.push(...(await part.end()));
  } finally {
    part[Symbol.dispose]();
  }
  const inOrder = definition.formats.flatMap((format) =>
    files.filter(({ content }) => content?.format === format),
  );
  return { table: { kind, records, first, last, index, rows: shown }, files: inOrder };
}

class Part implements Disposable {
  readonly number: number;
  records = 0;
  readonly #kind: Kind;
  readonly #files: readonly {
    readonly format: DatasetFormat;
    readonly name: string;
    readonly file: RowFile;
  }[];

  constructor({ definition, kind, folder, about }: TableRequest, number: number) {
    this.number = number;
    this.#kind = kind;
    this.#files = definition.formats.map((format) => {
      const name = fileName(definition, kind, format, number);
      return { format, name, file: new RowFile(join(folder, name), kind, format, about) };
    });
  }

  async add(rows: readonly Row[]): Promise<void> {
    this.records += rows.length;
    await Promise.all(this.#files.map(({ file }) => file.add(rows)));
  }

  async end(): Promise<EditionFile[]> {
    return await Promise.all(
      this.#files.map(async ({ format, name, file }) => ({
        ...{ name, ...(await file.end()) },
        content: { kind: this.#kind, format, records: this.records },
      })),
    );
  }

  [Symbol.dispose](): void {
    for (const { file } of this.#files) file[Symbol.dispose]();
  }
}

/** `solar-comments.ndjson.zst`, or `solar-comments-00001.ndjson.zst` if it is split. */
function fileName(
  { name, splitEvery }: DatasetDefinition,
  kind: Kind,
  format: DatasetFormat,
  part: number,
): string {
  const number = splitEvery === null ? '' : `-${String(part).padStart(PART_DIGITS, '0')}`;
  return `${name}-${kind}s${number}.${format}`;
}
