// Parameters and addresses of the export of each kind. Contract 9.1.

import { ORDERS, type Order } from '../../model/pages.ts';
import { KIND_NAMES, type Kind } from '../../model/record.ts';
import { Type } from '../../operation/json-schema.ts';
import {
  choice,
  type Parameter,
  type ParameterTable,
  parameterString,
  wholeNumber,
} from '../../operation/parameters.ts';
import { cursor, fieldsOf, query, seed, since, under } from '../../operation/shared.ts';
import { COMPRESSIONS, type Compression, FORMATS, type Format } from './formats.ts';

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
    'What the bytes are: `ndjson`, a record as JSON on each line; `csv`, a header and rows of RFC 4180, flat;',
    '`csv-excel`, the same for spreadsheets (at most 1,048,575 rows); `parquet`. Empty counts as absent.',
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

/** Parameters of the schema of a table, which describes an export with the same values. */
export interface SchemaTable extends ParameterTable {
  readonly format: Parameter<Format>;
  readonly fields: Parameter<string | null>;
}

export const SCHEMA_PARAMETERS: Readonly<Record<Kind, SchemaTable>> = {
  post: { format, fields: fieldsOf('post') },
  comment: { format, fields: fieldsOf('comment') },
};

export function exportPath(kind: Kind): string {
  return `/api/v1/export/${KIND_NAMES[kind]}`;
}

/** Address of the schema of a table. `fields`: as the caller gave them; null: those of the interface. */
export function schemaAddress(kind: Kind, format: Format, fields: string | null): string {
  const values = parameterString<SchemaTable>({ format, ...(fields === null ? {} : { fields }) });
  return `${exportPath(kind)}/schema?${values}`;
}
