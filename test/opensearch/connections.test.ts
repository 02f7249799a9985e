// How nodes are reached: TLS, sign-in, and what is said where nothing answers.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { OpenSearchClient, type OpenSearchSettings } from '../../src/engines/opensearch/cluster/client.ts';
import { CheckedClient } from '../../src/engines/opensearch/state/checked-client.ts';
import { temporaryFolder } from '../helpers.ts';
import { freePorts, start } from '../processes.ts';
import { FakeCluster } from './fake-cluster.ts';
import type { Certificate } from './one-node.ts';

/** After which a cluster counts as out of reach, in milliseconds. */
const SOON_MS = 300;

/** A certificate for 127.0.0.1 that signs itself; null where nothing makes one. */
function certificate(): Certificate | null {
  using folder = temporaryFolder();
  const [key, cert] = [join(folder.path, 'key.pem'), join(folder.path, 'cert.pem')];
  const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-noenc', '-days', '2'];
  const whose = ['-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1'];
  try {
    execFileSync('openssl', ['req', '-x509', ...kind, ...whose, '-keyout', key, '-out', cert], {
      stdio: 'ignore',
    });
  } catch {
    return null;
  }
  return { key: readFileSync(key, 'utf8'), cert: readFileSync(cert, 'utf8') };
}

const tls = certificate();

async function faultOf(settings: OpenSearchSettings): Promise<string> {
  await using client = new OpenSearchClient(settings);
  const asked = client.request({ method: 'GET', path: '/' }, { timeoutMs: SOON_MS });
  const error = await asked.then(
    () => assert.fail('it was answered'),
    (failure: Error) => failure,
  );
  assert.equal(error.name, 'EngineUnavailable');
  return error.message;
}

describe('nodes with TLS', {
  skip: tls === null && 'openssl, which makes certificates, is not there',
}, () => {
  it('are reached with their certificate, and told user and password', async () => {
    await using cluster = await FakeCluster.start(tls!);
    const told = new Set<string | undefined>();
    cluster.fault = ({ authorization }) => {
      told.add(authorization);
      return null;
    };
    const signIn = { user: 'ann', password: 'sesame: öffne' };
    const known = getCACertificates();
    setDefaultCACertificates([...known, tls!.cert]);
    using _ = { [Symbol.dispose]: () => setDefaultCACertificates(known) };
    await using client = await CheckedClient.open({ ...cluster.settings, signIn });
    await client.request({ method: 'POST', path: '/_search', body: {} });
    const expected = `Basic ${Buffer.from(`${signIn.user}:${signIn.password}`).toString('base64')}`;
    assert.deepEqual([...told], [expected]);
  });

  it('whose certificate nobody knows are not asked: the message names the setting', async () => {
    await using cluster = await FakeCluster.start(tls!);
    let asked = 0;
    cluster.fault = () => {
      asked++;
      return null;
    };
    assert.match(await faultOf(cluster.settings), /certificate; set `NODE_EXTRA_CA_CERTS`/);
    assert.equal(asked, 0);
  });

  it('that are set with http:// are told by how they hang up', async () => {
    await using cluster = await FakeCluster.start(tls!);
    const nodes = cluster.settings.nodes.map((node) => node.replace('https:', 'http:'));
    assert.match(
      await faultOf({ ...cluster.settings, nodes }),
      /; where the nodes want TLS, `COLLOQUY_OPENSEARCH_NODES` has to begin with https:\/\//,
    );
  });
});

describe('nodes that do not answer', () => {
  it('without TLS, set with https://, are told by what they answer', async () => {
    await using cluster = await FakeCluster.start();
    const nodes = cluster.settings.nodes.map((node) => node.replace('http:', 'https:'));
    assert.match(await faultOf({ ...cluster.settings, nodes }), /has to begin with http:\/\//);
  });

  it('in the end were told by the time that was left, not by what they had said before', async () => {
    await using cluster = await FakeCluster.start();
    let asked = 0;
    const red = { error: { type: 'search_phase_execution_exception', reason: 'all shards failed' } };
    cluster.fault = () => (asked++ === 0 ? { status: 503, body: red } : 'hang');
    assert.match(await faultOf(cluster.settings), /status 503, .* all shards failed/);
    assert.ok(asked > 1);
  });

  it('at a port where nobody listens, by one address or by all of a name', async () => {
    const [port] = await freePorts(1);
    const settings = { prefix: 'fake', shards: 2, replicas: 1, signIn: null };
    for (const node of [`http://127.0.0.1:${port}`, `http://localhost:${port}`]) {
      const message = await faultOf({ ...settings, nodes: [node] });
      assert.ok(
        message.endsWith(`; check that OpenSearch runs at \`COLLOQUY_OPENSEARCH_NODES\` (${node})`),
        message,
      );
    }
  });

  it('a proxy that answers for them is told apart', async () => {
    await using cluster = await FakeCluster.start();
    cluster.fault = () => ({ status: 502, body: '<html>Bad gateway</html>' });
    assert.match(
      await faultOf(cluster.settings),
      /status 502, which something other than OpenSearch has answered; check `COLLOQUY_OPENSEARCH_NODES`/,
    );
  });

  it('are told by a command in one line, with no line of the log before it', async () => {
    using folder = temporaryFolder();
    await using running = start(['import', 'sample/posts.ndjson', '--data', join(folder.path, 'data')], {
      COLLOQUY_ENGINE: 'opensearch',
      COLLOQUY_OPENSEARCH_NODES: `http://127.0.0.1:${(await freePorts(1))[0]}`,
    });
    assert.equal(await running.ended, 1);
    assert.match(
      running.output.stderr,
      /^colloquy: OpenSearch: .*ECONNREFUSED.*; check that OpenSearch runs at .*\n$/,
    );
  });
});
