// A server that answers as a cluster of OpenSearch with empty indices does, and fails in every way that one fails: for
// what a real cluster cannot be made to do at will.

import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import type { OpenSearchSettings } from '../../src/engines/opensearch/cluster/client.ts';
import { type IndexBody, indexBody, indexNames } from '../../src/engines/opensearch/cluster/indices.ts';
import { NO_MANIFEST } from '../../src/engines/opensearch/state/manifest.ts';
import { KINDS } from '../../src/model/record.ts';
import { type Certificate, type Listening, listen } from './one-node.ts';

export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly body: string;
  /** The header of this name; absent: none came. */
  readonly authorization: string | undefined;
}

/** `cut`: the connection ends; `hang`: nothing comes, for as long as the caller waits. */
export type Told = { readonly status: number; readonly body: unknown } | 'cut' | 'hang';

/** What the cluster is like; a test changes what it is about. */
export interface ClusterState {
  root: unknown;
  nodes: Record<string, FakeNode>;
  persistent: Record<string, string>;
  transient: Record<string, string>;
  /** By name, as they were made; OpenSearch leaves out of a mapping what it does anyway. */
  indices: Record<string, IndexBody>;
  /** Of each index. */
  aliases: Record<string, object>;
  health: 'green' | 'yellow' | 'red';
}

export interface FakeNode {
  name: string;
  version: string;
  roles: string[];
  settings: Record<string, string>;
}

/** A node as ours must be. */
export function goodNode(name: string): FakeNode {
  return {
    name,
    version: '3.8.0',
    roles: ['cluster_manager', 'data', 'ingest', 'remote_cluster_client'],
    settings: {
      'indices.query.bool.max_clause_count': '100001',
      'search.max_buckets': '1000000',
      'action.auto_create_index': 'false',
    },
  };
}

/** Shards of each index. */
const SHARDS = 2;

export class FakeCluster implements AsyncDisposable {
  readonly settings: OpenSearchSettings;
  readonly state: ClusterState;
  /** Answers in place of the cluster; null: the cluster does. */
  fault: ((asked: Asked) => Told | null) | null = null;
  readonly #server: Listening;

  private constructor(server: Listening) {
    this.#server = server;
    const settings = { nodes: [server.address], prefix: 'fake', shards: SHARDS, replicas: 1, signIn: null };
    this.settings = settings;
    const names = indexNames(settings);
    this.state = {
      root: { version: { distribution: 'opensearch', number: '3.8.0' } },
      nodes: { a: goodNode('os1'), b: goodNode('os2') },
      persistent: {},
      transient: {},
      indices: {
        [names.control]: indexBody(settings, 'control'),
        [names.post]: indexBody(settings, 'post'),
        [names.comment]: indexBody(settings, 'comment'),
      },
      aliases: {},
      health: 'green',
    };
  }

  /** With a certificate: over TLS alone. */
  static async start(tls?: Certificate): Promise<FakeCluster> {
    const server = await listen((request, response) => void cluster.#answer(request, response), tls);
    const cluster = new FakeCluster(server);
    return cluster;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server[Symbol.asyncDispose]();
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname: path } = new URL(request.url ?? '/', 'http://fake');
    const { authorization } = request.headers;
    const asked = { method: request.method ?? '', path, body: await text(request), authorization };
    const told = this.fault?.(asked) ?? this.#told(asked);
    if (told === 'hang') return;
    if (told === 'cut') {
      response.destroy();
      return;
    }
    const isText = typeof told.body === 'string';
    response.writeHead(told.status, { 'Content-Type': isText ? 'text/html' : 'application/json' });
    response.end(isText ? told.body : JSON.stringify(told.body));
  }

  #told({ method, path }: Asked): Told {
    const { state } = this;
    if (path === '/') return ok(state.root);
    if (path === '/_nodes/settings') return ok({ nodes: state.nodes });
    if (path === '/_cluster/settings') {
      return ok({ persistent: state.persistent, transient: state.transient });
    }
    if (path.startsWith('/_cluster/health')) {
      return ok({ status: state.health, unassigned_shards: state.health === 'green' ? 0 : 1 });
    }
    if (path.endsWith('/_search/point_in_time')) {
      return method === 'DELETE'
        ? ok({ pits: [] })
        : ok({ pit_id: 'pit', _shards: shards(), creation_time: 1 });
    }
    if (path.endsWith('/_search')) return ok(nothingFound());
    if (path.includes('/_doc/')) return { status: 404, body: { found: false } };
    if (path === '/_mget') return ok({ docs: Object.keys(state.indices).length > 0 ? manifests() : [] });
    if (method === 'GET') return ok(this.#indices());
    return { status: 400, body: { error: { type: 'not_faked', reason: `${method} ${path}` }, status: 400 } };
  }

  /** Whatever the names in the path lead to. */
  #indices(): Record<string, unknown> {
    const { indices, aliases } = this.state;
    const found = Object.entries(indices).map(([name, body]) => [name, { ...asFound(body), aliases }]);
    return Object.fromEntries(found);
  }
}

export function ok(body: unknown): Told {
  return { status: 200, body };
}

export function shards() {
  return { total: SHARDS, successful: SHARDS, skipped: 0, failed: 0 };
}

/** Of both kinds: something was written once, and nobody writes. */
function manifests() {
  const manifest = { ...NO_MANIFEST, generation: 1 };
  return KINDS.map((kind) => ({
    ...{ _id: `manifest-${kind}`, found: true, _seq_no: 1, _primary_term: 1 },
    _source: { what: 'manifest', kind, body: { manifest, nonces: ['fake'] } },
  }));
}

/** The answer to a search. */
export function nothingFound() {
  return {
    ...{ took: 1, timed_out: false, _shards: shards(), pit_id: 'pit' },
    hits: { total: { value: 0, relation: 'eq' }, max_score: null, hits: [] },
  };
}

/** As an index is told by `GET /<index>?flat_settings=true`. */
function asFound({ settings, mappings }: IndexBody): object {
  const flat = Object.entries(settings.index).map(([name, value]) => [
    `index.${name}`,
    Array.isArray(value) ? value : String(value),
  ]);
  const told = JSON.stringify(mappings, (key, value) => (key === 'index_options' ? undefined : value));
  return { mappings: JSON.parse(told), settings: Object.fromEntries(flat) };
}
