// A citation by its id.

import type { FastifyInstance } from 'fastify';
import { citationJson } from '../../citing/citation-json.ts';
import { CITATION_ID } from '../../citing/cited-answer.ts';
import type { CitingService } from '../../citing/citing-service.ts';
import { Type } from '../../operation/json-schema.ts';
import { CITATION_PATH } from '../addresses/api.ts';
import { EXAMPLE_CITATION } from '../operations/citations.ts';
import { addKeyedRoute, type KeyedRouteDeps } from './keyed-route.ts';

interface CitationRouteDeps extends KeyedRouteDeps {
  readonly citing: CitingService;
}

export function addCitationRoute(server: FastifyInstance, { citing, ...deps }: CitationRouteDeps): void {
  addKeyedRoute(server, deps, {
    tag: 'analysis',
    path: CITATION_PATH,
    parameters: {},
    pathParameters: Type.Object({
      id: Type.String({
        pattern: CITATION_ID.source,
        description: 'The citation.',
        examples: [EXAMPLE_CITATION.id],
      }),
    }),
    needsNoTurn: true,
    operations: {
      get: {
        operationId: 'citation',
        summary: 'What was cited',
        description: [
          'What a query found when it was cited: how many records in each month, with a fingerprint of them, and what they',
          'came from. The command `cite --verify` holds it against another index.',
        ].join(' '),
      },
      head: {
        operationId: 'head_citation',
        summary: 'Headers of what was cited',
        description: 'Status and headers of the same GET, without its body.',
      },
    },
    answer: {
      description: 'The citation.',
      content: {
        'application/json': {
          schema: { $ref: 'Citation#' },
          examples: { citation: { value: EXAMPLE_CITATION } },
        },
      },
      headers: {},
    },
    handler: async (_, { pathParts: { id = '' } }) => ({
      body: JSON.stringify(citationJson(citing.find(id))),
      headers: {},
    }),
  });
}
