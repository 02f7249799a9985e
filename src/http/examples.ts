// Example answers for the OpenAPI document; a test holds them against the schemas. The records are invented.

import { ServiceError } from '../errors.ts';
import type { Envelope } from '../search/search-service.ts';
import { type Problem, problemOf } from './problems.ts';

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

const errors = [
  new ServiceError('bad_score', 'expected a score such as `score:5`, found `score:abc`', {
    position: { offset: 5, length: 9 },
  }),
  new ServiceError('missing_key', 'expected the header `Authorization: Bearer <API key>`, found no key'),
  new ServiceError('not_found', 'expected a path of this service, found `/api/v1/search/users`'),
  new ServiceError('method_not_allowed', 'method: expected GET, HEAD, OPTIONS, found `POST`'),
  new ServiceError('request_timeout', 'expected the whole request in time, found a part of it'),
  new ServiceError('body_too_large', 'body: expected none, or at most 65536 bytes, found 70000'),
  new ServiceError('uri_too_long', 'address: expected at most 40960 bytes, found 50000'),
  new ServiceError('too_many_requests', 'expected no more requests of this key, found one more'),
  new ServiceError('headers_too_large', 'headers: expected at most 65536 bytes, found more'),
  new ServiceError('internal_error', ''),
  new ServiceError('query_timeout', 'the query took longer than 2000 ms'),
];

/** One problem of each status that the endpoints give. */
export const EXAMPLE_PROBLEMS: Readonly<Record<number, Problem>> = Object.fromEntries(
  errors.map((error) => [error.status, problemOf(error, '0fd045ec-b9a4-4033-9b3b-6e66b49041ab')]),
);
