// compose.yaml: what it sets is what Colloquy asks for, and what it names is there.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { readConfig, SETTINGS } from '../../src/config.ts';
import { openSearchSettings } from '../../src/engines/engines.ts';
import { OpenSearchClient } from '../../src/engines/opensearch/cluster/client.ts';
import { checkCluster } from '../../src/engines/opensearch/state/checked-client.ts';
import { FakeCluster, goodNode } from './fake-cluster.ts';

const project = fileURLToPath(new URL('../..', import.meta.url));
const read = (name: string) => readFileSync(join(project, name), 'utf8');

interface Service {
  readonly image?: string;
  readonly build?: { readonly context: string; readonly dockerfile: string };
  readonly environment: Readonly<Record<string, string>>;
  readonly volumes: readonly string[];
  readonly networks: readonly string[];
  readonly ports?: readonly string[];
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
  readonly read_only?: boolean;
  readonly tmpfs?: readonly string[];
  readonly cap_drop?: readonly string[];
  readonly security_opt?: readonly string[];
  readonly healthcheck?: { readonly test: readonly string[] };
}

interface Compose {
  readonly services: Readonly<Record<string, Service>>;
  readonly networks: Readonly<Record<string, { readonly internal?: boolean }>>;
  readonly volumes: Readonly<Record<string, object>>;
}

/** The reader of YAML that comes with the maker of the OpenAPI document. */
function parseYaml(text: string): unknown {
  const require = createRequire(createRequire(import.meta.url).resolve('@fastify/swagger'));
  return require('yaml').parse(text, { merge: true });
}

describe('compose.yaml', () => {
  const { services, networks, volumes } = parseYaml(read('compose.yaml')) as Compose;
  const { colloquy, ...nodes } = services;
  const config = readConfig(colloquy!.environment);

  it('has settings that there are, and that go together', () => {
    const known: readonly string[] = Object.values(SETTINGS).map(({ name }) => name);
    const unknown = Object.keys(colloquy!.environment).filter((name) => !known.includes(name));
    assert.deepEqual(unknown, []);
    assert.equal(config.engine, 'opensearch');
    const { nodes: named, replicas } = openSearchSettings(config);
    const addresses = Object.keys(nodes).map((name) => `http://${name}:9200`);
    assert.deepEqual(named, addresses);
    assert.ok(replicas < named.length);
  });

  it('has nodes that pass the checks at start', async () => {
    await using cluster = await FakeCluster.start();
    await using client = new OpenSearchClient(cluster.settings);
    const ofNodes = Object.entries(nodes).map(([name, { image = '', environment }]) => [
      name,
      { ...goodNode(name), version: image.split(':')[1] ?? '', settings: { ...environment } },
    ]);
    assert.equal(ofNodes.length, 3);
    cluster.state.nodes = Object.fromEntries(ofNodes);
    assert.deepEqual(await checkCluster(client, cluster.settings, { timeoutMs: 60_000 }), []);
  });

  it('has three nodes that find each other, a folder each and one for snapshots, out of reach from outside', () => {
    for (const [name, node] of Object.entries(nodes)) {
      const { environment } = node;
      assert.equal(environment['node.name'], name);
      for (const list of ['discovery.seed_hosts', 'cluster.initial_cluster_manager_nodes']) {
        assert.deepEqual(environment[list]?.split(','), Object.keys(nodes), list);
      }
      assert.deepEqual(node.volumes, [
        `${name}:/usr/share/opensearch/data`,
        `snapshots:${environment['path.repo']}`,
      ]);
      assert.ok(name in volumes && 'snapshots' in volumes);
      assert.deepEqual([node.ports, node.networks], [undefined, ['inside']]);
      assert.ok(node.healthcheck!.test.join(' ').includes('/_cluster/health'));
    }
    assert.equal(networks.inside!.internal, true);
  });

  it('has a service that waits for them and keeps its data', () => {
    assert.deepEqual(
      colloquy!.depends_on,
      Object.fromEntries(Object.keys(nodes).map((name) => [name, { condition: 'service_healthy' }])),
    );
    assert.deepEqual(colloquy!.volumes, ['data:/data']);
    assert.ok('data' in volumes);
    assert.ok(existsSync(join(project, colloquy!.build!.dockerfile)));
    for (const network of colloquy!.networks) assert.ok(network in networks);
  });

  it('has a service that may write nothing but its data, and has no rights beyond a user', () => {
    const { read_only, tmpfs, cap_drop, security_opt } = colloquy!;
    assert.deepEqual(
      { read_only, tmpfs, cap_drop, security_opt },
      { read_only: true, tmpfs: ['/tmp'], cap_drop: ['ALL'], security_opt: ['no-new-privileges:true'] },
    );
  });

  it('docker takes it', { skip: missingCompose() }, () => {
    const { status, stderr } = spawnSync('docker', ['compose', 'config', '--quiet'], {
      cwd: project,
      encoding: 'utf8',
    });
    assert.equal(status, 0, stderr);
  });
});

function missingCompose(): string | false {
  const found = spawnSync('docker', ['compose', 'version']);
  return found.status === 0 ? false : 'no `docker compose` on this machine';
}
