// Data sets: which there are and what is in them, for everybody; their files, for keys. Below, what the API and the
// OpenAPI document say of them.

import type { FastifyInstance } from 'fastify';
import type { EditionTable } from '../../datasets/edition.ts';
import type { DatasetReader, ShownDataset } from '../../datasets/shelf.ts';
import { DATASET_NAME } from '../../model/catalogue.ts';
import { KIND_NAMES } from '../../model/record.ts';
import { Type } from '../../operation/json-schema.ts';
import { readParameters } from '../../operation/parameters.ts';
import { DATASET_PATH, DATASETS_PATH, datasetAddress, datasetFileAddress } from '../addresses/api.ts';
import { FILE_HEADERS } from '../answers/file-answer.ts';
import { sendRepresentation } from '../answers/representation.ts';
import { EXAMPLE_DATASET, EXAMPLE_DATASETS } from '../operations/datasets.ts';
import { type EndpointDescription, openRouteSchema } from '../operations/openapi.ts';
import { addReadRoute } from '../read-route.ts';
import { addKeyedRoute, type KeyedRouteDeps } from './keyed-route.ts';

interface DatasetRouteDeps extends KeyedRouteDeps {
  readonly datasets: DatasetReader;
}

export function addDatasetRoutes(server: FastifyInstance, { datasets, ...deps }: DatasetRouteDeps): void {
  const open = [
    {
      path: DATASETS_PATH,
      ...describeDatasets(),
      answer: (_: string, address: string) => datasetList(datasets.list(), address),
    },
    {
      path: DATASET_PATH,
      ...describeDataset(),
      answer: (name: string, address: string) => datasetAnswer(datasets.get(name), address),
    },
  ];
  for (const { path, schema, headSchema, answer } of open) {
    addReadRoute(server, {
      path,
      schema,
      headSchema,
      handler: (request, reply) => {
        readParameters({}, request.raw.url ?? '');
        const { name = '' } = request.params as { readonly name?: string };
        return sendRepresentation(request, reply, {
          body: JSON.stringify(answer(name, deps.visitors.of(request).ownAddress)),
          type: 'application/json; charset=utf-8',
          caching: 'no-cache',
          vary: ['Host'],
        });
      },
    });
  }
  addKeyedRoute(server, deps, {
    ...describeDatasetFile(),
    path: `${DATASET_PATH}/:file`,
    parameters: {},
    needsNoTurn: true,
    // It comes in pieces, as its caller takes them.
    mostBytes: () => 0,
    handler: async (_, { pathParts: { name = '', file = '' } }) => ({
      file: await datasets.open(name, file),
    }),
  });
}

/** `ownAddress`: at which the caller reaches this server. */
function datasetList(shown: readonly ShownDataset[], ownAddress: string): object {
  return {
    ...{ type: 'datasets', kind: null, query: null, index: null },
    datasets: shown.map((each) => summaryOf(each, ownAddress)),
  };
}

function datasetAnswer(shown: ShownDataset, ownAddress: string): object {
  const { dataset, edition } = shown;
  const [table, ...others] = edition?.tables ?? [];
  return {
    type: 'dataset',
    kind: dataset.kinds.length === 1 ? KIND_NAMES[dataset.kinds[0]!] : null,
    query: dataset.query,
    index: table !== undefined && others.length === 0 ? table.index : null,
    ...summaryOf(shown, ownAddress),
    split_every: dataset.splitEvery,
    tables: (edition?.tables ?? []).map(tableAnswer),
    files: (edition?.files ?? []).map(({ name, bytes, sha256, content }) => ({
      ...{ name, bytes, sha256, url: ownAddress + datasetFileAddress(dataset.name, name) },
      kind: content == null ? null : KIND_NAMES[content.kind],
      format: content?.format ?? null,
      records: content?.records ?? null,
    })),
  };
}

/** What a list tells of each. */
function summaryOf({ dataset, edition }: ShownDataset, ownAddress: string): object {
  const { name, title, licence, kinds, query, formats, created } = dataset;
  const files = edition?.files ?? [];
  return {
    ...{ name, title: title ?? name, licence, state: edition === null ? 'withdrawn' : 'published' },
    ...{ url: ownAddress + datasetAddress(name) },
    ...{ kinds: kinds.map((kind) => KIND_NAMES[kind]), query, formats },
    ...{ created, made: edition?.made ?? null },
    edition: edition?.number ?? null,
    records: edition === null ? null : edition.tables.reduce((sum, { records }) => sum + records, 0),
    bytes: edition === null ? null : files.reduce((sum, { bytes }) => sum + bytes, 0),
  };
}

function tableAnswer({ kind, records, first, last, index, rows }: EditionTable): object {
  return { kind: KIND_NAMES[kind], records, first, last, index, rows };
}

const name = Type.String({ pattern: DATASET_NAME.source, description: 'The data set.', examples: ['solar'] });

const BYTES = {
  'application/octet-stream': {
    schema: { type: 'string', format: 'binary', description: 'The bytes of the file.' },
  },
};

function describeDatasets(): ReturnType<typeof openRouteSchema> {
  return openRouteSchema(
    {
      operationId: 'datasets',
      summary: 'List the data sets',
      description: 'Every data set that was published, by name. Needs no key.',
    },
    {
      tag: 'datasets',
      parameters: {},
      answer: {
        description: 'The data sets.',
        content: {
          'application/json': {
            schema: { $ref: 'DatasetList#' },
            examples: { solar: { value: EXAMPLE_DATASETS } },
          },
        },
        headers: {},
      },
    },
  );
}

function describeDataset(): ReturnType<typeof openRouteSchema> {
  return openRouteSchema(
    {
      operationId: 'dataset',
      summary: 'Describe a data set',
      description: 'Its files with sizes and digests, and ten rows of each table. Needs no key.',
    },
    {
      tag: 'datasets',
      parameters: {},
      pathParameters: Type.Object({ name }),
      answer: {
        description: 'The data set.',
        content: {
          'application/json': {
            schema: { $ref: 'Dataset#' },
            examples: { solar: { value: EXAMPLE_DATASET } },
          },
        },
        headers: {},
      },
    },
  );
}

function describeDatasetFile(): Omit<EndpointDescription, 'parameters'> {
  return {
    tag: 'datasets',
    pathParameters: Type.Object({
      name,
      file: Type.String({ description: 'One of its files.', examples: ['solar-comments.parquet'] }),
    }),
    furtherStatuses: [410, 416],
    furtherAnswers: { 206: { description: 'The part of the file that `Range` asks for.', content: BYTES } },
    operations: {
      get: {
        operationId: 'dataset_file',
        summary: 'Download a file of a data set',
        description: [
          'The file, or with `Range: bytes=<first>-<last>` one part of it; several ranges are answered whole. `ETag` is',
          'the SHA-256 of the file in hex, for `If-Range` and `If-None-Match`. If the data set is withdrawn while the file',
          'is sent, the connection breaks before `Content-Length` bytes have come.',
        ].join(' '),
      },
      head: {
        operationId: 'head_dataset_file',
        summary: 'Headers of a file of a data set',
        description: 'Status and headers of the same GET, without its body.',
      },
    },
    answer: { description: 'The file.', content: BYTES, headers: FILE_HEADERS },
  };
}
