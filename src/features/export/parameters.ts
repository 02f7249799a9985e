// What an export can be asked for: its formats and compressions, its parameters and addresses, and the name of its
// file. Contract 9.1. Its columns as a Table Schema (https://datapackage.org/standard/table-schema/): for the address
// that an export names, and for files that describe a data set.

import { basename, extname } from 'node:path';
import { ServiceError } from '../../errors.ts';
import { endpointPath, requestAddress } from '../../http/addresses.ts';
import { ORDERS, type Order } from '../../model/pages.ts';
import type { Kind } from '../../model/record.ts';
import { choice, type Parameter, Type, wholeNumber } from '../../operation/parameters.ts';
import { cursor, fieldsOf, query, seed, since, under } from '../../operation/shared.ts';
import { type Column, columnsOf, fieldsOf as namesOf, TEXT_TYPES } from '../../operation/text-forms.ts';

interface FormatRow {
  readonly extension: string;
  /** Of the uncompressed bytes. */
  readonly mediaType: string;
  /** The first one is the default. */
  readonly compressions: readonly Compression[];
  /** Most records of one file; absent: any number. */
  readonly maxRecords?: number;
}

/** Raised by every change after which the same records give other bytes. */
export const BYTES_VERSION = 2;

/** In the order offered. */
export const FORMATS = {
  ndjson: { extension: 'ndjson', mediaType: TEXT_TYPES.ndjson, compressions: ['none', 'gzip', 'zstd'] },
  csv: { extension: 'csv', mediaType: TEXT_TYPES.csv, compressions: ['none', 'gzip', 'zstd'] },
  'csv-excel': {
    extension: 'csv',
    mediaType: TEXT_TYPES['csv-excel'],
    compressions: ['none', 'gzip', 'zstd'],
    // Rows of a sheet, but for the header
    // (https://support.microsoft.com/office/excel-specifications-and-limits-1672b34d-7043-467e-8e27-269d656771c3).
    maxRecords: 1_048_575,
  },
  // Pages are compressed one by one, so that a reader can skip some.
  parquet: { extension: 'parquet', mediaType: 'application/vnd.apache.parquet', compressions: ['none'] },
} as const satisfies Readonly<Record<string, FormatRow>>;

export type Format = keyof typeof FORMATS;

/** In the order offered; `extension` follows that of the format. */
export const COMPRESSIONS = {
  none: { extension: '', mediaType: null },
  gzip: { extension: '.gz', mediaType: 'application/gzip' },
  zstd: { extension: '.zst', mediaType: 'application/zstd' },
} as const;

export type Compression = keyof typeof COMPRESSIONS;

export function compressionsOf(format: Format): readonly Compression[] {
  return FORMATS[format].compressions;
}

/** Media type of the whole: compression is no content coding here. */
export function mediaTypeOf(format: Format, compress: Compression): string {
  return COMPRESSIONS[compress].mediaType ?? FORMATS[format].mediaType;
}

/** Throws `too_many_rows` if the format cannot hold so many records. */
export function checkRecords(format: Format, records: number): void {
  const { maxRecords }: FormatRow = FORMATS[format];
  if (maxRecords === undefined || records <= maxRecords) return;
  throw new ServiceError(
    'too_many_rows',
    `\`${format}\`: expected at most ${maxRecords.toLocaleString('en')} records, ` +
      `found ${records.toLocaleString('en')}; a \`limit\`, a narrower query or another format will do`,
  );
}

/** What the extension of a file name says. Absent: nothing. */
export interface Named {
  readonly format?: Format;
  readonly compress?: Compression;
  /** An extension of no format here, as written: `.xlsx`. */
  readonly foreign?: string;
}

/** Case-insensitive; `.csv` means `csv`, and `.jsonl` means `ndjson`. */
export function formatOfName(path: string): Named {
  const name = basename(path);
  const lower = name.toLowerCase();
  const compressions = Object.keys(COMPRESSIONS) as Compression[];
  const compress = compressions.find(
    (known) => known !== 'none' && lower.endsWith(COMPRESSIONS[known].extension),
  );
  const end = name.length - (compress === undefined ? 0 : COMPRESSIONS[compress].extension.length);
  const plain = lower.slice(0, end);
  const format = (Object.keys(FORMATS) as Format[]).find(
    (known) =>
      plain.endsWith(`.${FORMATS[known].extension}`) || (known === 'ndjson' && plain.endsWith('.jsonl')),
  );
  const foreign = format === undefined ? extname(name.slice(0, end)) : '';
  return {
    ...(format !== undefined && { format }),
    ...(compress !== undefined && { compress }),
    ...(foreign !== '' && { foreign }),
  };
}

const matching: Parameter<string> = {
  ...query,
  schema: Type.String({
    maxLength: 4096,
    description:
      'What to export, in the query language and with the limits of a search; a `before:` needs an `after:` ' +
      'beside it. If empty, every record.',
    examples: ['cats,/r/aww,-dogs', 'before:2021-01-02,after:1970-01-01'],
  }),
};

const orderBy: Parameter<Order> = choice(ORDERS, {
  standard: 'oldest',
  description: 'The order of the records. Empty counts as absent.',
  examples: ['oldest'],
});

const format: Parameter<Format> = choice(Object.keys(FORMATS) as Format[], {
  standard: 'ndjson',
  description: [
    'What the bytes are. `ndjson`: a record as JSON on each line; `csv`: a header and rows of RFC 4180, flat;',
    '`csv-excel`: the same for spreadsheets (at most 1,048,575 rows); or `parquet`. Empty counts as absent.',
  ].join(' '),
  examples: ['ndjson'],
});

const compress: Parameter<Compression> = choice(Object.keys(COMPRESSIONS) as Compression[], {
  standard: 'none',
  description: [
    'How the file is compressed; `parquet` is compressed inside and takes only `none`. This is not a content',
    'coding. Empty counts as absent.',
  ].join(' '),
  examples: ['none'],
});

const after = cursor(
  [
    'A cursor of the same order, as `sort_key` of a search has it: the export starts after it. In orders of time',
    'also a whole second × 1000. If empty or absent, from the first match.',
  ].join(' '),
  978307200000,
  { values: 'a cursor: start after it', default: 'the first match' },
);

const limit = wholeNumber({
  from: 1,
  to: 999_999_999,
  standard: null,
  unit: 'records, exactly',
  description: 'The most records, exactly, ties or not. If absent, all.',
  examples: [1000],
});

export const MAX_SAMPLE = 1_000_000;

const sample = wholeNumber({
  ...{ from: 1, to: MAX_SAMPLE, standard: null, unit: 'records' },
  description: 'Only a random sample of this many matches. If absent, all.',
  examples: [1000],
});

const common = { query: matching, order_by: orderBy, format, compress };
const further = { sample, seed, after, limit, since };

export type ExportTable = typeof common &
  typeof further & { readonly fields: Parameter<string | null>; readonly under?: Parameter<string | null> };

export const EXPORT_PARAMETERS = {
  post: { ...common, fields: fieldsOf('post'), ...further },
  comment: { ...common, fields: fieldsOf('comment'), ...further, under },
} as const satisfies Readonly<Record<Kind, ExportTable>>;

/** Address of the schema of a table. `fields`: as the caller gave them; null: those of the interface. */
export function schemaAddress(kind: Kind, format: Format, fields: string | null): string {
  return requestAddress(`${endpointPath('export', kind)}/schema`, {}, Object.entries({ format, fields }));
}

const MAX_WORDS_LENGTH = 40;

/**
 * `colloquy-comments-solar-panel-2026-11-22.ndjson.zst`: the first words of the query in lower-case ASCII, up to 40
 * characters, and the day of `time` (Unix seconds).
 */
export function fileName(
  kind: Kind,
  query: string,
  { format, compress }: { readonly format: Format; readonly compress: Compression },
  time: number,
): string {
  const day = new Date(time * 1000).toISOString().slice(0, 'YYYY-MM-DD'.length);
  const name = [`colloquy-${kind}s`, ...firstWords(query), day].join('-');
  return `${name}.${FORMATS[format].extension}${COMPRESSIONS[compress].extension}`;
}

/** Words that are valid in file names of every system. */
function firstWords(query: string): string[] {
  const plain = query.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
  const words: string[] = [];
  let length = 0;
  for (const [word] of plain.matchAll(/[a-z0-9]+/g)) {
    length += word.length + 1;
    if (length > MAX_WORDS_LENGTH) break;
    words.push(word);
  }
  return words;
}

const PROFILE = 'https://datapackage.org/profiles/2.0/tableschema.json';

export type TableSchema = ReturnType<typeof tableSchema>;

/**
 * `fields`: their names; null: those of the interface. `missingValues`: how text formats write null. `primaryKey`:
 * absent where the id was not chosen.
 */
export function tableSchema(kind: Kind, format: Format, fields: readonly string[] | null) {
  const isCsv = format === 'csv' || format === 'csv-excel';
  const described: readonly TableField[] =
    format === 'ndjson'
      ? nested(kind, fields)
      : columnsOf(kind, fields).map((column) => tableField(column, isCsv));
  return {
    ...{ $schema: PROFILE, fields: described },
    missingValues: isCsv ? [''] : [],
    ...(namesOf(kind, fields).includes('id') ? { primaryKey: ['id'] } : {}),
  };
}

function nested(kind: Kind, fields: readonly string[] | null): TableField[] {
  return namesOf(kind, fields).flatMap<TableField>((field) =>
    field === 'subreddit' ? [SUBREDDIT] : columnsOf(kind, [field]).map((column) => tableField(column, false)),
  );
}

const SUBREDDIT = {
  ...{ name: 'subreddit', type: 'object' as const, constraints: { required: true } as const },
  description: 'the community: `id` (empty where no source gave it), `name`, `nsfw`',
};

type TableField = ReturnType<typeof tableField> | typeof SUBREDDIT;

const TYPES = {
  string: 'string',
  int32: 'integer',
  int64: 'integer',
  double: 'number',
  boolean: 'boolean',
} as const satisfies Readonly<Record<Column['type'], string>>;

/** CSV cannot tell an empty text from null. */
function tableField({ name, type, isNullable, description }: Column, isCsv: boolean) {
  const mayBeNull = isNullable || (isCsv && type === 'string');
  const constraints = { required: true } as const;
  return { name, type: TYPES[type], description, ...(mayBeNull ? {} : { constraints }) };
}
