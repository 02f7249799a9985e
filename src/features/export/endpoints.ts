// The export of each kind: every match as one stream of bytes, and the schema of its table. Contract 9.1.

import { KINDS } from '../../model/record.ts';
import { bytesOperation, operation } from '../../operation/operation.ts';
import { Type } from '../../operation/parameters.ts';
import { readFields } from '../../search/presenter.ts';
import { exportAnswer, HEAD_HEADERS, TRAILERS, trailerNames } from './answer.ts';
import { exportsOf, wishOf } from './export-service.ts';
import {
  COMPRESSIONS,
  EXPORT_PARAMETERS,
  type ExportTable,
  FORMATS,
  type Format,
  mediaTypeOf,
  SCHEMA_PARAMETERS,
} from './parameters.ts';
import { tableSchema } from './rows.ts';

/** https://datapackage.org/standard/table-schema/ */
const TableSchemaSchema = Type.Object(
  {
    $schema: Type.Optional(Type.String('The profile of the schema.')),
    fields: Type.Array(
      Type.Object({
        name: Type.String('As in the header row, or in a line of JSON.'),
        type: Type.String('`string`, `integer`, `number`, `boolean` or `object`.'),
        description: Type.String(),
        constraints: Type.Optional(
          Type.Object({ required: Type.Literal(true) }, 'Absent where a reader may find null.'),
        ),
      }),
      'The columns, in their order.',
    ),
    missingValues: Type.Array(Type.String(), 'The text for null in text formats.'),
    primaryKey: Type.Optional(Type.Array(Type.String(), 'Absent where the id was not chosen.')),
  },
  { $id: 'TableSchema', description: 'The columns of an export, as a Table Schema of Frictionless Data.' },
);

export const operations = KINDS.map((kind) =>
  operation({
    ...{ name: 'export', kind, below: 'schema', operationId: `export_${kind}s_schema`, isOpen: true },
    tag: 'export',
    summary: 'Schema of an export of {kind}s',
    description: 'The columns of an export with the same values, or the fields of its lines. Needs no key.',
    parameters: SCHEMA_PARAMETERS[kind],
    schema: TableSchemaSchema,
    answerWords: 'The columns, in their order.',
    example: { format: 'csv', fields: 'id,created_utc' },
    run: async (_, { format, fields }) => ({ answer: tableSchema(kind, format, readFields(fields, kind)) }),
  }),
);

const COMPRESSED = Object.keys(COMPRESSIONS) as (keyof typeof COMPRESSIONS)[];

const MEDIA_TYPES = (Object.keys(FORMATS) as Format[]).flatMap((format) =>
  COMPRESSED.map((compress) => mediaTypeOf(format, compress)),
);

const TOLD_TRAILERS = trailerNames('csv-excel')
  .map((name) => `\`${name}\` (${TRAILERS[name]})`)
  .join(', ');

export const bytes = KINDS.map((kind) =>
  bytesOperation<ExportTable>({
    ...{ name: 'export', kind, tag: 'export' },
    summary: 'Export {kind}s',
    description: [
      'Every matching {kind}, or as many as `limit` says, as one file, made while it is sent. All of it is of one',
      'view of the index; what is removed meanwhile is withheld. The body comes in chunks; a body without its last',
      `chunk is not whole, and must not be used as if it were. After the last byte come trailers: ${TOLD_TRAILERS}.`,
    ].join(' '),
    parameters: EXPORT_PARAMETERS[kind],
    mediaTypes: MEDIA_TYPES,
    headers: HEAD_HEADERS,
    send: async (archive, values, asked) =>
      exportAnswer(archive, exportsOf(archive).plan(wishOf(kind, values)), asked),
  }),
);
