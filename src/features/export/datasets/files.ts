// The files of an edition with records. First the base: all records of one kind, from one view of the index, in one
// resumable export file. Then the published files, all made from it, so that they have the same records: each kind in
// each format, in parts if it is split. Rows become bytes in the format that the extension of a file names.

import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { createZstdDecompress } from 'node:zlib';
import { StorageError } from '../../../errors.ts';
import type { IndexFingerprint } from '../../../model/hash.ts';
import type { Kind } from '../../../model/record.ts';
import { columnsOf, openTextForm, type Row, type TextFormat } from '../../../operation/text-forms.ts';
import { DEFAULT_FIELDS } from '../../../search/presenter.ts';
import { openCompressor, type RowBytes, TextRows } from '../compression.ts';
import { type ExportedArchive, type ExportPlan, exportPlan } from '../export-service.ts';
import { exportToFile, type FileReport, type FileRequest, keptRecords } from '../file/file-export.ts';
import { PartFile } from '../file/part-file.ts';
import type { Compression, Format } from '../parameters.ts';
import { ParquetFile } from '../parquet-file.ts';
import type { MembersWriter } from './members.ts';
import {
  type DatasetDefinition,
  type DatasetFormat,
  type EditionFile,
  type EditionTable,
  shownRow,
} from './store.ts';

export const FORMAT_OF: Readonly<
  Record<DatasetFormat, { readonly format: Format; readonly compress: Compression }>
> = {
  'ndjson.zst': { format: 'ndjson', compress: 'zstd' },
  'csv.gz': { format: 'csv', compress: 'gzip' },
  parquet: { format: 'parquet', compress: 'none' },
};

/** Published files have the fields of the interface; a comment's post is needed for removals. */
export function basePlan({ query }: DatasetDefinition, kind: Kind): ExportPlan {
  const fields = kind === 'comment' ? [...DEFAULT_FIELDS.comment, 'post_id'].join(',') : null;
  return exportPlan({
    ...{ kind, query, under: null, order: 'oldest', after: null, limit: null },
    ...{ fields, format: 'ndjson', compress: 'zstd' },
  });
}

/** Resumes an earlier run if the index still gives the same bytes; otherwise starts over. */
export async function writeBase(
  archive: ExportedArchive,
  { folder, ...request }: Omit<FileRequest, 'out' | 'restart'> & { readonly folder: string },
): Promise<FileReport> {
  const out = baseFile(folder, request.plan.wish.kind);
  const hasBegun = keptRecords(out) > 0;
  try {
    return await exportToFile(archive, { ...request, out, restart: false });
  } catch (error) {
    if (!hasBegun || !(error instanceof StorageError)) throw error;
    return await exportToFile(archive, { ...request, out, restart: true });
  }
}

export function baseFile(folder: string, kind: Kind): string {
  return join(folder, `base-${kind}s.ndjson.zst`);
}

interface BaseRow {
  readonly row: Row;
  /** A comment's post; empty if it is not known. */
  readonly post: string;
}

const NEWLINE = 0x0a;

/** In the order of the file, in batches. */
async function* readBase(folder: string, kind: Kind): AsyncGenerator<readonly BaseRow[]> {
  const file = createReadStream(baseFile(folder, kind), { highWaterMark: 1_048_576 });
  const plain = createZstdDecompress({ chunkSize: 1_048_576 });
  file.once('error', (error) => plain.destroy(error));
  let rest: Buffer[] = [];
  try {
    for await (const chunk of file.pipe(plain) as AsyncIterable<Buffer>) {
      const end = chunk.lastIndexOf(NEWLINE);
      if (end === -1) {
        rest.push(chunk);
        continue;
      }
      const lines = Buffer.concat([...rest, chunk.subarray(0, end)]).toString();
      rest = [chunk.subarray(end + 1)];
      yield lines.split('\n').map(baseRow);
    }
  } finally {
    file.destroy();
  }
}

function baseRow(line: string): BaseRow {
  const { post_id, ...row } = JSON.parse(line) as Row & { readonly post_id?: string | null };
  return { row, post: post_id ?? '' };
}

const SHOWN_ROWS = 10;

/** Digits of a part's number, so that names sort as the parts do. */
const PART_DIGITS = 5;

interface TableRequest {
  readonly definition: DatasetDefinition;
  readonly kind: Kind;
  readonly folder: string;
  readonly index: IndexFingerprint | null;
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

/** A part of a table in each format, with the fields of the interface. Existing files are overwritten. */
class Part implements Disposable {
  readonly number: number;
  records = 0;
  readonly #kind: Kind;
  readonly #files: readonly {
    readonly format: DatasetFormat;
    readonly name: string;
    readonly file: PartFile;
    readonly bytes: RowBytes;
  }[];

  constructor({ definition, kind, folder, about }: TableRequest, number: number) {
    this.number = number;
    this.#kind = kind;
    this.#files = definition.formats.map((format) => {
      const name = fileName(definition, kind, format, number);
      const file = PartFile.create(join(folder, name));
      return { format, name, file, bytes: rowBytes(kind, format, about) };
    });
  }

  async add(rows: readonly Row[]): Promise<void> {
    this.records += rows.length;
    const adding = this.#files.map(async ({ file, bytes }) => {
      await bytes.add(rows, false);
      file.write(bytes.take());
    });
    await Promise.all(adding);
  }

  /** On disk when it resolves. */
  async end(): Promise<EditionFile[]> {
    const ended = this.#files.map(async ({ format, name, file, bytes }) => {
      await bytes.end();
      file.write(bytes.take());
      return { name, ...file.sync(), content: { kind: this.#kind, format, records: this.records } };
    });
    const files = await Promise.all(ended);
    this[Symbol.dispose]();
    return files;
  }

  [Symbol.dispose](): void {
    for (const { file, bytes } of this.#files) {
      bytes.close();
      file[Symbol.dispose]();
    }
  }
}

/** `about`: metadata for formats that have a place for it. */
function rowBytes(kind: Kind, ending: DatasetFormat, about: TableRequest['about']): RowBytes {
  const { format, compress } = FORMAT_OF[ending];
  if (format === 'parquet') return new ParquetFile(columnsOf(kind, null), about, null);
  return new TextRows(openTextForm(format satisfies TextFormat, kind, null), openCompressor(compress));
}

/** `solar-comments.ndjson.zst`, or `solar-comments-00001.ndjson.zst` if it is split. */
function fileName({ name, splitEvery }: DatasetDefinition, kind: Kind, format: DatasetFormat, part: number) {
  const number = splitEvery === null ? '' : `-${String(part).padStart(PART_DIGITS, '0')}`;
  return `${name}-${kind}s${number}.${format}`;
}
