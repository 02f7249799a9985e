// Chooses the form of a filtered file. Rows of CSV stay as they are only if all sources have one header.

import { UsageError } from '../../../errors.ts';
import { BrokenSource } from '../../../ingest/containers/byte-source.ts';
import { detectFormat, SAMPLE_BYTES } from '../../../ingest/formats/read.ts';
import type { Naming } from '../../../ingest/normalise/field-names.ts';
import type { SourceReport } from '../../../ingest/report.ts';
import type { Content, OpenContent } from '../../../ingest/sources/file.ts';
import type { Writing } from './work.ts';

export interface Form {
  readonly contents: readonly Content[];
  readonly writing: Writing;
  /** The header as in the sources, with its line end; null: there is none, or that of written.ts. */
  readonly header: Buffer | null;
  /** Whether rows of CSV are needed beside what they say. */
  readonly keepsRows: boolean;
}

interface FormRequest extends Naming {
  readonly format: 'ndjson' | 'csv' | null;
  readonly signal?: AbortSignal;
}

export async function formOf(
  contents: readonly Content[],
  unread: ReadonlyMap<Content, SourceReport>,
  { format, signal, ...naming }: FormRequest,
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
