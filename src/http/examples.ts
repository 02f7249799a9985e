// Example answers for the OpenAPI document; a test holds them against the schemas. The records are invented.

import { type Position, PROBLEMS, type ProblemCode, ServiceError } from '../errors.ts';
import type { Envelope } from '../search/search-service.ts';
import { type Problem, problemOf } from './problems.ts';

/** All but those of other parts of the service. */
type EndpointCode = Exclude<ProblemCode, 'before_without_after' | 'forbidden'>;

export const EXAMPLES: { readonly post: Envelope; readonly comment: Envelope } = {
  post: {
    type: 'post',
    total_count: 1234,
    data: [
      {
        type: 'post',
        id: 'kofq2a',
        subreddit: { id: '2qh1o', name: 'aww', nsfw: false },
        created_utc: 1609545600,
        permalink: 'https://www.reddit.com/r/aww/comments/kofq2a/two_cats_and_a_box/',
        domain: 'i.redd.it',
        title: 'Two cats and a box',
        selftext: '',
        url: 'https://i.redd.it/example.jpg',
        score: 321,
      },
    ],
    query: 'cats,/r/aww,after:2021-01-01',
    sort_key: [[1609545600000]],
  },
  comment: {
    type: 'comment',
    total_count: 5678,
    data: [
      {
        type: 'comment',
        id: 'ghq1b2c',
        subreddit: { id: '2qh1o', name: 'aww', nsfw: false },
        created_utc: 1609545777,
        permalink: 'https://www.reddit.com/r/aww/comments/kofq2a/_/ghq1b2c/',
        body: 'What lovely cats!',
        sentiment: 0.6239,
        score: 7,
      },
    ],
    query: 'cats,/r/aww,after:2021-01-01',
    sort_key: [[1609545777000]],
  },
};

type Told = readonly [detail: string, position?: Position];

/** What is told with each code that the endpoints give. */
const DETAILS: Readonly<Record<EndpointCode, Told>> = {
  nothing_to_search: ['expected a word or an operator, found `!!!`', { offset: 0, length: 3 }],
  bad_prefix: ['expected one word of at least 2 characters before `*`, found `c*`', { offset: 0, length: 2 }],
  bad_date: ['expected a day from 1970-01-01 to 9999-12-31, found `2021-13-40`', { offset: 5, length: 17 }],
  bad_score: ['expected a score such as `score:5`, found `score:abc`', { offset: 5, length: 9 }],
  bad_community: ['expected the name of a community, found `/r/`', { offset: 0, length: 3 }],
  bad_site: ['expected a domain, found `site:`', { offset: 0, length: 5 }],
  bad_post: ['expected the id of a post, found `post:t1_abc`', { offset: 0, length: 11 }],
  open_quote: ['expected a closing quote, found the end of the query', { offset: 0, length: 9 }],
  double_negation: ['expected one minus, found `--cats`', { offset: 0, length: 6 }],
  cannot_negate: ['expected `score:..4`, found `-score:5`', { offset: 0, length: 8 }],
  reserved_operator: ['expected no `author:`, found `author:ann`', { offset: 0, length: 10 }],
  query_too_long: ['expected at most 2048 characters, found 2100', { offset: 0, length: 2100 }],
  too_many_items: ['expected at most 64 items, found 65', { offset: 0, length: 190 }],
  phrase_too_long: ['expected at most 64 words in a phrase, found 65', { offset: 0, length: 260 }],
  prefix_too_broad: ['expected at most 100000 words behind `ab*`, found more', { offset: 0, length: 3 }],
  missing_query: ['parameter `query`: expected a query (empty for every record), found none'],
  unknown_parameter: ['expected `query`, `after`, `order_by`, `limit`, found parameter `orderby`'],
  repeated_parameter: ['parameter `query`: expected it once, found it again'],
  bad_encoding: ['parameter `query`: expected UTF-8 in percent-encoding, found bytes that are no UTF-8'],
  bad_limit: ['parameter `limit`: expected a whole number from 0 to 1000, found `1001`'],
  bad_order: ['parameter `order_by`: expected `newest`, `oldest` or `top`, found `best`'],
  bad_cursor: ['parameter `after`: expected the number of a `sort_key`, found `5.337e+15`'],
  cursor_of_other_order: [
    'parameter `after`: expected a cursor of `order_by=top`, found one of another order',
  ],
  malformed_request: ['header `Host`: expected it once, found it 2 times'],
  missing_key: ['expected the header `Authorization: Bearer <API key>`, found no key'],
  invalid_key: ['header `Authorization`: expected an API key that is known, found another'],
  not_found: ['expected a path of this service, found `/api/v1/search/users`'],
  method_not_allowed: ['method: expected GET, HEAD, OPTIONS, found `POST`'],
  request_timeout: ['expected the whole request in time, found a part of it'],
  body_too_large: ['body: expected none, or at most 65536 bytes, found 70000'],
  uri_too_long: ['address: expected at most 65536 bytes, found 70000'],
  too_many_requests: ['expected no more requests of this key, found one more; try again in 2 s'],
  headers_too_large: ['headers: expected at most 98304 bytes with the address, found more'],
  internal_error: ['quote `request_id` when you report this'],
  query_timeout: ['the query took longer than 2000 ms'],
  busy: ['expected a server with room, found a busy one'],
};

/** A problem of each code, by status, in the order of errors.ts. */
export function exampleProblems(status: number): Readonly<Record<string, { readonly value: Problem }>> {
  const codes = (Object.keys(DETAILS) as EndpointCode[]).filter((code) => PROBLEMS[code].status === status);
  return Object.fromEntries(
    codes.map((code) => [code, { summary: PROBLEMS[code].title, value: problem(code) }]),
  );
}

function problem(code: EndpointCode): Problem {
  const [detail, position] = DETAILS[code];
  const error = new ServiceError(code, detail, position === undefined ? {} : { position });
  return problemOf(error, '0fd045ec-b9a4-4033-9b3b-6e66b49041ab');
}
