// What is looked at before anything is asked of a cluster: what is refused says what to change, and nothing is written
// over what is not ours.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { OpenSearchClient } from '../../src/engines/opensearch/cluster/client.ts';
import { indexBody } from '../../src/engines/opensearch/cluster/indices.ts';
import { CheckedClient, checkCluster } from '../../src/engines/opensearch/state/checked-client.ts';
import { EngineUnavailable } from '../../src/model/engine-errors.ts';
import { silenceLog } from '../silent-log.ts';
import { type Asked, type ClusterState, FakeCluster, type FakeNode } from './fake-cluster.ts';

silenceLog();

type Change = (state: ClusterState) => unknown;

/** What the checks say of a cluster that is like this. */
async function warningsOf(change: Change): Promise<string[]> {
  await using cluster = await FakeCluster.start();
  change(cluster.state);
  await using client = new OpenSearchClient(cluster.settings);
  return await checkCluster(client, cluster.settings, { timeoutMs: 60_000 });
}

function withIndex(state: ClusterState, name: string, change: (body: ChangeableBody) => void): void {
  const body = structuredClone(state.indices[name]) as unknown as ChangeableBody;
  change(body);
  state.indices[name] = body;
}

interface ChangeableBody {
  settings: { index: Record<string, unknown> };
  mappings: { _meta?: { colloquy?: number }; properties: Record<string, object> };
}

describe('a cluster as it must be', () => {
  it('passes without a word, with indices of ours and without', async () => {
    assert.deepEqual(await warningsOf(() => {}), []);
    assert.deepEqual(await warningsOf(stateWith({ indices: {} })), []);
  });

  it('may have more than is needed, set in any place: a node, the cluster, for good or for a while', async () => {
    await warningsOf((state) => {
      for (const node of Object.values(state.nodes)) node.settings = {};
      state.persistent = { 'search.max_buckets': '2000000', 'indices.query.bool.max_clause_count': '5' };
      state.transient = {
        'indices.query.bool.max_clause_count': '100001',
        'action.auto_create_index': '-fake-*, +*',
      };
      state.nodes.c = { name: 'm1', version: '2.19.0', roles: ['cluster_manager'], settings: {} };
      withIndex(state, 'fake-posts', ({ settings }) => {
        settings.index['routing.allocation.total_shards_per_node'] = '2';
        settings.index['search.slowlog.threshold.query.warn'] = '10s';
      });
    });
  });
});

const stateWith = (changed: Partial<ClusterState>) => (state: ClusterState) => Object.assign(state, changed);
const nodeWith = (name: string, changed: Partial<FakeNode>) => (state: ClusterState) =>
  Object.assign(state.nodes[name]!, changed);
const setting = (kinds: string, name: string, value: unknown) => (state: ClusterState) =>
  withIndex(state, `fake-${kinds}`, ({ settings }) => Object.assign(settings.index, { [name]: value }));
const field = (name: string, mapped: object) => (state: ClusterState) =>
  withIndex(state, 'fake-comments', ({ mappings }) => Object.assign(mappings.properties, { [name]: mapped }));

const FAKE = { nodes: [], prefix: 'fake', shards: 2, replicas: 1, signIn: null };

const REFUSED: readonly (readonly [what: string, change: Change, words: RegExp])[] = [
  [
    'another search engine',
    stateWith({ root: { version: { number: '8.19.0', build_flavor: 'default' } } }),
    /expected OpenSearch 2\.19 or 3 at the nodes, found something else there/,
  ],
  [
    'a version that is too old, of one node',
    nodeWith('b', { version: '2.18.0' }),
    /expected version 2\.19 or 3, found 2\.18\.0 on node `os2`/,
  ],
  ['a version that is not known yet', nodeWith('b', { version: '4.0.0' }), /found 4\.0\.0 on node `os2`/],
  [
    'prefixes that a shard refuses: one node has the number of clauses that OpenSearch comes with',
    (state) => {
      delete state.nodes.b!.settings['indices.query.bool.max_clause_count'];
    },
    /`indices\.query\.bool\.max_clause_count`: 100001 or more, found 1024 on node `os2`; .*PUT \/_cluster\/settings \{"persistent":\{"indices\.query\.bool\.max_clause_count":100001\}\}`, or in the opensearch\.yml/,
  ],
  [
    'breakdowns that are refused: too few buckets',
    stateWith({ persistent: { 'search.max_buckets': '65535' } }),
    /`search\.max_buckets`: 1000000 or more, found 65535 on node `os1`; .*\{"persistent":\{"search\.max_buckets":1000000\}\}/,
  ],
  [
    'an index that makes itself, with a mapping that OpenSearch guesses',
    stateWith({ persistent: { 'action.auto_create_index': '-logs-*,+fake-p*' } }),
    /`action\.auto_create_index`: .*, found -logs-\*,\+fake-p\* on node `os1`/,
  ],
  [
    'an index that something else made',
    (state) => withIndex(state, 'fake-posts', ({ mappings }) => delete mappings._meta),
    /index `fake-posts`: expected one of Colloquy, version 3, found one that something else made; set another `COLLOQUY_OPENSEARCH_PREFIX`/,
  ],
  [
    'an index of another version',
    (state) =>
      withIndex(state, 'fake-control', ({ mappings }) => {
        mappings._meta = { colloquy: 2 };
      }),
    /index `fake-control`: .*found one of version 2; run `move --to embedded` with the Colloquy that made it/,
  ],
  [
    'an alias in the place of an index',
    stateWith({ indices: { elsewhere: indexBody(FAKE, 'post') }, aliases: { 'fake-posts': {} } }),
    /expected no alias `fake-posts`, found one of index `elsewhere`; take it away, or set another/,
  ],
  [
    'records without a manifest: the index that controls is gone',
    (state) => {
      delete state.indices['fake-control'];
    },
    /index `fake-control`: expected the manifest of `fake-posts`, found none; restore all indices from one snapshot/,
  ],
  [
    'a field more',
    field('author', { type: 'keyword' }),
    /index `fake-comments`: expected the mapping that Colloquy made, found it changed \(`author`\)/,
  ],
  ['a field that is mapped otherwise', field('t', { type: 'text' }), /found it changed \(`t`\)/],
  [
    'half batches that are shown: an index that refreshes by itself',
    setting('comments', 'refresh_interval', '1s'),
    /expected `index\.refresh_interval` -1, found 1s; set it back with `PUT \/fake-comments\/_settings \{"index\.refresh_interval":"-1"\}`/,
  ],
  [
    'batches that are lost with the power: a translog that is written later',
    setting('control', 'translog.durability', 'async'),
    /expected `index\.translog\.durability` request, found async; set it back with `PUT \/fake-control\/_settings/,
  ],
  [
    'documents that a pipeline changes',
    setting('posts', 'final_pipeline', 'dates'),
    /expected no `index\.final_pipeline`, found dates; take it away with `PUT \/fake-posts\/_settings \{"index\.final_pipeline":null\}`/,
  ],
  [
    'another order in the segments',
    setting('posts', 'sort.order', ['asc', 'desc']),
    /expected `index\.sort\.order` desc,desc, found asc,desc; it is fixed when an index is made/,
  ],
  [
    'another number of shards than is set',
    setting('posts', 'number_of_shards', 5),
    /expected `index\.number_of_shards` 2, found 5; set `COLLOQUY_OPENSEARCH_SHARDS` to posts:5,comments:2, since.* `move --to embedded`/,
  ],
];

/** After which a cluster counts as out of reach. */
const SOON = { requestMs: 500 };

describe('a cluster that is not as it must be is refused', () => {
  for (const [what, change, message] of REFUSED) {
    it(what, () => assert.rejects(warningsOf(change), { name: 'StorageError', message }));
  }

  it('all that is wrong is told at once, with one call for all settings', () =>
    assert.rejects(
      warningsOf((state) => {
        for (const node of Object.values(state.nodes)) node.settings = {};
        state.nodes.a!.version = '1.3.20';
      }),
      /found 1\.3\.20 .*100001,"search\.max_buckets":1000000,"action\.auto_create_index":"false"\}\}/,
    ));

  it('a user who is not let in, or lacks a right, is told apart', async () => {
    const reason = 'no permissions for [cluster:monitor/nodes/info]';
    for (const [status, body, hint] of [
      // As the security plugin answers: not in JSON.
      [401, 'Unauthorized', /\(user `ann`\): .*Unauthorized; check .*COLLOQUY_OPENSEARCH_LOGIN/],
      [403, 'Forbidden', /Forbidden; give it the role of docs\/opensearch\.md/],
      [
        403,
        { error: { type: 'security_exception', reason }, status: 403 },
        /no permissions for .*give it the role of docs\/opensearch\.md/,
      ],
    ] as const) {
      await using cluster = await FakeCluster.start();
      cluster.fault = () => ({ status, body });
      const settings = { ...cluster.settings, signIn: { user: 'ann', password: 'secret' } };
      await assert.rejects(CheckedClient.open(settings), (error: Error) => {
        assert.equal(error.name, 'StorageError');
        assert.match(error.message, hint);
        return !error.message.includes('secret');
      });
    }
  });
});

describe('a user who lacks a right that is needed later', () => {
  it('is told which, and where to look', async () => {
    await using cluster = await FakeCluster.start();
    await using client = await CheckedClient.open(cluster.settings);
    const reason = 'no permissions for [indices:data/write/bulk]';
    cluster.fault = () => ({
      status: 403,
      body: { error: { type: 'security_exception', reason }, status: 403 },
    });
    const call = { method: 'POST', path: '/fake-posts/_bulk', lines: '{}\n' } as const;
    await assert.rejects(client.request(call), {
      name: 'StorageError',
      message: /\[indices:data\/write\/bulk\].*docs\/opensearch\.md/,
    });
    cluster.fault = () => ({ status: 401, body: 'Unauthorized' });
    await assert.rejects(client.request(call), {
      name: 'StorageError',
      message: /COLLOQUY_OPENSEARCH_LOGIN/,
    });
  });
});

describe('what an operator should know', () => {
  const cases: readonly (readonly [string, Change, readonly RegExp[]])[] = [
    [
      'too few nodes for the replicas',
      nodeWith('b', { roles: ['cluster_manager'] }),
      [/^expected 2 data nodes for shards with 1 replica, found 1: .*COLLOQUY_OPENSEARCH_REPLICAS/],
    ],
    [
      'shards without their copies',
      stateWith({ health: 'yellow' }),
      [/^the health of the indices is yellow \(1 shards are not assigned\): .*lose records/],
    ],
    [
      'shards that are not there',
      stateWith({ health: 'red' }),
      [/^the health of the indices is red .*questions are refused/],
    ],
    [
      'other replicas than are set, and a block',
      (state) =>
        withIndex(state, 'fake-posts', ({ settings }) => {
          settings.index.number_of_replicas = 0;
          settings.index['blocks.read_only_allow_delete'] = true;
        }),
      [
        /^index `fake-posts` has 0 replicas, `COLLOQUY_OPENSEARCH_REPLICAS` is 1: .*"index.number_of_replicas": 1/,
        /^index `fake-posts` is blocked by `index\.blocks\.read_only_allow_delete`: .*once its disks have room$/,
      ],
    ],
  ];
  for (const [what, change, lines] of cases) {
    it(`${what}: a warning, and no refusal`, async () => {
      const warnings = await warningsOf(change);
      assert.equal(warnings.length, lines.length, warnings.join('\n'));
      for (const [i, line] of lines.entries()) assert.match(warnings[i]!, line);
    });
  }
});

describe('a cluster that is out of reach at first', () => {
  it('is asked nothing before it has passed the checks, and once it has, they are not repeated', async () => {
    await using cluster = await FakeCluster.start();
    const asked: Asked[] = [];
    let isDown = true;
    cluster.fault = (call) => {
      asked.push(call);
      return isDown
        ? { status: 503, body: { error: { type: 'cluster_manager_not_discovered_exception' } } }
        : null;
    };
    await using client = await CheckedClient.open(cluster.settings, { patience: SOON });
    const question = { method: 'POST', path: '/fake-posts/_search', body: {} } as const;
    await assert.rejects(client.request(question), EngineUnavailable);
    assert.deepEqual(new Set(asked.map(({ path }) => path)), new Set(['/']), 'nothing was asked');
    isDown = false;
    await Promise.all([client.request(question), client.request(question)]);
    await client.request(question);
    const paths = asked.map(({ path }) => path);
    assert.equal(paths.filter((path) => path === '/_nodes/settings').length, 1);
    assert.ok(paths.indexOf('/_nodes/settings') < paths.indexOf(question.path));
  });

  it('and then is not as it must be: every call says so, none reaches it, until it is changed', async () => {
    await using cluster = await FakeCluster.start();
    cluster.fault = () => 'cut';
    await using client = await CheckedClient.open(cluster.settings, { patience: SOON });
    const searched: string[] = [];
    cluster.fault = ({ path }) => {
      if (path.endsWith('/_search')) searched.push(path);
      return null;
    };
    cluster.state.persistent['search.max_buckets'] = '1';
    const question = { method: 'POST', path: '/fake-posts/_search', body: {} } as const;
    for (let tries = 0; tries < 2; tries++) {
      await assert.rejects(client.request(question), {
        ...{ name: 'EngineUnavailable', message: /search\.max_buckets/ },
      });
    }
    assert.deepEqual(searched, []);
    cluster.state.persistent = {};
    await client.request(question);
    assert.equal(searched.length, 1);
  });
});
