// A problem of each code, for the OpenAPI document.

import { type Position, PROBLEMS, type ProblemCode, ServiceError } from '../../errors.ts';
import { MAX_NAMED_BYTES } from '../../model/engine.ts';
import { EngineLimit } from '../../model/engine-errors.ts';
import { interpretQuery } from '../../search/language/interpret.ts';
import { readUnder } from '../../search/options.ts';
import { FIELD_NAMES } from '../../search/presenter.ts';
import { type Problem, problemOf } from '../answers/problems.ts';

const REQUEST_ID = '0fd045ec-b9a4-4033-9b3b-6e66b49041ab';

/** All codes except those of other parts of the service. */
type EndpointCode = Exclude<ProblemCode, 'forbidden'>;

type ProblemDetail = readonly [detail: string, position?: Position];

/** A query for each code that the interpreter gives; the example is its message for that query. */
const REFUSED_QUERIES = {
  nothing_to_search: '!!!',
  bad_prefix: 'c*',
  bad_date: 'cats,after:2021-13-40',
  bad_score: 'cats,score:abc',
  bad_community: '/r/',
  bad_site: 'site:',
  bad_post: 'post:t1_abc',
  bad_id: 'id:t5_2qh1o',
  open_quote: '"two cats',
  double_negation: '--cats',
  cannot_negate: '-score:5',
  reserved_operator: 'author:ann',
  query_too_long: 'cats '.repeat(420),
  too_many_items: 'cats '.repeat(65),
  phrase_too_long: `"${'cats '.repeat(65)}"`,
} satisfies Partial<Record<EndpointCode, string>>;

/** The same for a code that only a query in `under` gets. */
const REFUSED_UNDER = { open_window: 'cats,before:2021-01-01' } satisfies Partial<
  Record<EndpointCode, string>
>;

/** The message for every other code that the endpoints give. */
const DETAILS: Readonly<
  Record<Exclude<EndpointCode, keyof typeof REFUSED_QUERIES | keyof typeof REFUSED_UNDER>, ProblemDetail>
> = {
  prefix_too_broad: [
    new EngineLimit({ limit: 'prefix_tokens', word: { kind: 'prefix', prefix: 'ab', typed: 'ab' } }).message,
    { offset: 0, length: 3 },
  ],
  missing_query: ['parameter `query`: expected a query (empty for every record), found none'],
  unknown_parameter: ['expected `query`, `after`, `order_by`, `limit`, `fields`, found parameter `orderby`'],
  repeated_parameter: ['parameter `query`: expected it once, found it again'],
  bad_encoding: ['parameter `query`: expected UTF-8 in percent-encoding, found bytes that are no UTF-8'],
  bad_limit: ['parameter `limit`: expected a whole number from 0 to 1000, found `1001`'],
  bad_order: ['parameter `order_by`: expected `newest`, `oldest` or `top`, found `best`'],
  bad_cursor: ['parameter `after`: expected the number of a `sort_key`, found `5.337e+15`'],
  cursor_of_other_order: [
    'parameter `after`: expected a cursor of `order_by=top`, found one of another order',
  ],
  bad_fields: [
    `parameter \`fields\`: expected fields of a post (${FIELD_NAMES.post.map((name) => `\`${name}\``).join(', ')}), ` +
      'found `author`',
  ],
  bad_ids: ['parameter `ids`: expected ids or permalinks of records, separated by commas, found `???`'],
  too_many_ids: ['parameter `ids`: expected at most 1,000 different ids, found 1,204'],
  records_too_large: [new EngineLimit({ limit: 'named_bytes', maxBytes: MAX_NAMED_BYTES }).message],
  bad_shape: ['parameter `shape`: expected `flat` or `tree`, found `list`'],
  thread_too_large: [
    'expected at most 10,000 comments for a tree, found 12,345; ask for the pages of `shape=flat`',
  ],
  too_many_posts: [new EngineLimit({ limit: 'posts_under', posts: 250_000 }).message],
  dataset_withdrawn: [
    'data set `solar`: records of it were removed, so its files are withdrawn; it is being rebuilt',
  ],
  range_not_satisfiable: [
    'header `Range`: expected a part of the 1,234,567 bytes of the file, found none of it',
  ],
  too_many_rows: ['`csv-excel`: expected at most 1,048,575 records, found 2,000,000'],
  bad_format: ['parameter `format`: expected `ndjson`, `csv`, `csv-excel` or `parquet`, found `xlsx`'],
  bad_value: [
    'parameter `step`: expected `auto`, `hour`, `day`, `week`, `month`, `quarter` or `year`, found `days`',
  ],
  too_many_queries: ['parameter `query`: expected at most 8 queries, found 9'],
  too_many_buckets: [new EngineLimit({ limit: 'timeline_buckets', step: 'week' }).message],
  too_many_cells: [new EngineLimit({ limit: 'breakdown_cells' }).message],
  too_many_matches: [new EngineLimit({ limit: 'copied_records', records: 3_000_000 }).message],
  sample_too_large: [new EngineLimit({ limit: 'sample_groups' }).message],
  malformed_request: ['header `Host`: expected it once, found it 2 times'],
  missing_key: ['expected the header `Authorization: Bearer <API key>`, found no key'],
  invalid_key: ['header `Authorization`: expected a known API key, found a different one'],
  not_found: ['expected a path of this service, found `/api/v1/search/users`'],
  method_not_allowed: ['method: expected GET, HEAD, OPTIONS, found `POST`'],
  request_timeout: ['expected the whole request in time, found a part of it'],
  body_too_large: ['body: expected none, or at most 65536 bytes, found 70000'],
  uri_too_long: ['address: expected at most 65536 bytes, found 70000'],
  misdirected_request: ['header `Host`: expected a name that this server answers to, found `search.example`'],
  too_many_requests: ['expected fewer requests with this key, found one too many; try again in 2 s'],
  too_many_exports: [
    'expected at most 2 exports of an account at once, found one more; try again when one has ended',
  ],
  headers_too_large: ['headers: expected at most 98304 bytes with the address, found more'],
  internal_error: ['quote `request_id` when you report this'],
  index_damaged: ['expected an index that can be read, found that of posts damaged'],
  storage_unavailable: ['expected free space on the disk of this server, found none'],
  engine_unavailable: ['the search engine cannot be reached at the moment'],
  not_on_this_engine: [new EngineLimit({ limit: 'not_here', what: 'sums of sentiment' }).message],
  query_timeout: ['the query took longer than 2000 ms'],
  busy: ['expected a server with room, found a busy one'],
};

type ExampleProblems = Readonly<Record<string, { readonly value: Problem }>>;

/** By status: every endpoint of every server shows the same ones. */
const made = new Map<number, ExampleProblems>();

/** A problem of each code, by status, in the order of errors.ts. */
export function exampleProblems(status: number): ExampleProblems {
  const known = made.get(status) ?? makeProblems(status);
  made.set(status, known);
  return known;
}

function makeProblems(status: number): ExampleProblems {
  const codes = (Object.keys(PROBLEMS) as ProblemCode[]).filter(
    (code): code is EndpointCode => isOfEndpoints(code) && PROBLEMS[code].status === status,
  );
  return Object.fromEntries(
    codes.map((code) => [
      code,
      { summary: PROBLEMS[code].title, value: problemOf(example(code), REQUEST_ID) },
    ]),
  );
}

function isOfEndpoints(code: ProblemCode): code is EndpointCode {
  return code in DETAILS || code in REFUSED_QUERIES || code in REFUSED_UNDER;
}

function example(code: EndpointCode): ServiceError {
  if (code in REFUSED_QUERIES) {
    const query = REFUSED_QUERIES[code as keyof typeof REFUSED_QUERIES];
    return refusalOf(query, () => interpretQuery(query, { impliedWindow: '1d' }));
  }
  if (code in REFUSED_UNDER) {
    const query = REFUSED_UNDER[code as keyof typeof REFUSED_UNDER];
    return refusalOf(query, () => readUnder(query));
  }
  const [detail, position] = DETAILS[code as keyof typeof DETAILS];
  return new ServiceError(code, detail, position === undefined ? {} : { position });
}

function refusalOf(query: string, read: () => unknown): ServiceError {
  try {
    read();
  } catch (error) {
    if (error instanceof ServiceError) return error;
    throw error;
  }
  throw new Error(`expected a query that is refused, found \`${query}\``);
}
