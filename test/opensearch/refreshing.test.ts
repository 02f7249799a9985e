// What counts as done where the cluster answers of fewer shards than there are.

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { statsOf } from '../../src/engines/opensearch/answering/stats.ts';
import { OpenSearchClient } from '../../src/engines/opensearch/cluster/client.ts';
import { Deadline } from '../../src/engines/opensearch/cluster/deadline.ts';
import { indexNames } from '../../src/engines/opensearch/cluster/indices.ts';
import { refreshIfThere, refreshIndex } from '../../src/engines/opensearch/cluster/refreshing.ts';
import { Searcher } from '../../src/engines/opensearch/cluster/search.ts';
import { EngineUnavailable } from '../../src/model/engine-errors.ts';
import { type ClusterState, FakeCluster, nothingFound } from './fake-cluster.ts';

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
    if (path === '/_search') return { status: 200, body: SEEN };
    const isAsked = path.endsWith('/_refresh') || path.includes('/_stats');
    return isAsked ? { status: 200, body: { _shards, _all: STORED } } : null;
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
