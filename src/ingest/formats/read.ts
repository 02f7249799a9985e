// The format of a content, recognised from its data, and the blocks of it, from the reader for its format.

import { UsageError } from '../../errors.ts';
import { oneLine } from '../../text/quoted.ts';
import type { HeadedBytes } from '../containers/byte-source.ts';
import { isRow } from '../normalise/cells.ts';
import type { Naming } from '../normalise/field-names.ts';
import { type Block, type SourcePosition, START } from './block.ts';
import { type CsvLayout, csvLayout, type LackingLayout, readCsv } from './csv.ts';
import { NOT_JSON, parseJson } from './json.ts';
import { readLines } from './lines.ts';
import { isReadable } from './unwrap.ts';
import { readValues, ValueSplitter } from './values.ts';

/**
 * Blocks from `from` on. `keepsRows`: adds rows of CSV as in the source. Throws a UsageError before the first block if
 * the format is unknown.
 */
export async function readBlocks(
  content: HeadedBytes,
  naming: Naming,
  from: SourcePosition = START,
  keepsRows = false,
): Promise<{ readonly format: Format['kind']; readonly blocks: AsyncIterable<Block> }> {
  const head = await content.head(SAMPLE_BYTES);
  const format = detectFormat(head, naming);
  const bytes = startsWithMark(head) ? withoutMark(content) : content;
  switch (format.kind) {
    case 'csv':
      return { format: 'csv', blocks: readCsv(bytes, format.layout, from, keepsRows) };
    case 'values':
      return { format: 'values', blocks: readValues(bytes, from) };
    case 'lines':
    case 'empty':
      return { format: format.kind, blocks: readLines(bytes, from) };
  }
}

const MARK_BYTES = 3;

/** U+FEFF in UTF-8, which some programs write in front. */
function startsWithMark(head: Buffer): boolean {
  return head.toString('latin1', 0, MARK_BYTES) === '\xef\xbb\xbf';
}

async function* withoutMark(bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let toSkip = MARK_BYTES;
  for await (const chunk of bytes) {
    yield chunk.subarray(toSkip);
    toSkip = Math.max(0, toSkip - chunk.length);
  }
}

type Format =
  | { readonly kind: 'lines' | 'values' | 'empty' }
  | { readonly kind: 'csv'; readonly layout: CsvLayout };

/** Bytes of a content that are examined, and lines or values among them. */
export const SAMPLE_BYTES = 1024 * 1024;
const SAMPLE_VALUES = 1000;

const READ_FORMATS =
  'posts or comments as JSON lines, API answers or listings, or CSV with a row of column names';

/**
 * `head` is the beginning of the content, or all of it if it is shorter than SAMPLE_BYTES. Throws a UsageError for an
 * unknown format.
 */
export function detectFormat(head: Buffer, naming: Naming = {}): Format {
  const isWhole = head.length < SAMPLE_BYTES;
  const sample = head.subarray(beginOf(head));
  if (sample.length === 0) return { kind: 'empty' };
  const isJson = sample[0] === 0x7b || sample[0] === 0x5b;
  // Most contents are dumps; their first line is enough.
  const holdsRecords = (value: unknown) => isReadable(value, naming.columns);
  if (isJson && linesOf(sample, isWhole, 1).some(holdsRecords)) return { kind: 'lines' };
  const lines = linesOf(sample, isWhole);
  if (isJson && lines.length > 0 && !isValue(lines[0])) {
    const values = valuesOf(sample);
    const firstIsComplete = values.length > 0 && isValue(values[0]);
    if (firstIsComplete && values.some(holdsRecords)) return { kind: 'values' };
    if (values.length === 0 && !isWhole && !lines.some(holdsRecords)) return { kind: 'values' };
  }
  if (lines.some(holdsRecords)) return { kind: 'lines' };
  // The first line or array element is longer than the sample: the reader decides.
  if (isJson && lines.length === 0) return { kind: sample[0] === 0x7b ? 'lines' : 'values' };
  const layout = isJson ? null : csvLayout(sample, naming);
  if (layout !== null && 'fields' in layout) return { kind: 'csv', layout };
  if (layout !== null) throw new UsageError(lacksColumns(layout));
  throw new UsageError(lacksRecords(head, sample, lines));
}

function lacksColumns({ missing, columns }: LackingLayout): string {
  const expected = new Intl.ListFormat('en').format(missing);
  return `neither posts nor comments: expected ${expected} too, found the columns ${namesOf(columns)}; \`--column id=NAME\` says what another one is`;
}

function lacksRecords(head: Buffer, sample: Buffer, lines: readonly unknown[]): string {
  const object = [...lines, ...valuesOf(sample)].find(isRow);
  if (object === undefined) return `expected ${READ_FORMATS}, found ${describe(head, sample, lines)}`;
  const names = namesOf(Object.keys(object));
  return `neither posts nor comments: expected \`title\` or \`body\`, \`id\`, \`subreddit\` and \`created_utc\`, found JSON objects with the fields ${names}`;
}

/** The place after the byte order mark and white space. Throws a UsageError for UTF-16. */
export function beginOf(head: Buffer): number {
  const mark = head.toString('latin1', 0, 3);
  if (mark.startsWith('\xff\xfe') || mark.startsWith('\xfe\xff')) {
    throw new UsageError('expected text in UTF-8, found UTF-16; save the file as UTF-8');
  }
  let at = mark === '\xef\xbb\xbf' ? 3 : 0;
  while (at < head.length && head[at]! <= 0x20) at++;
  return at;
}

/** The parsed values of the first `most` lines, empty ones left out; not of one in which the sample ends. */
function linesOf(sample: Buffer, isWhole: boolean, most = SAMPLE_VALUES): unknown[] {
  const values: unknown[] = [];
  let start = 0;
  while (start < sample.length && values.length < most) {
    const found = sample.indexOf(0x0a, start);
    if (found < 0 && !isWhole) break;
    const end = found < 0 ? sample.length : found;
    if (end > start) values.push(parseJson(sample.subarray(start, end)));
    start = end + 1;
  }
  return values;
}

function valuesOf(sample: Buffer): unknown[] {
  const values: unknown[] = [];
  const splitter = new ValueSplitter((value) => {
    if (values.length < SAMPLE_VALUES && value instanceof Buffer) values.push(parseJson(value));
  });
  splitter.push(sample);
  return values;
}

function isValue(value: unknown): boolean {
  return value !== NOT_JSON;
}

function describe(head: Buffer, sample: Buffer, lines: readonly unknown[]): string {
  if (lines.some(isValue)) return 'JSON without objects';
  if (isBinary(head)) return 'binary data of an unknown kind';
  return `text that begins with \`${oneLine(sample.toString('utf8', 0, 240), 60)}\``;
}

const NAMES_SHOWN = 8;

function namesOf(names: readonly string[]): string {
  const shown = names.slice(0, NAMES_SHOWN).map((name) => `\`${oneLine(name, 30)}\``);
  if (shown.length === 0) return '(none)';
  return names.length > shown.length ? `${shown.join(', ')}, …` : shown.join(', ');
}

function isBinary(head: Buffer): boolean {
  return head.subarray(0, 1000).some((byte) => byte < 0x09 || (byte > 0x0d && byte < 0x1b));
}
