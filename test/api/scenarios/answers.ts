// Headers of answers, faults, and the paths beside the endpoints.

import type { Scenario } from './scenario.ts';

export const representations: readonly Scenario[] = [
  {
    rule: 'answers say how they may be kept',
    query: 'query=cats',
    status: 200,
    sends: {
      'cache-control': 'private, no-cache',
      vary: 'Authorization, Accept-Encoding',
      etag: /^W\/"[\w-]+"$/,
      'x-content-type-options': 'nosniff',
      'content-security-policy': /default-src 'none'/,
      'access-control-allow-origin': '*',
    },
  },
  {
    rule: 'If-None-Match: * is 304',
    query: 'query=before:2021-01-02',
    headers: { 'if-none-match': '*' },
    status: 304,
    sends: {
      etag: /^W\//,
      'content-length': null,
      'content-type': null,
      'colloquy-implied': 'after:2021-01-01',
    },
  },
  {
    rule: 'If-None-Match of another answer is 200',
    query: 'query=cats',
    headers: { 'if-none-match': 'W/"other"' },
    status: 200,
  },
  {
    rule: 'an error is never 304',
    query: 'query=',
    key: null,
    headers: { 'if-none-match': '*' },
    status: 401,
    code: 'missing_key',
  },
  {
    rule: 'a large answer is compressed as asked',
    query: 'query=',
    headers: { 'accept-encoding': 'gzip' },
    status: 200,
    sends: { 'content-encoding': 'gzip', etag: /^W\// },
  },
  {
    rule: 'a small one is not',
    query: 'query=cats&limit=0',
    headers: { 'accept-encoding': 'gzip' },
    status: 200,
    sends: { 'content-encoding': null, vary: 'Authorization, Accept-Encoding' },
  },
  {
    rule: 'a request id of the caller is not taken over',
    query: 'query=cats',
    headers: { 'x-request-id': 'mine' },
    status: 200,
    sends: { 'x-request-id': /^[\da-f-]{36}$/ },
  },
];

export const faults: readonly Scenario[] = [
  {
    rule: 'a query over its time budget',
    server: 'slow',
    query: 'query=cats',
    status: 503,
    code: 'query_timeout',
    sends: { 'retry-after': /^[1-9]\d*$/ },
  },
  {
    rule: 'a fault of ours tells its number and nothing else',
    server: 'broken',
    query: 'query=cats',
    status: 500,
    code: 'internal_error',
    detail: /^quote `request_id` when you report this$/,
  },
];

export const otherPaths: readonly Scenario[] = [
  {
    rule: 'the server says that it is ready',
    path: '/readyz',
    key: null,
    status: 200,
    sends: { 'content-type': /^application\/json/, 'cache-control': 'no-store' },
  },
  {
    rule: 'the server says that it is well',
    path: '/healthz',
    key: null,
    status: 200,
    sends: { 'content-type': /^application\/json/ },
  },
  {
    rule: 'the front says what this is',
    path: '/',
    key: null,
    status: 200,
    sends: { 'content-type': 'text/plain; charset=utf-8' },
  },
  {
    rule: 'the OpenAPI document needs no key',
    path: '/api/v1/openapi.json',
    key: null,
    status: 200,
    sends: { 'content-type': /^application\/json/, 'access-control-allow-origin': '*' },
  },
  {
    rule: 'POST to the document is 405',
    method: 'POST',
    path: '/api/v1/openapi.json',
    key: null,
    status: 405,
    code: 'method_not_allowed',
    sends: { allow: 'GET, HEAD, OPTIONS' },
  },
];
