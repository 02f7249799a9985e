// `colloquy filter`: the part of dumps that a query asks for, as a file. Contents → blocks → workers → file. Rows of
// CSV stay as they are only if all sources have one header.

import { UsageError } from '../../../errors.ts';
import { BrokenSource } from '../../../ingest/containers/byte-source.ts';
import { detectFormat, readBlocks, SAMPLE_BYTES } from '../../../ingest/formats/read.ts';
import { lookAtAll, type Reading, readAll, readThrough, sizeOf } from '../../../ingest/looking.ts';
import type { Naming } from '../../../ingest/normalise/field-names.ts';
import { addTally, type Rejection, type Skip, type Tally } from '../../../ingest/normalise/outcome.ts';
import { inOrder, WorkerPool } from '../../../ingest/pool.ts';
import { emptySources, paceOf, type SourceReport } from '../../../ingest/report.ts';
import type { Where } from '../../../ingest/selection/selection.ts';
import type { Content, OpenContent } from '../../../ingest/sources/file.ts';
import { findContents } from '../../../ingest/sources/find.ts';
import { Spool } from '../../../ingest/sources/spool.ts';
import type { Kind } from '../../../model/record.ts';
import type { SourcesRead } from '../sources.ts';
import { OutFile, partOf } from './out-file.ts';
import { COLUMNS, type FilterOptions, type FilterResult, type Writing } from './work.ts';

export interface FilterRequest extends Naming {
  readonly where: Where;
  readonly out: string;
  /** null: lines and rows unchanged. */
  readonly format: 'ndjson' | 'csv' | null;
  /** Treats everything as this kind; null: by content. */
  readonly kind: Kind | null;
  /** Precedes relative addresses of links; without a final slash. */
  readonly permalinkBase: string;
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

/** Scripts rely on these names and their meaning. `read = matched + Σ skipped + Σ rejected`. */
export interface FilterReport {
  readonly query: string;
  /** Path; null where none was written: it was stopped, or no source had anything to read. */
  readonly file: string | null;
  readonly format: 'ndjson' | 'csv';
  /** Bytes on disk that have been read of all sources, and bytes of all sources. null: unknown. */
  readonly bytes: number | null;
  /** Objects that should be records; a line that is skipped unread counts as one. */
  readonly read: number;
  readonly matched: number;
  /** Lines or rows written: fewer than records where a line contains several. */
  readonly lines: number;
  readonly skipped: Tally<Skip>;
  readonly rejected: Tally<Rejection>;
  /** The first 1,000 of them, and at most 100 of each 256 KiB. */
  readonly rejects: readonly RejectedLine[];
  readonly seconds: number;
  readonly records_per_second: number;
  readonly sources: readonly SourceReport[];
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
  await using spool = new Spool();
  const found = await findContents(sources, request.input, spool, [request.out, partOf(request.out)]);
  await using file = await OutFile.create(request.out, request.replaces);
  const unread = await lookAtAll(found, request);
  const form = await formOf(found, unread, request);
  await using run = new FilterRun(request, form, file);
  return await run.all(unread);
}

class FilterRun {
  readonly #request: FilterRequest;
  readonly #form: Form;
  readonly #file: OutFile;
  readonly #totalBytes: number | null;
  readonly #pool: WorkerPool<FilterResult>;
  readonly #skipped: Tally<Skip> = {};
  readonly #rejected: Tally<Rejection> = {};
  readonly #rejects: RejectedLine[] = [];
  #read = 0;
  #matched = 0;
  #lines = 0;
  readonly #started = performance.now();

  constructor(request: FilterRequest, form: Form, file: OutFile) {
    const { kind, community = null, columns, permalinkBase, where, workers } = request;
    this.#request = request;
    this.#form = form;
    this.#file = file;
    this.#totalBytes = sizeOf(form.contents);
    const options: FilterOptions = {
      ...{ kind, community, columns, permalinkBase, where: where.query, writing: form.writing },
    };
    this.#pool = new WorkerPool(workers, { module: new URL('./work.ts', import.meta.url).href, options });
  }

  async all(unread: ReadonlyMap<Content, SourceReport>): Promise<FilterReport> {
    await this.#writeHeader();
    const reports = await readAll(this.#form.contents, unread, {
      digests: false,
      isStopped: () => this.#isStopped(),
      tell: (source, bytes) => this.#tellProgress(source, bytes),
      one: (content, reading) => this.#one(content, reading),
    });
    return await this.#finish(reports);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#pool[Symbol.asyncDispose]();
  }

  async #writeHeader(): Promise<void> {
    const { writing, header } = this.#form;
    if (writing === 'columns') await this.#file.write(Buffer.from(`${COLUMNS.join(',')}\n`));
    else if (header !== null) await this.#file.write(header);
  }

  async #one(content: Content, reading: Reading): Promise<SourceReport> {
    const { name, source } = content;
    const counts = { read: 0, rejected: {} as Tally<Rejection> };
    const ended = await readThrough(content, reading, async (opened) => {
      const { blocks } = await readBlocks(opened.bytes, this.#request, undefined, this.#form.keepsRows);
      for await (const result of inOrder(blocks, (block) => this.#pool.run(block), reading.isStopped)) {
        counts.read += result.read;
        addTally(counts.rejected, result.rejected);
        await this.#take(content, result);
        reading.onProgress(opened.bytesRead(), false);
      }
    });
    return { name, source, ...counts, ...ended, resumed_behind_line: 0 };
  }

  async #take(content: Content, result: FilterResult): Promise<void> {
    this.#read += result.read;
    this.#matched += result.matched;
    this.#lines += result.lines;
    addTally(this.#skipped, result.skipped);
    addTally(this.#rejected, result.rejected);
    for (const { line, reason } of result.rejects.slice(0, REJECTS_NAMED - this.#rejects.length)) {
      this.#rejects.push({ source: content.name, line, reason });
    }
    await this.#file.write(result.bytes);
  }

  #tellProgress(source: string, bytes: number): void {
    const { onProgress } = this.#request;
    const [read, matched, totalBytes] = [this.#read, this.#matched, this.#totalBytes];
    onProgress?.({ source, read, matched, bytes, totalBytes });
  }

  #isStopped(): boolean {
    return this.#request.signal?.aborted === true;
  }

  /** Keeps the file only if the run was not stopped and at least one source had something to read. */
  async #finish(sources: readonly SourceReport[]): Promise<FilterReport> {
    const named = new Set(sources.map(({ source }) => source));
    const isWorthIt = !this.#isStopped() && emptySources({ sources }).length < named.size;
    const bytes = isWorthIt ? await this.#file.finish() : null;
    return {
      query: this.#request.where.text,
      file: bytes === null ? null : this.#file.path,
      format: this.#form.writing === 'lines' ? 'ndjson' : 'csv',
      bytes,
      read: this.#read,
      matched: this.#matched,
      lines: this.#lines,
      skipped: this.#skipped,
      rejected: this.#rejected,
      rejects: this.#rejects,
      ...paceOf(this.#read, this.#started),
      sources,
    };
  }
}

interface Form {
  readonly contents: readonly Content[];
  readonly writing: Writing;
  /** The header as in the sources, with its line end; null: there is none, or that of written.ts. */
  readonly header: Buffer | null;
  /** Whether rows of CSV are needed beside what they say. */
  readonly keepsRows: boolean;
}

async function formOf(
  contents: readonly Content[],
  unread: ReadonlyMap<Content, SourceReport>,
  { format, signal, ...naming }: FilterRequest,
): Promise<Form> {
  const lines: Form = { contents, writing: 'lines', header: null, keepsRows: true };
  if (format === 'ndjson') return lines;
  const kept =
    contents.length === 1
      ? contents.map((content) => openedOnce(content, () => signal?.aborted === true))
      : contents;
  const headers: (Buffer | null)[] = [];
  for (const content of kept.filter((_, i) => !unread.has(contents[i]!))) {
    headers.push(await headerOf(content, naming, contents.length === 1));
    if (headers.at(-1) === null) break;
  }
  const [header = null] = headers;
  const isOne = header !== null && headers.every((other) => other !== null && haveSameColumns(other, header));
  if (isOne) return { contents: kept, writing: 'rows', header, keepsRows: true };
  if (format === null) return { ...lines, contents: kept };
  return { contents: kept, writing: 'columns', header: null, keepsRows: false };
}

/** Standard input can be opened only once, so the examined bytes are read again. */
function openedOnce(content: Content, isStopped: () => boolean): Content {
  if (content.size !== null) return content;
  let opened: Promise<OpenContent> | null = null;
  return {
    ...content,
    open: () => {
      opened ??= content.open({ digests: false, isStopped, onChecked: () => undefined });
      return opened;
    },
  };
}

/** The first row of a CSV as it is; null: it is no CSV, or cannot be examined before it is read. */
async function headerOf(content: Content, naming: Naming, isAlone: boolean): Promise<Buffer | null> {
  if (content.size === null && !isAlone) return null;
  try {
    const opened = await content.open();
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
  let start = head.toString('latin1', 0, 3) === '\xef\xbb\xbf' ? 3 : 0;
  while (head[start]! <= 0x20) start++;
  const end = head.indexOf(LINE_FEED, start);
  return end < 0
    ? Buffer.concat([head.subarray(start), Buffer.from('\n')])
    : Buffer.from(head.subarray(start, end + 1));
}

function haveSameColumns(a: Buffer, b: Buffer): boolean {
  return a.toString('latin1').trimEnd() === b.toString('latin1').trimEnd();
}
