// The export of each kind: every match as one stream of bytes, and the schema of its table. Below, what the OpenAPI
// document says of them. Contract 9.1.

import type { FastifyInstance } from 'fastify';
import type { AnswerContent, EndpointDescription } from '../../http/operations/openapi.ts';
import { addKeyedRoute, type KeyedEndpoint } from '../../http/routes/endpoints.ts';
import type { EndpointDeps } from '../../http/site/site.ts';
import { KINDS, type Kind } from '../../model/record.ts';
import { operation } from '../../operation/operation.ts';
import { Type } from '../../operation/parameters.ts';
import { readFields } from '../../search/presenter.ts';
import { exportAnswer, HEAD_HEADERS, TRAILERS, trailerNames } from './answer.ts';
import { exportsOf, wishOf } from './export-service.ts';
import {
  COMPRESSIONS,
  EXPORT_PARAMETERS,
  type ExportTable,
  exportPath,
  FORMATS,
  type Format,
  mediaTypeOf,
  SCHEMA_PARAMETERS,
} from './parameters.ts';
import { tableSchema } from './rows.ts';

export function addEndpoints(server: FastifyInstance, deps: EndpointDeps): void {
  for (const kind of KINDS) addKeyedRoute(server, deps, exportEndpoint(kind, deps));
}

function exportEndpoint(kind: Kind, { archive, admission }: EndpointDeps): KeyedEndpoint<ExportTable> {
  return {
    ...describeExport(kind),
    path: exportPath(kind),
    parameters: EXPORT_PARAMETERS[kind],
    // Its places limit it, and each has its own thread.
    needsNoTurn: true,
    // Streamed at the caller's pace.
    mostBytes: () => 0,
    async handler(values, asked) {
      const plan = exportsOf(archive).plan(wishOf(kind, values));
      return exportAnswer(archive, plan, { ...asked, admission });
    },
  };
}

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

const TOLD_TRAILERS = trailerNames('csv-excel')
  .map((name) => `\`${name}\` (${TRAILERS[name]})`)
  .join(', ');

function describeExport(kind: Kind): Omit<EndpointDescription, 'parameters'> {
  return {
    tag: 'export',
    words: {
      operationId: `export_${kind}s`,
      summary: `Export ${kind}s`,
      description: [
        `Every matching ${kind}, or as many as \`limit\` says, as one file, made while it is sent. All of it is of one`,
        'view of the index; what is removed meanwhile is withheld. The body comes in chunks; a body without its last',
        `chunk is not whole, and must not be used as if it were. After the last byte come trailers: ${TOLD_TRAILERS}.`,
      ].join(' '),
    },
    answer: { description: 'The file.', content: fileContent(), headers: HEAD_HEADERS },
  };
}

/** By each media type that an export can have. */
function fileContent(): AnswerContent {
  const names = Object.keys(FORMATS) as Format[];
  const compressions = Object.keys(COMPRESSIONS) as (keyof typeof COMPRESSIONS)[];
  const types = names.flatMap((format) => compressions.map((compress) => mediaTypeOf(format, compress)));
  return Object.fromEntries(
    [...new Set(types)].map((type) => [
      type.split(';')[0],
      { schema: { type: 'string', format: 'binary', description: 'The bytes of the file.' } },
    ]),
  );
}
