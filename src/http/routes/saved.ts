// The saved searches of the account that a key belongs to. Contract 21.2.

import type { FastifyInstance } from 'fastify';
import type { SavedSearch, SavedSearches } from '../../accounts/saved-searches.ts';
import { ServiceError } from '../../errors.ts';
import { KIND_NAMES } from '../../model/record.ts';
import { Type } from '../../operation/json-schema.ts';
import { quoted } from '../../text/quoted.ts';
import { endpointAddress, SAVED_PATH } from '../addresses/api.ts';
import type { EndpointDescription } from '../operations/openapi.ts';
import { addKeyedRoute, type EndpointRequest, type KeyedRouteDeps } from './keyed-route.ts';

interface SavedRouteDeps extends KeyedRouteDeps {
  readonly saved: SavedSearches;
}

export function addSavedRoutes(server: FastifyInstance, { saved, ...deps }: SavedRouteDeps): void {
  addKeyedRoute(server, deps, {
    ...LIST,
    path: SAVED_PATH,
    parameters: {},
    needsNoTurn: true,
    async handler(_, { accountId, ownAddress }) {
      const list = saved.list(Number(accountId)).map((one) => presented(one, ownAddress));
      const answer = { type: 'saved', kind: null, query: null, index: null, saved: list };
      return { body: JSON.stringify(answer), headers: {} };
    },
  });
  addKeyedRoute(server, deps, {
    ...ONE,
    path: `${SAVED_PATH}/:id`,
    parameters: {},
    needsNoTurn: true,
    async handler(_, request) {
      return { body: JSON.stringify(presented(expectOwn(saved, request), request.ownAddress)), headers: {} };
    },
  });
}

/** Throws `not_found`: of others it is not told whether there are any. */
function expectOwn(
  saved: SavedSearches,
  { accountId, pathParts: { id = '' } }: EndpointRequest,
): SavedSearch {
  const found = /^[1-9]\d{0,14}$/.test(id) ? saved.of(Number(accountId), Number(id)) : null;
  if (found !== null) return found;
  throw new ServiceError(
    'not_found',
    `expected the id of a saved search of this account, found ${quoted(id)}`,
  );
}

function presented({ id, name, kind, query, order, created, seen, feed }: SavedSearch, ownAddress: string) {
  const address = endpointAddress(kind, { query, ...(order === 'newest' ? {} : { order_by: order }) });
  return {
    ...{ type: 'saved_search', id, name, kind: KIND_NAMES[kind], query, order_by: order },
    ...{ created, seen, feed, search: `${ownAddress}${address}` },
  } as const;
}

const EXAMPLE = presented(
  {
    ...{ id: 3, name: 'inverters', kind: 'comment', query: 'the inverter,/r/solarpower', order: 'newest' },
    ...{ created: 1_800_000_000, changed: 1_800_000_000, seen: 4711 },
    feed: { made: 1_800_000_060, older: 'one' },
  },
  'https://search.example.org',
);

const LIST = described(
  'saved',
  'The saved searches of the account',
  'Those that the owner of the key has saved, on the page or on the command line. What each finds is asked of its `search`.',
  {
    schema: { $ref: 'SavedList#' },
    examples: {
      saved: { value: { type: 'saved', kind: null, query: null, index: null, saved: [EXAMPLE] } },
    },
  },
);

const ONE = {
  ...described('saved_search', 'One saved search', 'A 404 where the account has none with this id.', {
    schema: { $ref: 'SavedSearch#' },
    examples: { saved_search: { value: EXAMPLE } },
  }),
  pathParameters: Type.Object({
    id: Type.String({ pattern: '^[1-9]\\d{0,14}$', description: 'Its number.', examples: ['3'] }),
  }),
};

function described(
  operationId: string,
  summary: string,
  description: string,
  json: EndpointDescription['answer']['content'][string],
): Omit<EndpointDescription, 'parameters'> {
  return {
    tag: 'search',
    operations: {
      get: { operationId, summary, description },
      head: {
        operationId: `head_${operationId}`,
        summary: `Headers of ${summary.charAt(0).toLowerCase()}${summary.slice(1)}`,
        description: 'Status and headers of the same GET, without its body.',
      },
    },
    answer: { description: `${summary}.`, content: { 'application/json': json }, headers: {} },
  };
}
