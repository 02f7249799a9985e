// What the engine does and says where a cluster fails: what counts as done where items fare differently or fewer shards
// answer than there are, and what to do next.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { statsOf } from '../../src/engines/opensearch/answering/stats.ts';
import { type Operation, writeAll } from '../../src/engines/opensearch/cluster/bulk.ts';
import { OpenSearchClient } from '../../src/engines/opensearch/cluster/client.ts';
import { Deadline } from '../../src/engines/opensearch/cluster/deadline.ts';
import { indexNames } from '../../src/engines/opensearch/cluster/indices.ts';
import { refreshIfThere, refreshIndex } from '../../src/engines/opensearch/cluster/refreshing.ts';
import { Searcher } from '../../src/engines/opensearch/cluster/search.ts';
import { openOpenSearchEngine } from '../../src/engines/opensearch/engine.ts';
import { packRecords } from '../../src/engines/packing/packed-records.ts';
import type { SearchEngine } from '../../src/model/engine.ts';
import { EngineUnavailable } from '../../src/model/engine-errors.ts';
import { EVERYTHING, queryOf, RULES } from '../engine-suite.ts';
import { post } from '../helpers.ts';
import { type Asked, type ClusterState, FakeCluster, nothingFound, ok, type Told } from './fake-cluster.ts';

/** Of one shard nothing is told. */
const SHORT = { total: 2, successful: 1, failed: 0 };
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
    ({ path }) => (path.includes('/_stats') ? ok({ _shards: { ...SHORT, failed: 1 }, _all: {} }) : null),
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
      await assert.rejects(call(engine), { message });
      cluster.fault = null;
    });
  }
});

/** Creates two documents; `item`: what is answered at first in place of the second one's success. */
async function createTwo(item: object): Promise<{ ids: string[][]; outcomes: readonly string[] }> {
  await using cluster = await FakeCluster.start();
  await using client = new OpenSearchClient(cluster.settings);
  const ids: string[][] = [];
  cluster.fault = ({ body }) => {
    const heads = body.split('\n').filter((line) => line.startsWith('{"create"'));
    ids.push(heads.map((line) => JSON.parse(line).create._id));
    const items = heads.map((_, i) => ({ create: ids.length === 1 && i === 1 ? item : written }));
    return ok({ items });
  };
  const operations = ['a', 'b'].map((id): Operation => ({ kind: 'create', id, document: () => ({ id }) }));
  const outcomes = await writeAll(client, 'index', operations, async () => undefined);
  return { ids, outcomes: outcomes.map(({ kind }) => kind) };
}

for (const [status, type] of [
  [500, 'node_not_connected_exception'],
  [500, 'retry_on_primary_exception'],
  [503, 'unavailable_shards_exception'],
  [429, 'rejected_execution_exception'],
] as const) {
  it(`an item with status ${status}, ${type}, is sent again, alone`, async () => {
    const { ids, outcomes } = await createTwo({ status, error: { type, reason: 'of the test' } });
    assert.deepEqual(ids, [['a', 'b'], ['b']]);
    assert.deepEqual(outcomes, ['done', 'done']);
  });
}

it('an item that is refused for good is an error that says why', async () => {
  const error = { type: 'mapper_parsing_exception', reason: 'no such field' };
  await assert.rejects(
    createTwo({ status: 400, error }),
    /status 400, mapper_parsing_exception no such field/,
  );
});

const NO_BUCKETS = { buckets: [], sum_other_doc_count: 0, doc_count_error_upper_bound: 0 };
const SEEN = {
  ...nothingFound(),
  aggregations: {
    communities: NO_BUCKETS,
    ...{ first: { value: null }, last: { value: null }, distinct: { value: 0 } },
    ...{ orphans: { doc_count: 0 }, undated: { doc_count: 0 } },
  },
};
const STORED = { primaries: { segments: { count: 1 } }, total: { store: { size_in_bytes: 1 } } };

/** What refreshes and figures come to where so many of four copies of two shards have answered. */
async function outcomes(successful: number, health: ClusterState['health']): Promise<readonly boolean[]> {
  await using cluster = await FakeCluster.start();
  await using client = new OpenSearchClient(cluster.settings);
  cluster.state.health = health;
  const _shards = { total: 4, successful, failed: 0 };
  cluster.fault = ({ path }) => {
    if (path === '/_search') return ok(SEEN);
    const isAsked = path.endsWith('/_refresh') || path.includes('/_stats');
    return isAsked ? ok({ _shards, _all: STORED }) : null;
  };
  const names = indexNames(cluster.settings);
  const view = { kind: 'comment', generation: 1, pit: 'pit', hides: 0, overlays: [], sum: null } as const;
  const calls: readonly Promise<unknown>[] = [
    refreshIndex(client, names.comment),
    refreshIfThere(client, names.comment),
    statsOf(new Searcher(client, new Deadline()), names, view),
  ];
  const ended = await Promise.allSettled(calls);
  return ended.map((end) => {
    if (end.status === 'rejected' && !(end.reason instanceof EngineUnavailable)) throw end.reason;
    return end.status === 'fulfilled';
  });
}

it('a shard that is nowhere is not refreshed and has no figures, though nothing has failed', async () => {
  assert.deepEqual(await outcomes(0, 'red'), [false, false, false]);
  assert.deepEqual(await outcomes(2, 'red'), [false, false, false]);
});

it('a copy that is nowhere is no harm while another one of its shard is there', async () => {
  assert.deepEqual(await outcomes(2, 'yellow'), [true, true, true]);
  assert.deepEqual(await outcomes(4, 'green'), [true, true, true]);
});
