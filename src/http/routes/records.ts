// The two endpoints that give records by their ids. Contract 5.12.

import type { FastifyInstance } from 'fastify';
import { KINDS, type Kind } from '../../model/record.ts';
import type { SearchService } from '../../search/search-service.ts';
import { NAMED_PATHS } from '../addresses/api.ts';
import { expectedBytes } from '../answers/bytes-under-way.ts';
import { jsonPieces } from '../answers/json-pieces.ts';
import { RECORDS_EXAMPLE } from '../operations/examples.ts';
import type { EndpointDescription } from '../operations/openapi.ts';
import { RECORDS_PARAMETERS, type RecordsTable } from '../operations/search.ts';
import { addKeyedRoute, type KeyedEndpoint, type KeyedRouteDeps } from './keyed-route.ts';

interface RecordsRouteDeps extends KeyedRouteDeps {
  readonly search: SearchService;
}

export function addRecordsRoutes(server: FastifyInstance, { search, ...deps }: RecordsRouteDeps): void {
  for (const kind of KINDS) addKeyedRoute(server, deps, recordsEndpoint(kind, search));
}

function recordsEndpoint(kind: Kind, search: SearchService): KeyedEndpoint<RecordsTable> {
  return {
    ...describe(kind),
    path: NAMED_PATHS[kind],
    parameters: RECORDS_PARAMETERS[kind],
    mostBytes: ({ ids }) => expectedBytes(ids.split(',').length),
    async handler({ ids, fields }, { signal }) {
      const answer = await search.records({ kind, ids, fields }, signal);
      return { body: await jsonPieces(answer), headers: {} };
    },
  };
}

const ANSWERS: Readonly<Record<Kind, string>> = { post: 'PostRecords', comment: 'CommentRecords' };

function describe(kind: Kind): Omit<EndpointDescription, 'parameters'> {
  return {
    tag: 'search',
    operations: {
      get: {
        operationId: `${kind}_records`,
        summary: `${kind === 'post' ? 'Posts' : 'Comments'} by their ids`,
        description: `The ${kind}s with these ids in the order asked, each once, and which of the ids are not here.`,
      },
      head: {
        operationId: `head_${kind}_records`,
        summary: `Headers of ${kind}s by their ids`,
        description: 'Status and headers of the same GET, without its body.',
      },
    },
    answer: {
      description: 'The records that are here.',
      content: {
        'application/json': {
          schema: { $ref: `${ANSWERS[kind]}#` },
          examples: { records: { value: RECORDS_EXAMPLE[kind] } },
        },
      },
      headers: {},
    },
  };
}
