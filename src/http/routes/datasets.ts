// Data sets: which there are and what is in them, for everybody; their files, for keys.

import type { FastifyInstance } from 'fastify';
import type { DatasetReader } from '../../datasets/shelf.ts';
import { DATASET_PATH, DATASETS_PATH } from '../addresses/api.ts';
import { addKeyedRoute, type KeyedRouteDeps } from '../keyed-route.ts';
import { readParameters } from '../parameters.ts';
import { addReadRoute } from '../read-route.ts';
import { sendRepresentation } from '../representation.ts';
import { datasetAnswer, datasetList } from './dataset-answers.ts';
import { describeDataset, describeDatasetFile, describeDatasets } from './dataset-description.ts';

export interface DatasetRouteDeps extends KeyedRouteDeps {
  readonly datasets: DatasetReader;
}

export function addDatasetRoutes(server: FastifyInstance, { datasets, ...deps }: DatasetRouteDeps): void {
  const open = [
    {
      path: DATASETS_PATH,
      schema: describeDatasets(),
      answer: (_: string, address: string) => datasetList(datasets.list(), address),
    },
    {
      path: DATASET_PATH,
      schema: describeDataset(),
      answer: (name: string, address: string) => datasetAnswer(datasets.get(name), address),
    },
  ];
  for (const { path, schema, answer } of open) {
    addReadRoute(server, {
      path,
      schema,
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
