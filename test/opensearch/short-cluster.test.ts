// A cluster that is short of something, as callers of the service see it: never a part for the whole, and always when
// to come again.

import assert from 'node:assert/strict';
import type { AddressInfo } from 'node:net';
import { describe, it } from 'node:test';
import { Accounts } from '../../src/accounts/accounts.ts';
import { Catalogue } from '../../src/catalogue/catalogue.ts';
import { openOpenSearchEngine } from '../../src/engines/opensearch/engine.ts';
import { packRecords } from '../../src/engines/packing/packed-records.ts';
import { buildServer } from '../../src/http/server.ts';
import type { SearchEngine } from '../../src/model/engine.ts';
import { EngineUnavailable } from '../../src/model/engine-errors.ts';
import { allFeatures, archiveOver, NO_LIMITS } from '../archive.ts';
import { exported } from '../engine-export.ts';
import { EVERYTHING, RULES } from '../engine-suite.ts';
import { comment, temporaryFolder } from '../helpers.ts';
import { until } from '../processes.ts';
import { SILENT, silenceLog } from '../silent-log.ts';
import { type Asked, FakeCluster, nothingFound, ok, shards, type Told } from './fake-cluster.ts';

silenceLog();

/** The budget of a question: what hangs is given up after it. */
const BUDGET_MS = 1_000;

interface Site extends AsyncDisposable {
  readonly cluster: FakeCluster;
  ask(path: string): Promise<Response>;
  /** Of an answer that is JSON: the status, and what it says under this name. */
  told(path: string, name: 'total_count' | 'code'): Promise<unknown[]>;
  /** All is well again. Seconds later at the most: a cluster that has not answered lately is asked now and then. */
  isBack(...paths: string[]): Promise<void>;
}

const API = '/api/v1/search/posts?query=solar';

/** Those that ask the cluster. */
type Call = Exclude<
  keyof SearchEngine,
  'memoryUse' | 'expectBatches' | 'batchRecords' | 'coverage' | 'damages' | typeof Symbol.asyncDispose
>;

/** A server on a port over a cluster that is well, as it has said: others begin meanwhile. */
async function site(queryTimeoutMs = BUDGET_MS): Promise<Site> {
  await using opened = new AsyncDisposableStack();
  const cluster = opened.use(await FakeCluster.start());
  const folder = opened.use(temporaryFolder());
  const engine = opened.use(await openOpenSearchEngine(cluster.settings, { rules: RULES }));
  const accounts = opened.use(Accounts.open(folder.path));
  const { key } = accounts.createKey({ email: 'ann@example.org', name: 'test', expiresInDays: null });
  const rules = { impliedWindow: '1d', permalinkBase: '', queryTimeoutMs } as const;
  const catalogue = opened.use(Catalogue.open(folder.path));
  const archive = archiveOver({ engine, catalogue, accounts, config: rules });
  const server = await buildServer({
    archive,
    features: await allFeatures(),
    settings: { ...NO_LIMITS, publicUrl: null, trustedProxies: [] },
    log: SILENT,
  });
  opened.defer(() => server.close());
  await server.listen({ port: 0, host: '127.0.0.1' });
  const { port } = server.server.address() as AddressInfo;
  const ask = (path: string) =>
    fetch(`http://127.0.0.1:${port}${path}`, { headers: { authorization: `Bearer ${key}` } });
  const told: Site['told'] = async (path, name) => {
    const answer = await ask(path);
    return [answer.status, ((await answer.json()) as Readonly<Record<string, unknown>>)[name]];
  };
  const isBack = async (...paths: string[]) => {
    for (const path of paths) await until(async () => ((await ask(path)).status === 200 ? true : null));
  };
  await isBack('/readyz');
  const owned = opened.move();
  return {
    ...{ cluster, ask, told, isBack },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

const refused = (status: number, type: string): Told => ({
  status,
  body: { error: { type, reason: 'of the test', root_cause: [{ type, reason: 'of the test' }] }, status },
});
const found = (change: object) => ok({ ...nothingFound(), ...change });

const UNAVAILABLE = ['engine_unavailable'];
const EITHER = [...UNAVAILABLE, 'query_timeout'];

/** What a search comes back with; one of these codes is the answer. */
const SHORT: readonly (readonly [what: string, told: Told, codes: readonly string[]])[] = [
  ['a connection that breaks', 'cut', EITHER],
  ['no node that knows the shard', refused(503, 'no_shard_available_action_exception'), UNAVAILABLE],
  ['all shards failed', refused(503, 'search_phase_execution_exception'), UNAVAILABLE],
  ['a dead node, told with status 500', refused(500, 'search_phase_execution_exception'), UNAVAILABLE],
  ['no manager', refused(503, 'cluster_manager_not_discovered_exception'), UNAVAILABLE],
  ['a full queue', refused(429, 'rejected_execution_exception'), EITHER],
  [
    'status 200 with a failed shard',
    found({ _shards: { ...shards(), successful: 1, failed: 1 } }),
    UNAVAILABLE,
  ],
  [
    'status 200 with a shard that is nowhere: neither failed nor successful',
    found({ _shards: { ...shards(), successful: 1 } }),
    UNAVAILABLE,
  ],
  ['status 200 cut off by its time', found({ timed_out: true }), EITHER],
  [
    'status 200 with a total that is a bound',
    found({ hits: { total: { value: 10_000, relation: 'gte' }, hits: [] } }),
    UNAVAILABLE,
  ],
  ['status 200 without a word of its shards', ok({}), UNAVAILABLE],
  ['no answer', 'hang', ['query_timeout']],
  ['the page of a proxy', ok('<html>Welcome</html>'), EITHER],
  ['the page of a proxy that knows nothing of it', { status: 404, body: '<html>' }, EITHER],
];

// They wait for the time of questions to be over, and for a cluster that did not answer to be asked again.
describe('OpenSearch: a cluster that is short of something', { concurrency: true }, () => {
  describe('a search that comes back short', { concurrency: 5 }, () => {
    for (const [what, told, codes] of SHORT) {
      it(`${what}: 503 with Retry-After for programs, words for people`, async () => {
        await using service = await site();
        assert.deepEqual(await service.told(API, 'total_count'), [200, 0]);
        service.cluster.fault = ({ path }) => (path === '/_search' ? told : null);
        const answer = await service.ask(API);
        assert.equal(answer.status, 503);
        const { code } = (await answer.json()) as { readonly code: string };
        assert.ok(codes.includes(code), code);
        assert.ok(Number(answer.headers.get('retry-after')) >= 1);
        const page = await service.ask('/search?query=solar');
        assert.equal(page.status, 503);
        assert.ok(Number(page.headers.get('retry-after')) >= 1);
        assert.match(await page.text(), /The search engine is not responding|This search took too long/);
        service.cluster.fault = null;
        await service.isBack(API);
      });
    }
  });

  describe('a search that comes back short for a moment', () => {
    for (const [what, told] of [
      ['no node that knows the shard', refused(503, 'no_shard_available_action_exception')],
      ['status 200 without a shard', found({ _shards: { ...shards(), successful: 1 } })],
    ] as const) {
      it(`${what}: it is asked again for as long as its time budget lasts`, async () => {
        await using service = await site(60_000);
        assert.equal((await service.ask(API)).status, 200);
        let faults = 5;
        service.cluster.fault = ({ path }) => (path === '/_search' && faults-- > 0 ? told : null);
        assert.deepEqual(await service.told(API, 'total_count'), [200, 0]);
        assert.ok(faults < 0);
      });
    }
  });

  /** What happens to every request. */
  const DOWN: readonly (readonly [what: string, fault: (asked: Asked) => Told | null])[] = [
    ['no node is there', () => 'cut'],
    ['no manager', () => refused(503, 'cluster_manager_not_discovered_exception')],
    [
      'the shard with the manifest has no copy',
      ({ path }) =>
        path === '/_mget'
          ? ok({ docs: [{ _id: 'x', error: { type: 'no_shard_available_action_exception' } }] })
          : null,
    ],
    ['something else answers', () => ({ status: 404, body: '<html>' })],
    ['nobody answers', () => 'hang'],
  ];

  describe('a cluster that is out of reach', () => {
    for (const [what, fault] of DOWN) {
      it(`${what}: searches and readiness are 503 \`engine_unavailable\``, async () => {
        await using service = await site();
        service.cluster.fault = fault;
        const paths = [API, '/readyz', '/healthz', '/search?query=solar'];
        const answers = await Promise.all(paths.map((path) => service.ask(path)));
        for (const [i, path] of paths.entries()) {
          const answer = answers[i]!;
          assert.equal(answer.status, 503, path);
          assert.ok(Number(answer.headers.get('retry-after')) >= 1, path);
          const said = await answer.text();
          const isPage = path.startsWith('/search');
          if (isPage) assert.match(said, /The search engine is not responding/);
          else assert.equal(JSON.parse(said).code, 'engine_unavailable', path);
        }
        service.cluster.fault = null;
        await service.isBack('/readyz', API);
      });
    }

    it('readiness asks every shard: one that is nowhere is 503, though the manifests can be read', async () => {
      await using service = await site();
      service.cluster.fault = ({ path }) =>
        path === '/_search' ? found({ _shards: { ...shards(), successful: 1 } }) : null;
      assert.deepEqual(await service.told('/readyz', 'code'), [503, 'engine_unavailable']);
    });

    it('every call of the engine throws an EngineUnavailable, and none is a part', async () => {
      await using cluster = await FakeCluster.start();
      const patience = { requestMs: 300, slowMs: 300, documentsMs: 300 };
      await using engine = await openOpenSearchEngine(cluster.settings, { rules: RULES }, patience);
      const question = { kind: 'comment', query: EVERYTHING } as const;
      const batch = packRecords([comment({ id: '1' })]);
      const calls: Readonly<Record<Call, () => Promise<unknown>>> = {
        index: () => engine.index('comment', batch),
        hide: () => engine.hide(1, 'comment', { ids: ['1'] }),
        restore: () => engine.restore(1),
        buried: () => Array.fromAsync(engine.buried('comment')),
        hiddenCount: () => engine.hiddenCount(),
        lastRemoval: () => engine.lastRemoval('comment'),
        purge: () => engine.purge(),
        maintain: () => engine.maintain(),
        refresh: () => engine.refresh(),
        ask: () => engine.ask(question),
        records: () => engine.records({ kind: 'comment', ids: ['1'] }),
        askAll: () => engine.askAll([question]),
        scan: () => Array.fromAsync(engine.scan('comment', EVERYTHING, 'newest')),
        export: () => exported(engine, { kind: 'comment' }),
        isEmpty: () => engine.isEmpty(),
        checkpoints: () => engine.checkpoints('comment'),
        stats: () => engine.stats(),
        fingerprints: () => engine.fingerprints(),
        lastArrivals: () => engine.lastArrivals(),
        warm: () => engine.warm(),
      };
      cluster.fault = () => 'cut';
      for (const [name, call] of Object.entries(calls)) await assert.rejects(call(), EngineUnavailable, name);
    });
  });
});
