// `colloquy filter`: the part of dumps that a query asks for, as a file. Contents → blocks → workers → file. Rows of
// CSV stay as they are only if all sources have one header.

import { UsageError } from '../../../errors.ts';
import { BrokenSource } from '../../../ingest/containers/byte-source.ts';
import { beginOf, detectFormat, readBlocks, SAMPLE_BYTES } from '../../../ingest/formats/read.ts';
import { lookAtAll, type Reading, readAll, readThrough, sizeOf } from '../../../ingest/looking.ts';
import type { Naming } from '../../../ingest/normalise/field-names.ts';
import type { NormaliseOptions } from '../../../ingest/normalise/normalise.ts';
import { addTally, type Rejection, type Skip, type Tally } from '../../../ingest/normalise/outcome.ts';
import { inOrder, WorkerPool } from '../../../ingest/pool.ts';
import { emptySources, paceOf, type SourceReport } from '../../../ingest/report.ts';
import type { Where } from '../../../ingest/selection/selection.ts';
import type { Content } from '../../../ingest/sources/file.ts';
import { findContents } from '../../../ingest/sources/find.ts';
import { Spool } from '../../../ingest/sources/spool.ts';
import type { SourcesRead } from '../sources.ts';
import { OutFile, partOf } from './out-file.ts';
import { COLUMNS, type FilterOptions, type FilterResult, type Writing } from './work.ts';

export interface FilterRequest extends NormaliseOptions {
  readonly where: Where;
  readonly out: string;
  /** null: lines and rows unchanged. */
  readonly format: 'ndjson' | 'csv' | null;
  readonly replaces: boolean;
  /** Worker threads; 0: none. */
  readonly workers: number;
  readonly input: AsyncIterable<Buffer>;
  /** Aborted: nothing is left of the file, and the report says so. */
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: FilterProgress) => void;
}

interface FilterProgress extends SourcesRead {
  readonly matched: number;
}

/** Scripts rely on these names and their meaning. */
export interface FilterReport extends Readonly<FilterCounts> {
  readonly query: string;
  /** Path; null where none was written: it was stopped, or no source had anything to read. */
  readonly file: string | null;
  readonly format: 'ndjson' | 'csv';
  /** Bytes on disk that have been read of all sources, and bytes of all sources. null: unknown. */
  readonly bytes: number | null;
  readonly seconds: number;
  readonly records_per_second: number;
  readonly sources: readonly SourceReport[];
}

/** `read = matched + Σ skipped + Σ rejected`. */
interface FilterCounts {
  /** Objects that should be records; a line that is skipped unread counts as one. */
  read: number;
  matched: number;
  /** Lines or rows written: fewer than records where a line contains several. */
  lines: number;
  readonly skipped: Tally<Skip>;
  readonly rejected: Tally<Rejection>;
  /** The first 1,000 of them, and at most 100 of each 256 KiB. */
  readonly rejects: RejectedLine[];
}

interface RejectedLine {
  readonly source: string;
  readonly line: number;
  readonly reason: Rejection;
}

const REJECTS_NAMED = 1000;

/** Throws a UsageError before anything is written: a missing source, no readable one, or a file in the way. */
export async function filterSources(
  sources: readonly string[],
  request: FilterRequest,
): Promise<FilterReport> {
  const { out, kind, community = null, columns, permalinkBase, where, signal, onProgress } = request;
  const isStopped = () => signal?.aborted === true;
  await using spool = new Spool();
  const contents = await findContents(sources, request.input, spool, [out, partOf(out)]);
  await using file = await OutFile.create(out, request.replaces);
  const unread = await lookAtAll(contents, request);
  const { writing, header } = await formOf(contents, unread, request, isStopped);
  const options: FilterOptions = { kind, community, columns, permalinkBase, where: where.query, writing };
  const module = new URL('./work.ts', import.meta.url).href;
  await using pool = new WorkerPool<FilterResult>(request.workers, { module, options });
  const totalBytes = sizeOf(contents);
  const started = performance.now();
  const counts: FilterCounts = { read: 0, matched: 0, lines: 0, skipped: {}, rejected: {}, rejects: [] };
  if (header !== null) await file.write(header);
  const reports = await readAll(contents, unread, {
    ...{ digests: false, isStopped },
    tell: (source, bytes) =>
      onProgress?.({ source, read: counts.read, matched: counts.matched, bytes, totalBytes }),
    one: (content, reading) =>
      filterContent(content, { naming: request, writing, pool, counts, file }, reading),
  });
  // The file is kept only if the run was not stopped and at least one source had something to read.
  const named = new Set(reports.map(({ source }) => source));
  const isWorthIt = !isStopped() && emptySources({ sources: reports }).length < named.size;
  const bytes = isWorthIt ? await file.finish() : null;
  return {
    query: where.text,
    file: bytes === null ? null : file.path,
    format: writing === 'lines' ? 'ndjson' : 'csv',
    bytes,
    ...counts,
    ...paceOf(counts.read, started),
    sources: reports,
  };
}

interface FilterContext {
  readonly naming: Naming;
  readonly writing: Writing;
  readonly pool: WorkerPool<FilterResult>;
  /** Of all contents; they grow. */
  readonly counts: FilterCounts;
  readonly file: OutFile;
}

async function filterContent(
  content: Content,
  { naming, writing, pool, counts, file }: FilterContext,
  reading: Reading,
): Promise<SourceReport> {
  const { name, source } = content;
  const own = { read: 0, rejected: {} as Tally<Rejection> };
  const ended = await readThrough(content, reading, async (opened) => {
    const { blocks } = await readBlocks(opened.bytes, naming, undefined, writing !== 'columns');
    for await (const result of inOrder(blocks, (block) => pool.run(block), reading.isStopped)) {
      for (const each of [own, counts]) {
        each.read += result.read;
        addTally(each.rejected, result.rejected);
      }
      counts.matched += result.matched;
      counts.lines += result.lines;
      addTally(counts.skipped, result.skipped);
      for (const { line, reason } of result.rejects.slice(0, REJECTS_NAMED - counts.rejects.length)) {
        counts.rejects.push({ source: name, line, reason });
      }
      await file.write(result.bytes);
      reading.onProgress(opened.bytesRead(), false);
    }
  });
  return { name, source, ...own, ...ended, resumed_behind_line: 0 };
}

interface Form {
  readonly writing: Writing;
  /** The first row of the file, with its line end: as in the sources, or COLUMNS; null: there is none. */
  readonly header: Buffer | null;
}

async function formOf(
  contents: readonly Content[],
  unread: ReadonlyMap<Content, SourceReport>,
  request: FilterRequest,
  isStopped: () => boolean,
): Promise<Form> {
  const lines: Form = { writing: 'lines', header: null };
  if (request.format === 'ndjson') return lines;
  const headers: (Buffer | null)[] = [];
  for (const content of contents.filter((one) => !unread.has(one))) {
    const isAlone = contents.length === 1;
    headers.push(isAlone || content.size !== null ? await headerOf(content, request, isStopped) : null);
    if (headers.at(-1) === null) break;
  }
  const [header = null] = headers;
  const isOne = header !== null && headers.every((other) => other !== null && haveSameColumns(other, header));
  if (isOne) return { writing: 'rows', header };
  return request.format === null
    ? lines
    : { writing: 'columns', header: Buffer.from(`${COLUMNS.join(',')}\n`) };
}

/** The first row of a CSV as it is; null: it is no CSV. Standard input is opened for good. */
async function headerOf(content: Content, naming: Naming, isStopped: () => boolean): Promise<Buffer | null> {
  const reading = { digests: false, isStopped, onChecked: () => undefined };
  try {
    const opened = await content.open(content.size === null ? reading : undefined);
    try {
      const head = await opened.bytes.head(SAMPLE_BYTES);
      return detectFormat(head, naming).kind === 'csv' ? firstLine(head) : null;
    } finally {
      if (content.size !== null) await opened.bytes.close();
    }
  } catch (error) {
    // The fault is reported when the source is read.
    if (error instanceof BrokenSource || error instanceof UsageError) return null;
    throw error;
  }
}

const LINE_FEED = 0x0a;

/** Without the byte order mark and blanks at the start. */
function firstLine(head: Buffer): Buffer {
  const start = beginOf(head);
  const end = head.indexOf(LINE_FEED, start);
  return end < 0
    ? Buffer.concat([head.subarray(start), Buffer.from('\n')])
    : Buffer.from(head.subarray(start, end + 1));
}

function haveSameColumns(a: Buffer, b: Buffer): boolean {
  return a.toString('latin1').trimEnd() === b.toString('latin1').trimEnd();
}
