// How an edition of a data set is made: resumed from an earlier run, in a folder beside the edition served, which it
// replaces in one step.
//
//   base      all records of each kind, from one view, in one resumable export file
//   files     the published files: each kind in each format, in parts if it is split, all from the base, so that they
//             have the same records; and the index of entries for removals (members.ts)
//   publish   refused if the list of removals has changed since; the edition is then checked again, and rebuilt if a
//             removal affects it

import { createReadStream, existsSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { pipeline } from 'node:stream';
import { setTimeout } from 'node:timers/promises';
import { createZstdDecompress } from 'node:zlib';
import { naming, StorageError, UsageError } from '../../../errors.ts';
import type { IndexFingerprint } from '../../../model/hash.ts';
import type { Kind } from '../../../model/record.ts';
import { unixNow } from '../../../model/time.ts';
import type { Archive } from '../../../operation/operation.ts';
import { columnsOf, openTextForm, type Row, type TextFormat } from '../../../operation/text-forms.ts';
import { DEFAULT_FIELDS } from '../../../search/presenter.ts';
import { syncFile, syncFolder } from '../../../sqlite/database.ts';
import { openCompressor, type RowBytes, TextRows } from '../compression.ts';
import { type ExportPlan, exportPlan } from '../export-service.ts';
import { exportToFile, type FileReport, type FileRequest, keptRecords } from '../file/file-export.ts';
import { PartFile, stateOf } from '../file/part-file.ts';
import { ParquetFile } from '../parquet-file.ts';
import { writeDescriptions } from './describe.ts';
import { MembersWriter, meetsMembers } from './members.ts';
import { atWork, DatasetPlaces, MAKING_FILE, type Making, openMaking } from './places.ts';
import {
  type Dataset,
  type DatasetDefinition,
  type DatasetFormat,
  datasetsOf,
  type Edition,
  type EditionFile,
  type EditionTable,
  FORMAT_OF,
  type Source,
  shownRow,
  writeEdition,
} from './store.ts';

export interface MakingProgress {
  readonly step: 'reading' | 'writing';
  readonly kind: Kind;
  readonly done: number;
  readonly total: number;
}

interface MakingOptions {
  readonly signal: AbortSignal;
  readonly onProgress: (progress: MakingProgress) => void;
}

/** Most tries if removals keep affecting it, and milliseconds between two. */
const MAX_TRIES = 5;
const RETRY_MS = 1000;

/** Completely imported files, each once. */
function importedFiles(catalogue: Archive['catalogue']): readonly Source[] {
  const finished = catalogue.listImports().filter((entry) => entry.finished !== null);
  const files = finished.map(({ file, name, sha256 }) => ({ name: name ?? basename(file), sha256 }));
  return [...new Map(files.map((source) => [`${source.name} ${source.sha256}`, source])).values()];
}

/**
 * Makes and publishes the next edition. Throws a UsageError if another process is making it or it is gone, a
 * StorageError if removals never pause, the signal's reason, and what an export throws.
 */
export async function makeDataset(archive: Archive, name: string, options: MakingOptions): Promise<Edition> {
  using lock = new DatasetPlaces(archive.config.dataFolder).tryToLock(name);
  if (lock === null) throw new UsageError(atWork(name));
  for (let tries = 1; tries <= MAX_TRIES; tries++) {
    const dataset = datasetsOf(archive.catalogue).get(name);
    if (dataset === null) throw new UsageError(`expected a data set \`${name}\`, found none`);
    const edition = await attempt(archive, dataset, options);
    if (edition !== null) return edition;
    if (tries < MAX_TRIES) await setTimeout(RETRY_MS, undefined, { signal: options.signal });
  }
  throw new StorageError(
    `data set \`${name}\`: expected a moment without removals of its records, found none; try again later`,
  );
}

/** null: a removal affected it, and it was deleted. */
async function attempt(archive: Archive, dataset: Dataset, options: MakingOptions): Promise<Edition | null> {
  const { removals } = archive.catalogue;
  const places = new DatasetPlaces(archive.config.dataFolder);
  const { name } = dataset;
  const folder = places.making(name);
  const making = openMaking(folder, dataset, () => removals.settledVersion());
  const { number } = making;
  const edition = await write(archive, folder, making, options);
  const place = places.edition(name, number);
  for (let isFirst = true; ; isFirst = false) {
    const version = removals.version();
    const where = isFirst ? folder : place;
    if (version !== making.settled && meetsMembers(where, removals.hashesInForce())) {
      rmSync(where, { recursive: true, force: true });
      return null;
    }
    if (isFirst) moveInPlace(folder, place);
    if (datasetsOf(archive.catalogue).publish(name, number, version)) break;
  }
  places.keepOnly(name, number);
  return edition;
}

/** When it resolves, the edition is in the folder and on disk. */
async function write(archive: Archive, folder: string, making: Making, options: MakingOptions) {
  const { catalogue } = archive;
  const { definition } = making;
  const { signal, onProgress } = options;
  const version = `Colloquy ${archive.version} on Node ${process.versions.node}`;
  const bases = new Map<Kind, FileReport>();
  for (const kind of definition.kinds) {
    const onBase = (at: { done: number; total: number }) => onProgress({ step: 'reading', kind, ...at });
    const request = { plan: basePlan(definition, kind), out: baseFile(folder, kind), version, signal };
    bases.set(kind, await writeBase(archive, { ...request, onProgress: onBase }));
  }
  const baseFiles = definition.kinds.map((kind) => baseFile(folder, kind));
  const ofBases = baseFiles.flatMap((base) => [base, stateOf(base)]);
  // What an interrupted run wrote after the base.
  const kept = [join(folder, MAKING_FILE), ...ofBases];
  for (const path of readdirSync(folder).map((name) => join(folder, name)))
    if (!kept.includes(path)) rmSync(path);
  const made = unixNow();
  const tables: EditionTable[] = [];
  const files: EditionFile[] = [];
  using members = new MembersWriter(folder, (entry) => catalogue.removals.hashOf(entry));
  for (const [kind, { count, index }] of bases) {
    const about = { made_by: 'Colloquy', dataset: definition.name, kind, query: definition.query };
    const onFiles = (done: number) => onProgress({ step: 'writing', kind, done, total: count });
    const request = { definition, kind, folder, index, about, members, signal };
    const written = await writeTable({ ...request, onProgress: onFiles });
    tables.push(written.table);
    files.push(...written.files);
  }
  members.end();
  const withRecords = { number: making.number, made, tables, files };
  const sources = importedFiles(catalogue);
  const described = { definition, edition: withRecords, sources, version };
  const edition = { ...withRecords, files: writeDescriptions(folder, described) };
  writeEdition(folder, edition);
  for (const file of ofBases) rmSync(file);
  return edition;
}

/** On disk when it returns. Replaces what is left of a run that died before it could publish. */
function moveInPlace(folder: string, place: string): void {
  naming(place, () => {
    rmSync(join(folder, MAKING_FILE));
    for (const name of readdirSync(folder)) syncFile(join(folder, name));
    syncFolder(folder);
    if (existsSync(place)) rmSync(place, { recursive: true });
    renameSync(folder, place);
    syncFolder(dirname(place));
  });
}

/** Published files have the fields of the interface; a comment's post is needed for removals. */
export function basePlan({ query }: DatasetDefinition, kind: Kind): ExportPlan {
  const fields = kind === 'comment' ? [...DEFAULT_FIELDS.comment, 'post_id'].join(',') : null;
  return exportPlan({
    ...{ kind, query, under: null, order: 'oldest', after: null, limit: null },
    ...{ fields, format: 'ndjson', compress: 'zstd' },
  });
}

/** Resumes an earlier run if the index still gives the same bytes; otherwise starts over. */
async function writeBase(archive: Archive, request: Omit<FileRequest, 'restart'>): Promise<FileReport> {
  const hasBegun = keptRecords(request.out) > 0;
  try {
    return await exportToFile(archive, { ...request, restart: false });
  } catch (error) {
    if (!hasBegun || !(error instanceof StorageError)) throw error;
    return await exportToFile(archive, { ...request, restart: true });
  }
}

function baseFile(folder: string, kind: Kind): string {
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
  let rest: Buffer[] = [];
  // Errors are thrown by the iteration.
  const chunks = pipeline(file, createZstdDecompress({ chunkSize: 1_048_576 }), () => {});
  for await (const chunk of chunks as AsyncIterable<Buffer>) {
    const end = chunk.lastIndexOf(NEWLINE);
    if (end === -1) {
      rest.push(chunk);
      continue;
    }
    const lines = Buffer.concat([...rest, chunk.subarray(0, end)]).toString();
    rest = [chunk.subarray(end + 1)];
    yield lines.split('\n').map(baseRow);
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
async function writeTable(
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
