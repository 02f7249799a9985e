// The two search endpoints: posts and comments. Contract 1.2.

import type { FastifyInstance } from 'fastify';
import { MAX_PAGE_BYTES } from '../../model/pages.ts';
import { KINDS, type Kind, MAX_TEXT_BYTES } from '../../model/record.ts';
import { sinceOf } from '../../search/question-options.ts';
import type { SearchResult, SearchService } from '../../search/search-service.ts';
import { endpointAddress, SEARCH_PATHS } from '../addresses/api.ts';
import { ARRIVAL_HEADER, arrivalHeader, droppedHeader } from '../answers/headers.ts';
import { jsonPieces, printedPieces } from '../answers/json-pieces.ts';
import { EXAMPLES } from '../operations/examples.ts';
import type { EndpointDescription } from '../operations/openapi.ts';
import { SEARCH_PARAMETERS, type SearchParameters, type SearchTable } from '../operations/search.ts';
import { addKeyedRoute, type KeyedEndpoint, type KeyedRouteDeps } from './keyed-route.ts';

interface SearchRouteDeps extends KeyedRouteDeps {
  readonly search: SearchService;
}

export function addSearchRoutes(server: FastifyInstance, { search, ...deps }: SearchRouteDeps): void {
  for (const kind of KINDS) addKeyedRoute(server, deps, searchEndpoint(kind, search));
}

function searchEndpoint(kind: Kind, search: SearchService): KeyedEndpoint<SearchTable> {
  return {
    ...describe(kind),
    path: SEARCH_PATHS[kind],
    parameters: SEARCH_PARAMETERS[kind],
    mostBytes: ({ limit }) => Math.min(MAX_PAGE_BYTES, limit * MAX_TEXT_BYTES),
    async handler(values, { ownAddress, signal }) {
      const { order_by: order, ...rest } = values;
      const result = await search.search({ kind, order, mayPrint: true, ...rest }, signal);
      const { envelope, printed } = result;
      const body = await (printed === null ? jsonPieces(envelope) : printedPieces(envelope, printed));
      return { body, headers: headersOf(result, values, ownAddress) };
    },
  };
}

const ENVELOPES: Readonly<Record<Kind, string>> = { post: 'PostsEnvelope', comment: 'CommentsEnvelope' };

function describe(kind: Kind): Omit<EndpointDescription, 'parameters'> {
  const operationId = `search_${kind}s`;
  return {
    operations: {
      get: {
        operationId,
        summary: `Search ${kind}s`,
        description: `Matching ${kind}s in the order asked for, with the exact number of all matches.`,
      },
      head: {
        operationId: `head_${kind}s`,
        summary: `Headers of a search of ${kind}s`,
        description: 'Status and headers of the same GET, without its body.',
      },
    },
    tag: 'search',
    isTool: true,
    answer: {
      description: 'The records of one page.',
      content: {
        'application/json': {
          schema: { $ref: `${ENVELOPES[kind]}#` },
          examples: { page: { value: EXAMPLES[kind] } },
        },
      },
      headers: PAGE_HEADERS,
    },
    links: {
      200: {
        next: {
          operationId,
          description: 'The next page: the header `Link` holds its whole address, where there is one.',
          parameters: {
            query: '$response.body#/query',
            after: '$response.body#/sort_key/0/0',
            order_by: '$request.query.order_by',
            limit: '$request.query.limit',
            fields: '$request.query.fields',
            since: '$request.query.since',
            ...(kind === 'comment' ? { under: '$response.body#/under' } : {}),
          },
        },
      },
    },
  };
}

const PAGE_HEADERS = {
  ...ARRIVAL_HEADER,
  Link: '`<address>; rel="next"`: the next page; only where there is one.',
  'Colloquy-Page': '`short` where the page ended before `limit` for its bytes; else absent.',
  'Colloquy-Dropped': [
    'What was written and is not searched for, as a list of display strings (RFC 9651): words whose signs',
    'were dropped (`C++` finds `C`), items without a word (`&`). At most 20; only where something was.',
  ].join(' '),
  'Colloquy-Implied': 'The `after:` that was added to the query; only where one was.',
} as const;

/** The headers of a page. */
function headersOf(
  { envelope, implied, dropped, arrival, hasMore, isShort }: SearchResult,
  { order_by, limit, fields, since }: SearchParameters,
  ownAddress: string,
): Partial<Record<keyof typeof PAGE_HEADERS, string>> {
  const told = droppedHeader(dropped);
  // The echo instead of the query as written, because its window is the same on every page.
  const next = () =>
    endpointAddress(envelope.type, {
      query: envelope.query,
      order_by,
      limit,
      ...(fields === null ? {} : { fields }),
      ...(envelope.under === undefined ? {} : { under: envelope.under }),
      ...sinceOf({ since }),
      after: envelope.sort_key[0]![0]!,
    });
  return {
    ...arrivalHeader(arrival),
    ...(implied === null ? {} : { 'Colloquy-Implied': implied }),
    ...(told === null ? {} : { 'Colloquy-Dropped': told }),
    ...(isShort ? { 'Colloquy-Page': 'short' } : {}),
    ...(hasMore ? { Link: `<${ownAddress}${next()}>; rel="next"` } : {}),
  };
}
