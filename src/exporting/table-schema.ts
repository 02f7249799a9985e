// The columns of an export as a Table Schema (https://datapackage.org/standard/table-schema/), which readers of tables
// know: for the address that an export names, and for files that describe a data set.

import type { Kind } from '../model/record.ts';
import { type Column, columnsOf, fieldsOf } from './columns.ts';
import type { Format } from './formats.ts';

export interface TableSchema {
  readonly $schema: string;
  readonly fields: readonly TableField[];
  /** What stands for null in formats of text: an empty cell of CSV. */
  readonly missingValues: readonly string[];
  /** Absent where the id was not chosen. */
  readonly primaryKey?: readonly string[];
}

export interface TableField {
  readonly name: string;
  readonly type: 'string' | 'integer' | 'number' | 'boolean' | 'object';
  readonly description: string;
  /** Absent where a reader may find null. */
  readonly constraints?: { readonly required: true };
}

const PROFILE = 'https://datapackage.org/profiles/2.0/tableschema.json';

/** `fields`: names of fields; null: those of the interface. */
export function tableSchema(kind: Kind, format: Format, fields: readonly string[] | null): TableSchema {
  const isCsv = format === 'csv' || format === 'csv-excel';
  return {
    $schema: PROFILE,
    fields:
      format === 'ndjson'
        ? nested(kind, fields)
        : columnsOf(kind, fields).map((column) => tableField(column, isCsv)),
    missingValues: isCsv ? [''] : [],
    ...(fieldsOf(kind, fields).includes('id') ? { primaryKey: ['id'] } : {}),
  };
}

/** Lines of JSON have the community as an object. */
function nested(kind: Kind, fields: readonly string[] | null): TableField[] {
  return fieldsOf(kind, fields).flatMap((field) => {
    if (field !== 'subreddit') return columnsOf(kind, [field]).map((column) => tableField(column, false));
    const description = 'the community: `id` (empty where no source gave it), `name`, `nsfw`';
    return [{ name: field, type: 'object', description, constraints: { required: true } } as const];
  });
}

const TYPES = {
  string: 'string',
  int32: 'integer',
  int64: 'integer',
  double: 'number',
  boolean: 'boolean',
} as const satisfies Readonly<Record<Column['type'], TableField['type']>>;

/** In CSV a text that is empty cannot be told from null. */
function tableField({ name, type, isNullable, description }: Column, isCsv: boolean): TableField {
  const mayBeNull = isNullable || (isCsv && type === 'string');
  const field = { name, type: TYPES[type], description };
  return mayBeNull ? field : { ...field, constraints: { required: true } };
}
