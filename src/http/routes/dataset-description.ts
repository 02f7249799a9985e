// What the OpenAPI document says of data sets.

import { DATASET_NAME } from '../../model/dataset.ts';
import { EXAMPLE_DATASET, EXAMPLE_DATASETS } from '../dataset-examples.ts';
import { FILE_HEADERS } from '../file-answer.ts';
import { Type } from '../json-schema.ts';
import { type EndpointDescription, openRouteSchema } from '../openapi.ts';

const name = Type.String({ pattern: DATASET_NAME.source, description: 'The data set.', examples: ['solar'] });

const BYTES = {
  'application/octet-stream': {
    schema: { type: 'string', format: 'binary', description: 'The bytes of the file.' },
  },
};

export function describeDatasets(): ReturnType<typeof openRouteSchema> {
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

export function describeDataset(): ReturnType<typeof openRouteSchema> {
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

export function describeDatasetFile(): Omit<EndpointDescription, 'parameters'> {
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
