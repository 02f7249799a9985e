// Reader of CSV: published data sets, also after pandas or a spreadsheet saved them, and dumps converted to CSV. Every
// row becomes the same object as in JSON.

import { isRow, type Row } from '../normalise/cells.ts';
import { COMMUNITY_FIELDS, fieldsOf, type Naming, plainName } from '../normalise/field-names.ts';
import { type Block, BlockBuilder, builtBlocks, rejectText, type SourcePosition, START } from './block.ts';
import { CsvRows, firstRow } from './csv-rows.ts';

export interface CsvLayout {
  readonly delimiter: string;
  /** Field of each column, empty for one that is not read. */
  readonly fields: readonly string[];
}

const DELIMITERS = [',', ';', '\t'];

/** Needed columns that are missing, in words, and the columns that exist. */
export interface LackingLayout {
  readonly missing: readonly string[];
  readonly columns: readonly string[];
}

/** From the first row of a file: a layout, a layout that lacks columns, or null (no column names). */
export function csvLayout(head: Buffer, naming: Naming = {}): CsvLayout | LackingLayout | null {
  let lacking: LackingLayout | null = null;
  const lineEnd = head.indexOf(0x0a);
  for (const delimiter of DELIMITERS) {
    const names = firstRow(head.subarray(0, lineEnd < 0 ? head.length : lineEnd + 1), delimiter);
    const columns = names.map((name) => name.trim().toLowerCase());
    const fields = fieldsOf(names, naming.columns);
    const missing = missingColumns(columns, new Set(fields), naming);
    if (missing.length === 0) return { delimiter, fields };
    const known = fields.filter((field) => field !== '').length;
    if (known >= Math.max(1, Math.min(MIN_KNOWN_COLUMNS, columns.length))) lacking ??= { missing, columns };
  }
  return lacking;
}

/** Fewer known names may be words of any text. */
const MIN_KNOWN_COLUMNS = 2;

function missingColumns(
  columns: readonly string[],
  has: ReadonlySet<string>,
  { community = null, columns: given = new Map() }: Naming,
): string[] {
  const hasOneOf = (...fields: string[]) => fields.some((field) => has.has(field));
  const names = new Set(columns.map(plainName));
  const missing = [...given.keys()].flatMap((name) => (names.has(name) ? [] : `a column \`${name}\``));
  if (!hasOneOf('id', 'name', 'permalink')) missing.push('an `id` or a `permalink`');
  if (community === null && !hasOneOf(...COMMUNITY_FIELDS, 'permalink', 'url')) missing.push(A_COMMUNITY);
  if (!has.has('created_utc')) missing.push('a time `created_utc`');
  if (!hasOneOf('title', 'body')) missing.push('a `title` or `body`');
  return missing;
}

const A_COMMUNITY = 'a community (`subreddit`, `subreddit.name`, a `permalink`, or `--community NAME`)';

/**
 * Blocks of whole rows from `from` on, although `bytes` is the whole content. `keepsRows`: adds the rows as in the
 * source.
 */
export function readCsv(
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
  return builtBlocks(bytes, rows, builder);
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

/** An object, or a name; undefined where no column has it. */
function communityCell(row: Row, community: Row, fields: readonly string[]): unknown {
  if (fields.includes('subreddit.name')) return community;
  if (fields.includes('subreddit')) return row.subreddit;
  return fields.includes('subreddit.display_name') ? community : undefined;
}
