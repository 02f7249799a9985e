// What the engine says when a cluster fails it ends with what to do next.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { openOpenSearchEngine } from '../../src/engines/opensearch/engine.ts';
import type { SearchEngine } from '../../src/model/engine.ts';
import { packRecords } from '../../src/packing/packed-records.ts';
import { EVERYTHING, queryOf, RULES } from '../engine-suite.ts';
import { post } from '../helpers.ts';
import { type Asked, FakeCluster, type Told } from './fake-cluster.ts';

const ok = (body: unknown): Told => ({ status: 200, body });
const SHORT = { total: 2, successful: 1, failed: 1 };
const conflict = { status: 409, error: { type: 'version_conflict_engine_exception', reason: 'of the test' } };
const written = { status: 201, _seq_no: 1, _primary_term: 1 };
const blocked = (status: number, reason: string): Told => ({
  status,
  body: { error: { type: 'cluster_block_exception', reason }, status },
});

/** A manifest can be written; of documents the bulk says this. */
const writing = (item: object, failed = 0) =>
  (({ method, path, body }) => {
    if (method === 'PUT' && path.includes('/_doc/')) return ok({ _seq_no: 1, _primary_term: 1 });
    if (method === 'PUT' && !path.includes('/_')) return ok({ acknowledged: true });
    if (path.endsWith('/_refresh')) return ok({ _shards: { failed } });
    const lines = body.split('\n').filter((line) => line.startsWith('{"create"'));
    return path.endsWith('/_bulk') ? ok({ items: lines.map(() => ({ create: item })) }) : null;
  }) satisfies (asked: Asked) => Told | null;

const index = (engine: SearchEngine) => engine.index('post', packRecords([post({ id: 'p1' })]));
const count = (text: string) => (engine: SearchEngine) =>
  engine.ask({ kind: 'post', query: text === '' ? EVERYTHING : queryOf(text) });

type Row = readonly [
  what: string,
  fault: (asked: Asked) => Told | null,
  call: (engine: SearchEngine) => Promise<unknown>,
  words: RegExp,
];

const ROWS: readonly Row[] = [
  [
    'a view without all shards',
    ({ path }) => (path.endsWith('/point_in_time') ? ok({ pit_id: 'pit', _shards: SHORT }) : null),
    count(''),
    /a view is not of all shards: .*; `GET \/_cluster\/health` says/,
  ],
  [
    'a prefix that some shards do not look up',
    ({ path }) => (path.endsWith('/_validate/query') ? ok({ valid: true, _shards: SHORT }) : null),
    count('sol*'),
    /a prefix cannot be looked up: .*; `GET \/_cluster\/health` says/,
  ],
  [
    'figures without all shards',
    ({ path }) => (path.includes('/_stats') ? ok({ _shards: SHORT, _all: {} }) : null),
    (engine) => engine.stats(),
    /figures are not of all shards: .*; `GET \/_cluster\/health` says/,
  ],
  [
    'a shard that does not refresh',
    writing(written, 1),
    index,
    /1 shards of `fake-posts` do not show what was written; `GET \/_cluster\/health` says .*; then run the same again/,
  ],
  [
    'a refresh that is never answered',
    (asked) => (asked.path.endsWith('/_refresh') ? 'hang' : writing(written)(asked)),
    index,
    /: POST \/fake-posts\/_refresh: no answer within \d+ s; what came in before is safe; run the same again: an import goes on/,
  ],
  [
    'a manifest that others change each time',
    (asked) =>
      asked.method === 'PUT' && asked.path.includes('/_doc/manifest')
        ? { status: 409, body: conflict }
        : writing(written)(asked),
    (engine) => engine.index('post', packRecords([]), { source: 'dump', state: 'half' }),
    /too many processes write at once; run the same again, with fewer of them/,
  ],
  [
    'an index that an operator has blocked, for documents',
    writing({
      status: 403,
      error: { type: 'cluster_block_exception', reason: 'index [fake-posts] blocked' },
    }),
    index,
    /index \[fake-posts\] blocked; take the block of the index away .* and run the same again/,
  ],
  [
    'an index that an operator has blocked, for its manifest',
    ({ method }) => (method === 'PUT' ? blocked(403, 'index [fake-control] blocked') : null),
    (engine) => engine.hide(1, 'post', { ids: ['p1'] }),
    /index \[fake-control\] blocked; take the block of the index away/,
  ],
  [
    'a full disk under a removal, which brings no records',
    ({ method }) => (method === 'PUT' ? blocked(429, 'read-only-allow-delete block') : null),
    (engine) => engine.hide(1, 'post', { ids: ['p1'] }),
    /a disk of OpenSearch is full, and nothing is written; free space there, and run the same again/,
  ],
];

describe('a message of the engine says what to do next', () => {
  for (const [what, fault, call, message] of ROWS) {
    it(what, async () => {
      await using cluster = await FakeCluster.start();
      const patience = { requestMs: 300, slowMs: 300, documentsMs: 300 };
      await using engine = await openOpenSearchEngine(cluster.settings, { rules: RULES }, patience);
      cluster.fault = fault;
      await assert.rejects(call(engine), (error: Error) => {
        assert.match(error.message, message);
        return true;
      });
      cluster.fault = null;
    });
  }
});
