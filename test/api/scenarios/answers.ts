// Headers of answers, faults, and the paths beside the endpoints.

import { answered, refused, type Scenario } from './scenario.ts';

export const representations: readonly Scenario[] = [
  answered('answers say how they may be kept', 'query=cats', {
    sends: {
      'cache-control': 'private, no-cache',
      vary: 'Authorization, Accept-Encoding',
      etag: /^W\/"[\w-]+"$/,
      'x-content-type-options': 'nosniff',
      'content-security-policy': /default-src 'none'/,
      'access-control-allow-origin': '*',
    },
  }),
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
  answered('If-None-Match of another answer is 200', 'query=cats', {
    headers: { 'if-none-match': 'W/"other"' },
  }),
  refused('an error is never 304', 'query=', 'missing_key', { key: null, headers: { 'if-none-match': '*' } }),
  answered('a large answer is compressed as asked', 'query=', {
    headers: { 'accept-encoding': 'gzip' },
    sends: { 'content-encoding': 'gzip', etag: /^W\// },
  }),
  answered('a small one is not', 'query=cats&limit=0', {
    headers: { 'accept-encoding': 'gzip' },
    sends: { 'content-encoding': null, vary: 'Authorization, Accept-Encoding' },
  }),
  answered('a request id of the caller is not taken over', 'query=cats', {
    headers: { 'x-request-id': 'mine' },
    sends: { 'x-request-id': /^[\da-f-]{36}$/ },
  }),
];

export const faults: readonly Scenario[] = [
  refused('a query over its time budget', 'query=cats', 'query_timeout', {
    server: 'slow',
    sends: { 'retry-after': /^[1-9]\d*$/ },
  }),
  refused('a fault of ours tells its number and nothing else', 'query=cats', 'internal_error', {
    server: 'broken',
    detail: /^quote `request_id` when you report this$/,
  }),
];

export const otherPaths: readonly Scenario[] = [
  answered('the server says that it is ready', null, {
    path: '/readyz',
    key: null,
    sends: { 'content-type': /^application\/json/, 'cache-control': 'no-store' },
  }),
  answered('the server says that it is well', null, {
    path: '/healthz',
    key: null,
    sends: { 'content-type': /^application\/json/ },
  }),
  answered('the OpenAPI document needs no key', null, {
    path: '/api/v1/openapi.json',
    key: null,
    sends: { 'content-type': /^application\/json/, 'access-control-allow-origin': '*' },
  }),
  refused('POST to the document is 405', null, 'method_not_allowed', {
    method: 'POST',
    path: '/api/v1/openapi.json',
    key: null,
    sends: { allow: 'GET, HEAD, OPTIONS' },
  }),
];
