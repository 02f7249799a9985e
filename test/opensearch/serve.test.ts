// `colloquy serve` as a process, over a cluster that is not there when it starts.

import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { temporaryFolder } from '../helpers.ts';
import { type Running, serve, start, until } from '../processes.ts';
import { FakeCluster, nothingFound, ok } from './fake-cluster.ts';
import { environmentOf } from './place.ts';

function ofCluster({ settings }: FakeCluster): Record<string, string> {
  return { ...environmentOf(settings), COLLOQUY_THREADS: '0' };
}

/** As a process that may never be ready. */
function begin(data: string, cluster: FakeCluster): Running {
  return start(['serve', '--data', data, '--port', '0'], ofCluster(cluster));
}

/** What one of its streams has said, once it fits. */
async function said(
  { output, process: child }: Running,
  name: 'stdout' | 'stderr',
  words: RegExp,
): Promise<string> {
  const found = await until(async () => {
    assert.equal(child.exitCode, null, output.stderr);
    return words.exec(output[name]);
  });
  return found[1]!;
}

// One waits until a cluster that did not answer is asked again.
describe('colloquy serve over OpenSearch', { concurrency: true }, () => {
  it('starts before its cluster, is not ready, and says when it is', async () => {
    using folder = temporaryFolder();
    await using cluster = await FakeCluster.start();
    cluster.fault = () => ({
      status: 503,
      body: { error: { type: 'cluster_manager_not_discovered_exception' } },
    });
    await using running = begin(folder.path, cluster);
    const address = await said(
      running,
      'stderr',
      /"level":"warn",.*"Colloquy listens at (\S+) and is not ready yet: OpenSearch: .+"\}$/m,
    );
    assert.equal(running.output.stdout, '');
    const ready = () => fetch(`${address}/readyz`);
    const answer = await ready();
    assert.equal(answer.status, 503);
    assert.equal(((await answer.json()) as { code: string }).code, 'engine_unavailable');
    cluster.fault = null;
    assert.equal(await said(running, 'stdout', /^Colloquy is ready: (\S+)$/m), address);
    assert.equal((await ready()).status, 200);
    running.process.kill('SIGTERM');
    assert.equal(await running.ended, 0);
    assert.equal(
      existsSync(join(folder.path, '.sample')),
      false,
      'nobody could tell whether the index is empty',
    );
  });

  it('shows the sample over an empty index, from the embedded engine: none of it is written to the cluster', async () => {
    using folder = temporaryFolder();
    await using cluster = await FakeCluster.start();
    cluster.state.indices = {};
    const written: string[] = [];
    cluster.fault = ({ method, path }) => {
      const isWrite = method !== 'GET' && /_bulk|_doc|_create/.test(path);
      if (method === 'PUT' || isWrite) written.push(`${method} ${path}`);
      return null;
    };
    await using server = await serve(['--data', folder.path], ofCluster(cluster));
    const page = await fetch(`${server.address}/search?query=battery`);
    assert.equal(page.status, 200);
    assert.match(await page.text(), /<h1 id="total">[1-9]/);
    assert.equal(await server.kill('SIGTERM'), 0);
    const others = written.filter((call) => !call.includes('manifest'));
    assert.deepEqual(others, []);
  });

  it('warns where the cluster has records and the folder no list of removals, which is lost', async () => {
    using folder = temporaryFolder();
    await using cluster = await FakeCluster.start();
    const warning = /catalogue\.db.*expected the catalogue of the records that are there already/;
    const started = async (data: string): Promise<string> => {
      await using server = await serve(['--data', data], ofCluster(cluster));
      assert.equal(await server.kill('SIGTERM'), 0);
      return server.output.stderr;
    };
    const data = join(folder.path, 'data');
    assert.doesNotMatch(await started(data), warning, 'nothing is in the cluster yet');
    const { hits, ...found } = nothingFound();
    const body = { ...found, hits: { ...hits, hits: [{ _id: '1' }] } };
    cluster.fault = ({ path }) => (path.endsWith('/_search') ? ok(body) : null);
    assert.doesNotMatch(await started(data), warning, 'the list is there');
    assert.match(await started(join(folder.path, 'new')), warning);
    assert.doesNotMatch(await started(join(folder.path, 'new')), warning, 'it is told once');
  });

  it('a cluster that is not as it must be: one line that says what to change, and exit code 1', async () => {
    using folder = temporaryFolder();
    await using cluster = await FakeCluster.start();
    cluster.state.persistent['search.max_buckets'] = '65535';
    await using running = begin(folder.path, cluster);
    assert.equal(await running.ended, 1);
    assert.match(
      running.output.stderr,
      /^colloquy: OpenSearch: expected `search\.max_buckets`.*PUT \/_cluster\/settings.*\n$/,
    );
  });

  it('settings that cannot be used: one line, and exit code 2', async () => {
    using folder = temporaryFolder();
    await using running = start(['serve', '--data', join(folder.path, 'data'), '--port', '0'], {
      COLLOQUY_ENGINE: 'opensearch',
    });
    assert.equal(await running.ended, 2);
    assert.match(
      running.output.stderr,
      /^colloquy: setting `COLLOQUY_OPENSEARCH_NODES`: expected .*; found none\n$/,
    );
    assert.equal(existsSync(join(folder.path, 'data')), false);
  });
});
