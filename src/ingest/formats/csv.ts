// Reader of CSV: the published datasets and their re-saves by pandas and spreadsheets, and dumps turned into
// CSV. Every row becomes the object that the same record would be in JSON.

import { communityInOwnAddress, communityInPermalink } from '../normalise/addresses.ts';
import { isRow, type Row } from '../normalise/cells.ts';
import { type Block, rejectText, type SourcePosition, START } from './block.ts';
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
    'selftext title body link_id post_id parent_id score sentiment retrieved_on retrieved_utc',
    'subreddit.id subreddit.name subreddit.nsfw subreddit.display_name',
  ]
    .flatMap((line) => line.split(' '))
    .map((name): [string, string] => [name, name])
    .concat([
      ['subreddit_id', 'subreddit.id'],
      ['subreddit_name', 'subreddit.name'],
      ['subreddit_nsfw', 'subreddit.nsfw'],
      ['subreddit_display_name', 'subreddit.display_name'],
      ['subreddit.display_name_prefixed', 'subreddit.display_name'],
      ['subreddit_name_prefixed', 'subreddit.display_name'],
    ]),
);

/** Where no column has the name in front, this one has what it says. */
const STAND_INS: ReadonlyMap<string, string> = new Map([['created_utc', 'created']]);

const COMMUNITY_FIELDS = ['subreddit', 'subreddit.name', 'subreddit.display_name'];

const DELIMITERS = [',', ';', '\t'];

/** Columns that are needed and not there, in words, and those that are there. */
export interface LackingLayout {
  readonly missing: readonly string[];
  readonly columns: readonly string[];
}

/**
 * What a file's first row says: a layout, what it lacks, or null: it has no row of column names.
 * `namesCommunity`: the operator says of which community it is, so that no column needs to.
 */
export function csvLayout(head: Buffer, namesCommunity = false): CsvLayout | LackingLayout | null {
  let lacking: LackingLayout | null = null;
  for (const delimiter of DELIMITERS) {
    const columns = firstRow(head, delimiter).map((name) => name.trim().toLowerCase());
    const fields = fieldsOf(columns);
    const missing = missingColumns(new Set(fields), namesCommunity);
    if (missing.length === 0) return { delimiter, fields };
    if (fields.filter((field) => field !== '').length >= MIN_KNOWN_COLUMNS) lacking ??= { missing, columns };
  }
  return lacking;
}

/** Fewer names that are known may be words of any text. */
const MIN_KNOWN_COLUMNS = 2;

function fieldsOf(columns: readonly string[]): string[] {
  const fields = columns.map((name) => FIELDS.get(name) ?? '');
  for (const [field, standIn] of STAND_INS) {
    const at = columns.indexOf(standIn);
    if (at >= 0 && !fields.includes(field)) fields[at] = field;
  }
  return fields;
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

function missingColumns(has: ReadonlySet<string>, namesCommunity: boolean): string[] {
  const hasOneOf = (...fields: string[]) => fields.some((field) => has.has(field));
  const missing: string[] = [];
  if (!hasOneOf('id', 'name')) missing.push('an `id`');
  if (!namesCommunity && !hasOneOf(...COMMUNITY_FIELDS, 'permalink', 'url')) missing.push(A_COMMUNITY);
  if (!has.has('created_utc')) missing.push('a time `created_utc`');
  if (!hasOneOf('title', 'body')) missing.push('a `title` or `body`');
  return missing;
}

const A_COMMUNITY = 'a community (`subreddit`, `subreddit.name`, a `permalink`, or `--community NAME`)';

/**
 * Blocks of whole rows from `from` on; `bytes` is the whole content all the same. `keepsRows`: with the rows
 * as they stand.
 */
export async function* readCsv(
  bytes: AsyncIterable<Buffer>,
  layout: CsvLayout,
  from: SourcePosition = START,
  keepsRows = false,
): AsyncGenerator<Block> {
  const builder = new BlockBuilder(from);
  let isHeader = true;
  const rows = new CsvRows(layout.delimiter, layout.fields.length, {
    row: (cells, line, row) => {
      if (!isHeader && !(cells.length === 1 && cells[0] === '')) {
        const object = Buffer.from(JSON.stringify(objectOf(cells, layout.fields)));
        builder.add(object, line, keepsRows ? row : undefined);
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
  row.subreddit = communityCell(row, community, fields);
  if (!isRow(row.subreddit)) row.subreddit_id = community.id;
  // A file of both kinds has the columns of both: the other kind's are empty.
  if (row.title === '' && typeof row.body === 'string' && row.body !== '') {
    row.title = undefined;
    row.selftext = undefined;
  }
  return row;
}

/** An object, a name, or where no column has it, what the row's own addresses say. */
function communityCell(row: Row, community: Row, fields: readonly string[]): unknown {
  if (fields.includes('subreddit.name')) return community;
  if (fields.includes('subreddit')) return row.subreddit;
  if (fields.includes('subreddit.display_name')) return community;
  const { permalink, url } = row as Readonly<Record<string, string | undefined>>;
  const id = (row.id || row.name || '') as string;
  return communityInPermalink(permalink ?? '') ?? communityInOwnAddress(url ?? '', id.replace(/^t[13]_/, ''));
}
