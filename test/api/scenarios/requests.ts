// Paths, methods, keys and limits: what comes before a query is looked at.

import { answered, COMMENTS_PATH, POSTS_PATH, refused, type Scenario } from './scenario.ts';

export const endpoints: readonly Scenario[] = [
  answered('posts', 'query=cats', { total: 2, ids: ['video1', 'cats1'] }),
  answered('comments', 'query=cats', { total: 1, ids: ['c1'], path: COMMENTS_PATH }),
  answered('a trailing slash is accepted', 'query=cats', { path: `${POSTS_PATH}/` }),
  answered('a path in escapes is the same path', 'query=cats', { path: '/api/v1/search/%70osts' }),
  answered('JSON whatever Accept says', 'query=cats', {
    headers: { accept: 'text/html' },
    sends: { 'content-type': /^application\/json/ },
  }),
  refused('another path is 404, before the key', null, 'not_found', {
    path: '/api/v1/search/users',
    key: null,
  }),
  ...['/api/search/', '/api/v2/search/', '/v1/search/'].flatMap((path) =>
    ['posts', 'comments'].map((kind) => {
      const rule = 'both endpoints live under /api/v1/ alone';
      return { rule, path: path + kind, query: 'query=', status: 404 };
    }),
  ),
  refused('a path in another case is 404', null, 'not_found', { path: '/api/v1/search/Posts' }),
  refused('two trailing slashes are 404', null, 'not_found', { path: `${POSTS_PATH}//` }),
  refused('404 is a problem whatever Accept says', null, 'not_found', {
    path: '/api/nope',
    headers: { accept: 'text/html' },
  }),
  refused('a path with a broken escape', null, 'bad_encoding', { path: '/api/%zz' }),
  ...['POST', 'PUT', 'PATCH', 'DELETE', 'TRACE'].map((method) =>
    refused(`${method} is 405, before the key`, 'query=cats', 'method_not_allowed', {
      method,
      key: null,
      sends: { allow: 'GET, HEAD, OPTIONS' },
    }),
  ),
  refused('a method without a path is 404', null, 'not_found', { method: 'POST', path: '/api/v1/nope' }),
  answered('HEAD has the headers of GET', 'query=cats', {
    method: 'HEAD',
    sends: { etag: /^W\//, 'content-length': /^\d+$/, 'content-type': /^application\/json/ },
  }),
  {
    rule: 'HEAD of an error has its headers too',
    method: 'HEAD',
    query: 'query=cats',
    key: null,
    status: 401,
    sends: { 'www-authenticate': 'Bearer' },
  },
  {
    rule: 'OPTIONS needs no key',
    method: 'OPTIONS',
    query: null,
    key: null,
    status: 204,
    sends: {
      allow: 'GET, HEAD, OPTIONS',
      'access-control-allow-origin': '*',
      'access-control-allow-methods': 'GET, HEAD, OPTIONS',
      'access-control-allow-headers': 'Authorization, If-None-Match, If-Range, Range',
      'access-control-expose-headers': /Colloquy-Implied.*ETag.*X-Request-Id/,
    },
  },
];

export const keys: readonly Scenario[] = [
  refused('no key', 'query=cats', 'missing_key', { key: null, sends: { 'www-authenticate': 'Bearer' } }),
  answered('the scheme in any case', 'query=cats', {
    key: null,
    headers: { authorization: 'bEaReR {good}' },
  }),
  refused('another scheme', 'query=cats', 'missing_key', {
    key: null,
    headers: { authorization: 'Basic {good}' },
  }),
  refused('a key of another shape', 'query=cats', 'invalid_key', {
    key: null,
    headers: { authorization: 'Bearer abc' },
    sends: { 'www-authenticate': /^Bearer error="invalid_token"/ },
  }),
  refused('a key with one character changed', 'query=cats', 'invalid_key', {
    key: null,
    headers: { authorization: 'Bearer {good}x' },
  }),
  refused('an expired key', 'query=cats', 'invalid_key', { key: 'expired' }),
  refused('a revoked key', 'query=cats', 'invalid_key', { key: 'revoked' }),
  refused('401 comes before 400', 'nonsense=1', 'missing_key', { key: null }),
  refused('a key in the address is not read', 'query=cats&key=x', 'missing_key', { key: null }),
];

export const limits: readonly Scenario[] = [
  answered('without a rate limit no headers of one', 'query=cats', {
    sends: { ratelimit: null, 'ratelimit-policy': null },
  }),
  answered('the first request tells the quota', 'query=cats', {
    server: 'limited',
    sends: { ratelimit: '"burst";r=9;t=1', 'ratelimit-policy': '"burst";q=10;w=10, "minute";q=60;w=60' },
  }),
  refused('errors count and tell it too', 'nonsense=1', 'unknown_parameter', {
    server: 'limited',
    sends: { ratelimit: '"burst";r=9;t=1' },
  }),
  refused('without a valid key nothing is told', 'query=cats', 'invalid_key', {
    server: 'limited',
    key: 'revoked',
    sends: { ratelimit: null },
  }),
  answered('the last of the burst', 'query=cats', {
    server: 'limited',
    after: 9,
    sends: { ratelimit: '"burst";r=0;t=10' },
  }),
  refused('the first beyond it', 'query=cats', 'too_many_requests', {
    server: 'limited',
    after: 10,
    sends: { 'retry-after': '1', ratelimit: '"burst";r=0;t=10' },
  }),
  refused('429 comes before 400', 'nonsense=1', 'too_many_requests', { server: 'limited', after: 10 }),
  answered('a body of 65,536 bytes is passed over', 'query=cats', { body: 'x'.repeat(65_536) }),
  refused('a body of 65,537 bytes', 'query=cats', 'body_too_large', {
    body: 'x'.repeat(65_537),
    sends: { connection: 'close' },
  }),
  refused(
    'an address of 65,536 bytes',
    `query=${'a'.repeat(65_536 - POSTS_PATH.length - 7)}`,
    'query_too_long',
  ),
  refused(
    'an address of 65,537 bytes',
    `query=${'a'.repeat(65_537 - POSTS_PATH.length - 7)}`,
    'uri_too_long',
  ),
];
