// A part of the contract of an engine; and whether the role that docs/opensearch.md gives to our user allows what is
// asked of the cluster meanwhile. The security plugin is in no registry, so its names for requests and its groups of
// rights are here (`RestHandler`s of OpenSearch; `static_action_groups.yml` of the plugin).

import assert from 'node:assert/strict';
import { subscribe } from 'node:diagnostics_channel';
import { readFileSync } from 'node:fs';
import type { ClientRequest } from 'node:http';
import { it } from 'node:test';
import type { EngineHarness } from '../engine-harness.ts';
import { openSearchHarness } from './harness.ts';
import { onCluster } from './test-cluster.ts';

/** What a request needs: a method and a path, in which `*` stands for an index and what is below it. */
const NEEDED: Readonly<Record<string, readonly string[]>> = {
  'GET /': ['cluster:monitor/main'],
  'GET /_nodes/settings': ['cluster:monitor/nodes/info'],
  'GET /_cluster/settings': ['cluster:monitor/state'],
  'GET /_cluster/health': ['cluster:monitor/health'],
  'GET /_cluster/health/*': ['cluster:monitor/health'],
  'POST /_search': ['indices:data/read/search'],
  'POST /_mget': ['indices:data/read/mget', 'indices:data/read/mget[shard]'],
  'GET /_search/point_in_time/_all': [
    'indices:data/read/point_in_time/readall',
    'cluster:admin/point_in_time/read_from_nodes',
  ],
  'DELETE /*/_doc/*': ['delete', 'bulk', 'bulk[s]'].map((name) => `indices:data/write/${name}`),
  'DELETE /_search/point_in_time': ['indices:data/read/point_in_time/delete'],
  'POST /*/_search/point_in_time': ['indices:data/read/point_in_time/create'],
  'POST /*/_search': ['indices:data/read/search'],
  'POST /*/_validate/query': ['indices:admin/validate/query'],
  'POST /*/_bulk': [
    'indices:data/write/bulk',
    ...['bulk[s]', 'index', 'delete'].map((name) => `indices:data/write/${name}`),
  ],
  'GET /*/_doc/*': ['indices:data/read/get'],
  'PUT /*/_doc/*': ['indices:data/write/index', 'indices:data/write/bulk', 'indices:data/write/bulk[s]'],
  'POST /*/_refresh': ['indices:admin/refresh'],
  'POST /*/_flush': ['indices:admin/flush'],
  'POST /*/_forcemerge': ['indices:admin/forcemerge'],
  'GET /*/_segments': ['indices:monitor/segments'],
  'GET /*/_stats': ['indices:monitor/stats'],
  'GET /*/_stats/*': ['indices:monitor/stats'],
  'GET /*': ['indices:admin/get'],
  'PUT /*': ['indices:admin/create'],
  'DELETE /*': ['indices:admin/delete'],
};

const GROUPS: Readonly<Record<string, readonly string[]>> = {
  cluster_composite_ops: [
    ...['indices:data/write/bulk', 'indices:data/write/reindex', 'indices:admin/aliases*'],
    ...['mget', 'msearch', 'mtv', 'scroll'].map((name) => `indices:data/read/${name}`),
  ],
  cluster_monitor: ['cluster:monitor/*'],
  crud: ['indices:data/read*', 'indices:data/write*', 'indices:admin/mapping/put'],
  create_index: ['indices:admin/create', 'indices:admin/mapping/put'],
  manage: ['indices:monitor/*', 'indices:admin/*'],
  manage_point_in_time: ['create', 'delete', 'readall'].map(
    (name) => `indices:data/read/point_in_time/${name}`,
  ),
};

interface Role {
  readonly cluster_permissions: readonly string[];
  readonly index_permissions: readonly [{ readonly allowed_actions: readonly string[] }];
}

/** Defines the tests of `part`. */
export async function onClusterAsUser(name: string, part: (harness: EngineHarness) => void): Promise<void> {
  await onCluster(name, (nodes) => {
    const asked = new Set<string>();
    subscribe('http.client.request.start', (message) => {
      const { method, path } = (message as { readonly request: ClientRequest }).request;
      asked.add(`${method} ${shapeOf(path)}`);
    });

    part(openSearchHarness(nodes));

    it('asked the cluster what the documented role allows, of which no part is for nothing', () => {
      assert.ok(asked.has('POST /_search'), [...asked].join(', '));
      for (const request of asked) assert.ok(request in NEEDED, `no right is named for ${request}`);
      const manual = readFileSync(new URL('../../docs/opensearch.md', import.meta.url), 'utf8');
      const role = JSON.parse(/roles\/colloquy .* -d '([^']+)'/.exec(manual)![1]!) as Role;
      const parts = [...role.cluster_permissions, ...role.index_permissions[0].allowed_actions];
      const used = new Set<string>();
      for (const [request, actions] of Object.entries(NEEDED)) {
        for (const action of actions) {
          const by = parts.filter((one) => (GROUPS[one] ?? [one]).some((right) => allows(right, action)));
          assert.ok(by.length > 0, `${request} needs ${action}`);
          for (const one of by) used.add(one);
        }
      }
      assert.deepEqual([...used].sort(), parts.sort());
    });
  });
}

/** `/test-…-comments/_doc/owner?realtime=true` is `/*` + `/_doc/*`. */
function shapeOf(path: string): string {
  return path
    .replace(/\?.*/, '')
    .replace(/^\/[^_/][^/]*/, '/*')
    .replace(/(\/_doc|\/_stats|\/_cluster\/health)\/.*/, '$1/*');
}

function allows(pattern: string, action: string): boolean {
  return pattern.endsWith('*') ? action.startsWith(pattern.slice(0, -1)) : action === pattern;
}
