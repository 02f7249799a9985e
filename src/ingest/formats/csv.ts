// Reader of CSV: the published datasets and their re-saves by pandas and spreadsheets, and dumps turned into CSV.
// Every row becomes the object that the same record would be in JSON.

import { type Block, type Place, rejectText, START } from './block.ts';
import { BlockBuilder } from './block-builder.ts';
import { chunksUntilError, type Ending } from './chunks.ts';
import { CsvRows } from './csv-rows.ts';

/** The columns of a file, and how its cells are parted. */
export interface CsvLayout {
  readonly delimiter: string;
  /** Field of each column, empty for one that is not read. */
  readonly fields: readonly string[];
}

/** Columns that are read, and the field each fills: `subreddit.` marks the parts of the community object. */
const FIELDS: ReadonlyMap<string, string> = new Map(
  [
    'type id name subreddit created_utc permalink domain url url_overridden_by_dest is_self over_18 promoted',
    'selftext title body link_id score sentiment retrieved_on retrieved_utc',
    'subreddit.id subreddit.name subreddit.nsfw',
  ]
    .flatMap((line) => line.split(' '))
    .map((name): [string, string] => [name, name])
    .concat([
      ['subreddit_id', 'subreddit.id'],
      ['subreddit_name', 'subreddit.name'],
      ['subreddit_nsfw', 'subreddit.nsfw'],
    ]),
);

const DELIMITERS = [',', ';', '\t'];

/** What a file's first row says: a layout, the names of columns that are needed and not there, or null: no such row. */
export function csvLayout(head: Buffer): CsvLayout | { readonly missing: readonly string[] } | null {
  let missing: readonly string[] | null = null;
  for (const delimiter of DELIMITERS) {
    const fields = firstRow(head, delimiter).map((name) => FIELDS.get(name.trim().toLowerCase()) ?? '');
    const needed = missingColumns(new Set(fields));
    if (needed.length === 0) return { delimiter, fields };
    if (fields.filter((field) => field !== '').length >= 3) missing ??= needed;
  }
  return missing === null ? null : { missing };
}

function firstRow(head: Buffer, delimiter: string): readonly string[] {
  let first: readonly string[] | null = null;
  const rows = new CsvRows(delimiter, Infinity, {
    row: (cells) => {
      first ??= cells;
    },
    broken: () => {
      first ??= [];
    },
  });
  const lineEnd = head.indexOf(0x0a);
  rows.push(lineEnd < 0 ? head : head.subarray(0, lineEnd + 1));
  rows.finish();
  return first ?? [];
}

function missingColumns(has: ReadonlySet<string>): string[] {
  const missing: string[] = [];
  if (!has.has('id') && !has.has('name')) missing.push('id');
  if (!has.has('subreddit') && !has.has('subreddit.name')) missing.push('subreddit.name');
  if (!has.has('created_utc')) missing.push('created_utc');
  if (!has.has('title') && !has.has('body')) missing.push('title` or `body');
  return missing;
}

/** Blocks of whole rows from `from` on; `bytes` is the whole content all the same. */
export async function* readCsv(
  bytes: AsyncIterable<Buffer>,
  layout: CsvLayout,
  from: Place = START,
): AsyncGenerator<Block> {
  const builder = new BlockBuilder(from);
  let isHeader = true;
  const rows = new CsvRows(layout.delimiter, layout.fields.length, {
    row: (cells, line) => {
      if (!isHeader && !(cells.length === 1 && cells[0] === '')) {
        builder.add(Buffer.from(JSON.stringify(objectOf(cells, layout.fields))), line);
      }
      isHeader = false;
    },
    broken: (firstLine, line) => builder.reject('bad_row', line, rejectText(firstLine)),
  });
  const ending: Ending = { error: null };
  for await (const chunk of chunksUntilError(bytes, ending)) {
    rows.push(chunk);
    const block = builder.takeFull(rows.line);
    if (block !== null) yield block;
  }
  if (ending.error === null) rows.finish();
  const last = builder.takeRest(rows.line);
  if (last !== null) yield last;
  if (ending.error !== null) throw ending.error;
}

/** Cells that a short row lacks are empty. A field of two columns takes the first that is not empty. */
function objectOf(cells: readonly string[], fields: readonly string[]): Record<string, unknown> {
  const row: Record<string, unknown> = {};
  const community: Record<string, string> = {};
  fields.forEach((field, i) => {
    const cell = cells[i] ?? '';
    if (field === '') return;
    if (field.startsWith('subreddit.')) community[field.slice('subreddit.'.length)] ||= cell;
    else row[field] ||= cell;
  });
  if (fields.includes('subreddit.name')) row.subreddit = community;
  else row.subreddit_id = community.id;
  // A file of both kinds has the columns of both: the other kind's are empty.
  if (row.title === '' && typeof row.body === 'string' && row.body !== '') {
    row.title = undefined;
    row.selftext = undefined;
  }
  return row;
}
