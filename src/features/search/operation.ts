// The two endpoints of the interface, `/api/v1/search/posts` and `…/comments`, and `colloquy search`. Contract 1.2, 4.1
// to 4.3 and 5.12.

import { linesOfRecords, matchWords } from '../../cli/listing.ts';
import { endpointAddress } from '../../http/addresses.ts';
import { MAX_PAGE_BYTES } from '../../model/pages.ts';
import { KINDS, type Kind, MAX_TEXT_BYTES } from '../../model/record.ts';
import { type Operation, operation } from '../../operation/operation.ts';
import { type Parameter, type ParameterValues, Type, wholeNumber } from '../../operation/parameters.ts';
import { chosenRecords, cursor, fieldsOf, orderBy, query, since, underOf } from '../../operation/shared.ts';
import { readFields } from '../../search/presenter.ts';
import { DEFAULT_LIMIT, type Envelope, MAX_LIMIT, type SearchResult } from '../../search/search-service.ts';

const after = cursor(
  'The number in the last answer’s `sort_key`, for the next page. If empty or absent, the first page.',
  1609459200000,
  {
    values: 'the number in `sort_key` of the previous page; `[[n]]` also works',
    default: 'the first page',
  },
);

const limit: Parameter<number> = wholeNumber({
  from: 0,
  to: MAX_LIMIT,
  standard: DEFAULT_LIMIT,
  unit: 'records; 0 for counts only',
  description: 'Number of records on a page; 0 for counts only.',
  examples: [25],
});

function parametersOf(kind: Kind) {
  return { query, after, order_by: orderBy, limit, fields: fieldsOf(kind), since, ...underOf(kind) };
}

const underAsked = Type.String(
  'The query for posts as understood, in canonical form; only if `under` was given.',
);

function envelopeOf(kind: Kind) {
  return Type.Object(
    {
      type: Type.Literal(kind),
      total_count: Type.Count('Number of all matching records, not only those on this page.'),
      data: chosenRecords(
        kind,
        'At most `limit` records; a few more if the page would otherwise end inside a tie, ' +
          'fewer if they are large (`Colloquy-Page: short`).',
      ),
      query: Type.String(
        'The query as understood, in canonical form, including an implied `after:` if one was added.',
      ),
      ...(kind === 'comment' ? { under: Type.Optional(underAsked) } : {}),
      sort_key: Type.Array(
        Type.Array(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }), {
          minItems: 1,
          maxItems: 1,
        }),
        {
          maxItems: 1,
          description:
            '`[[n]]`: send n as `after` to get the next page. `[]` on a page without records. ' +
            'The header `Link` has the full address of the next page.',
        },
      ),
    },
    { $id: kind === 'post' ? 'PostsEnvelope' : 'CommentsEnvelope' },
  );
}

const HEADERS = {
  Link: '`<address>; rel="next"`: the next page; only where there is one.',
  'Colloquy-Page': '`short` where the page ended before `limit` for its bytes; else absent.',
  'Colloquy-Implied': 'The `after:` that was added to the query; only where one was.',
} as const;

function searchOf(kind: Kind): Operation {
  const operationId = `search_${kind}s`;
  return operation({
    ...{ name: 'search', kind, operationId, tag: 'search', isTool: true, hasNoFormat: true },
    summary: 'Search {kind}s',
    description: 'Matching {kind}s in the order asked for, with the exact number of all matches.',
    parameters: parametersOf(kind),
    mostBytes: ({ limit: most }) => Math.min(MAX_PAGE_BYTES, most * MAX_TEXT_BYTES),
    schema: envelopeOf(kind),
    answerWords: 'The records of one page.',
    example: { limit: '1' },
    headers: HEADERS,
    links: {
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
          ...(kind === 'comment' && { under: '$response.body#/under' }),
        },
      },
    },
    async run({ search }, values, { ownAddress, mayPrint = false, signal }) {
      const { order_by: order, ...rest } = values;
      const found = await search.search({ kind, order, mayPrint, ...rest }, signal);
      const { envelope: answer, printed, implied, dropped, arrival } = found;
      const headers = headersOf(found, values, ownAddress ?? '');
      const next = found.hasMore ? answer.sort_key[0]![0]! : null;
      return { answer, printed, implied, dropped, arrival, headers, next };
    },
    records: ({ data }, { fields }) => ({ kind, rows: data, fields: readFields(fields, kind) }),
    command: {
      standard: { limit: '10' },
      examples: [
        'search comments "the inverter" /r/solarpower score:5',
        'search posts --order top --json -- -cat site:example.org',
      ],
      print: asText,
    },
  });
}

function headersOf(
  result: SearchResult,
  values: ParameterValues<ReturnType<typeof parametersOf>>,
  ownAddress: string,
) {
  const { envelope, hasMore, isShort } = result;
  const { order_by, limit: most, fields, since: behind } = values;
  // The echo, not the query as written: its window is the same on every page.
  const next = () =>
    endpointAddress(envelope.type, {
      ...{ query: envelope.query, order_by, limit: most, fields, under: envelope.under },
      ...{ since: behind || null, after: envelope.sort_key[0]![0]! },
    });
  return {
    ...(isShort ? { 'Colloquy-Page': 'short' } : {}),
    ...(hasMore ? { Link: `<${ownAddress}${next()}>; rel="next"` } : {}),
  };
}

function asText({ type, total_count: found, query: asked, under: below, data }: Envelope): string {
  // With all fields: only `--format` allows a choice.
  return `${matchWords(`${type}s`, found, asked, below)}\n` + linesOfRecords(data);
}

export const operations: readonly Operation[] = KINDS.map(searchOf);
