// What /metrics tells, and whom.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, it } from 'node:test';
import { openApp } from '../../src/app.ts';
import { readConfig } from '../../src/config.ts';
import { packRecords } from '../../src/engines/packing/packed-records.ts';
import { UsageError } from '../../src/errors.ts';
import { indexFamilies } from '../../src/features/monitoring/figures.ts';
import { CLASS_NAMES, workClassOf } from '../../src/features/monitoring/request-watch.ts';
import { registryOf, watcherOf } from '../../src/features/monitoring/watcher.ts';
import type { Server } from '../../src/http/server.ts';
import { LogLines } from '../../src/log.ts';
import { EngineUnavailable } from '../../src/model/engine-errors.ts';
import { openSite, routesOf } from '../account-pages/site.ts';
import { COMMENTS, POSTS } from '../api/corpus.ts';
import { listen as listenAt } from '../api/export-client.ts';
import { listen } from '../api/listening.ts';
import { openService } from '../api/service.ts';
import { exchange } from '../api/socket.ts';
import { serverOver } from '../archive.ts';
import { NO_SOURCE_FACTS, temporaryFolder } from '../helpers.ts';
import { ofTests } from '../of-tests.ts';
import { missing } from '../processes.ts';

const PAGE = readFileSync(new URL('../../docs/monitoring.md', import.meta.url), 'utf8');

/** Name, type and labels of each metric that the document lists. */
const DOCUMENTED = [...PAGE.matchAll(/^\| `([a-z_0-9]+)` \| (counter|gauge|histogram)([^|]*)\|/gm)].map(
  ([, name, type, labels]) => ({
    ...{ name: name!, type: type! },
    labels: [...labels!.matchAll(/`(\w+)`/g)].map(([, label]) => label!).sort(),
  }),
);

interface Told {
  readonly name: string;
  readonly type: string;
  readonly labels: readonly string[];
}

/** What a text of metrics has, by the lines `# TYPE`, with all labels of its samples but `le`. */
function toldBy(metrics: string): Told[] {
  return [...metrics.matchAll(/^# TYPE (\S+) (\S+)\n((?:[^#\n].*\n)*)/gm)].map(([, name, type, samples]) => ({
    ...{ name: name!, type: type! },
    labels: [...new Set([...samples!.matchAll(/[{,](\w+)="/g)].map(([, label]) => label!))]
      .filter((label) => label !== 'le')
      .sort(),
  }));
}

describe('the metrics of a server', async () => {
  const opened = ofTests(new AsyncDisposableStack());
  const folder = opened.use(temporaryFolder());
  let metrics: string;

  const config = { ...readConfig({}), dataFolder: folder.path, threads: 1 };
  const app = opened.use(await openApp(config, { sample: true }));
  const times = { started: 1, finished: 2 };
  const source = { file: 'a', checksum: '', where: null, ...NO_SOURCE_FACTS };
  app.catalogue.addImports([{ ...source, ...times, counts: {} }]);
  const lines = opened.use(new LogLines(null));
  const security = () => undefined;
  const watch = watcherOf({ ...config, logRequests: 'off' }, { lines, security });
  const server = await serverOver(app, { security, watch });
  opened.defer(() => server.close());
  const address = `http://127.0.0.1:${await listenAt(server)}`;
  for (const path of ['search?query=cat', 'nothing/here', 'metrics', 'metrics'])
    metrics = await (await fetch(`${address}/${path}`)).text();

  it('are those of docs/monitoring.md, with their types and labels', () => {
    const byName = (a: Told, b: Told) => (a.name < b.name ? -1 : 1);
    const isLinux = process.platform === 'linux';
    const expected = DOCUMENTED.filter(({ name }) => isLinux || !name.endsWith('_fds'));
    const isListed = ({ name }: Told) =>
      !/^(?:process|nodejs)_/.test(name) || expected.some((listed) => listed.name === name);
    assert.deepEqual(toldBy(metrics).filter(isListed).sort(byName), expected.sort(byName));
  });

  it('are what promtool accepts', { skip: missing('promtool') }, () => {
    const options = { input: metrics, encoding: 'utf8' } as const;
    const { status, stderr } = spawnSync('promtool', ['check', 'metrics'], options);
    assert.deepEqual({ status, stderr }, { status: 0, stderr: '' });
  });

  it('have figures of the index', () => {
    assert.match(metrics, /^colloquy_ready 1$/m);
    assert.match(metrics, /^colloquy_records\{kind="posts"\} [1-9]\d*$/m);
    assert.match(metrics, /^colloquy_last_import_time_seconds 2$/m);
    assert.match(metrics, /^colloquy_connections_open [1-9]\d*$/m);
  });

  const files: readonly (readonly [what: string, content: string | null, expected: RegExp])[] = [
    ['a file that is not there', null, /16 characters or more, found `[^`]+` \(ENOENT\)$/],
    ['a short token', 'too-short\n', /16 characters or more, found other content in `[^`]+`$/],
    ['two lines', 'a-token-of-many\ncharacters-and-more\n', /found other content in/],
  ];
  for (const [what, content, message] of files) {
    it(`COLLOQUY_METRICS: ${what} is refused at the start`, () => {
      const file = join(folder.path, 'token');
      if (content !== null) writeFileSync(file, content);
      assert.throws(
        () => watcherOf({ ...app.config, metrics: file }, listen().told),
        (error: Error) => error instanceof UsageError && message.test(error.message),
      );
    });
  }

  it('the classes of work are those of docs/monitoring.md', () => {
    const told = /^Classes of work: ([\s\S]*?)\n\n/m.exec(PAGE)![1]!.split('Requests that')[0]!;
    const names = [...told.replace(/\([^)]*\)/g, '').matchAll(/`(\w+)`/g)].map(([, name]) => name!);
    assert.deepEqual(names.sort(), [...CLASS_NAMES].sort());
  });
});

describe('a kind that is damaged', () => {
  it('is not readable, the server not ready, and the other kind has its figures', async () => {
    using folder = temporaryFolder();
    const config = { ...readConfig({}), dataFolder: folder.path, threads: 1 };
    {
      await using app = await openApp(config);
      await app.engine.index('post', packRecords(POSTS));
      await app.engine.index('comment', packRecords(COMMENTS));
    }
    writeFileSync(join(folder.path, 'comments.db'), 'not a database, however long one looks at it');
    await using app = await openApp(config);
    const metrics = await registryOf(await indexFamilies(app)).metrics();
    assert.match(metrics, /^colloquy_ready 0$/m);
    for (const line of ['{kind="posts"} 1', '{kind="comments"} 0'])
      assert.ok(metrics.includes(`\ncolloquy_index_readable${line}\n`), line);
    assert.match(metrics, new RegExp(`^colloquy_records\\{kind="posts"\\} ${POSTS.length}$`, 'm'));
    assert.doesNotMatch(metrics, /^colloquy_records\{kind="comments"/m);
  });

  it('an engine that is out of reach: the server is not ready, and nothing is told of the index', async () => {
    using folder = temporaryFolder();
    await using app = await openApp({ ...readConfig({}), dataFolder: folder.path, threads: 1 });
    app.engine.warm = () => Promise.reject(new EngineUnavailable('out of reach'));
    const metrics = await registryOf(await indexFamilies(app)).metrics();
    assert.match(metrics, /^colloquy_ready 0$/m);
    assert.doesNotMatch(metrics, /colloquy_records/);
  });
});

describe('who may read them', async () => {
  const TOKEN = 'a-token-of-many-characters';

  const service = ofTests(await openService([], []));
  const open = await service.build({ ...listen().deps, trustedProxies: ['127.0.0.1'] });
  const guarded = await service.build({ ...listen({ metrics: { kind: 'token', token: TOKEN } }).deps });

  const here: readonly (readonly [what: string, number, host: string, address: string, headers?: object])[] =
    [
      ['this machine, by its address', 200, '127.0.0.1:8080', '127.0.0.1'],
      ['this machine, by IPv6', 200, '[::1]:8080', '::1'],
      ['this machine, by IPv4 as IPv6 has it', 200, 'localhost', '::ffff:127.0.0.1'],
      ['another machine', 403, 'localhost', '192.0.2.1'],
      ['a page of a site whose name leads here', 403, 'evil.example', '127.0.0.1'],
      ['a proxy that names its caller', 403, 'localhost', '127.0.0.1', { 'x-forwarded-for': '127.0.0.1' }],
      ['a proxy that says it is one', 403, 'localhost', '127.0.0.1', { via: '1.1 proxy' }],
      ['a proxy of RFC 7239', 403, 'localhost', '127.0.0.1', { forwarded: 'for=127.0.0.1' }],
      ['a proxy that says the name', 403, 'localhost', '127.0.0.1', { 'x-forwarded-host': 'localhost' }],
    ];
  for (const [what, status, host, remoteAddress, headers] of here) {
    it(`${what}: ${status}`, async () => {
      const response = await open.inject({ url: '/metrics', remoteAddress, headers: { host, ...headers } });
      assert.equal(response.statusCode, status);
      assert.equal(response.headers['access-control-allow-origin'], undefined);
      assert.equal(response.body.includes('colloquy_requests_under_way'), status === 200);
    });
  }

  const tokens: readonly (readonly [what: string, status: number, authorization?: string])[] = [
    ['the token', 200, `Bearer ${TOKEN}`],
    ['no token', 401],
    ['another token', 401, `Bearer ${TOKEN}x`],
    ['the token in another scheme', 401, `Basic ${TOKEN}`],
  ];
  for (const [what, status, authorization] of tokens) {
    it(`with ${what}: ${status}, from anywhere`, async () => {
      const headers = authorization === undefined ? {} : { authorization };
      const response = await guarded.inject({ url: '/metrics', remoteAddress: '192.0.2.1', headers });
      assert.equal(response.statusCode, status);
    });
  }

  it('everybody behind a proxy that sets no header: 403 once such a proxy is seen', async () => {
    const ask = (server: Server, host: string) =>
      server.inject({ url: '/metrics', remoteAddress: '127.0.0.1', headers: { host } });
    const server = await service.build({ ...listen().deps });
    for (const [host, status] of [
      ['localhost', 200],
      ['search.example.org', 403],
      ['localhost', 403],
    ] as const)
      assert.equal((await ask(server, host)).statusCode, status);
    const told = await service.build({ ...listen().deps, publicUrl: 'https://search.example.org' });
    assert.equal((await ask(told, 'localhost')).statusCode, 403);
    const old = await service.build({ ...listen().deps });
    // As `proxy_pass http://127.0.0.1:8080;` of nginx asks.
    const asked = 'GET /metrics HTTP/1.0\r\nHost: 127.0.0.1:8080\r\nConnection: close\r\n\r\n';
    assert.equal((await exchange(await listenAt(old), asked))[0]!.status, 403);
  });

  it('nobody: 404', async () => {
    const closed = await service.build({ ...listen({ metrics: null }).deps });
    assert.equal((await closed.inject('/metrics')).statusCode, 404);
  });

  it('a program that asks by a socket in the file system: 200', async () => {
    using folder = temporaryFolder();
    const server = await service.build({ ...listen().deps });
    const path = join(folder.path, 'socket');
    await server.listen({ path });
    const socket = connect(path);
    socket.write('GET /metrics HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
    assert.match(await text(socket), /^HTTP\/1.1 200 /);
  });
});

describe('what is counted', () => {
  it('a request is counted by the pattern of its path, never by what stands in it', async () => {
    await using service = await openService(POSTS, COMMENTS);
    const server = await service.build({ ...listen().deps });
    const headers = { authorization: `Bearer ${service.keys.good}` };
    for (const path of ['thread/abcmarked', 'search/posts?query=marked'])
      await server.inject({ url: `/api/v1/${path}`, headers });
    for (const url of ['/marked/path', '/%ffmarked']) await server.inject(url);
    await server.inject({ url: '/api/v1/search/posts?query=marked', method: 'DELETE' });
    const { body } = await server.inject('/metrics');
    const lines = [
      'colloquy_requests_total{route="/api/v1/search/posts",method="GET",status="200"} 1',
      'colloquy_requests_total{route="/api/v1/thread/:post",method="GET",status="404"} 1',
      'colloquy_requests_total{route="none",method="GET",status="404"} 1',
      'colloquy_requests_total{route="none",method="GET",status="400"} 1',
      'colloquy_refusals_total{code="method_not_allowed"} 1',
      'colloquy_request_seconds_count{class="search"} 1',
      'colloquy_requests_under_way 1',
    ];
    for (const line of lines) assert.ok(body.split('\n').includes(line), line);
    assert.doesNotMatch(body, /marked/);
  });

  it('what cannot be read as a request is counted as a refusal', async () => {
    await using service = await openService([], []);
    const server = await service.build({ ...listen().deps });
    const [answer] = await exchange(await listenAt(server), 'marked\r\n\r\n');
    assert.match(answer!.body, /"code":"malformed_request"/);
    const { body } = await server.inject('/metrics');
    assert.match(body, /^colloquy_refusals_total\{code="malformed_request"\} 1$/m);
  });

  it('a caller that went before its answer is 499, and is not under way any more', async () => {
    await using service = await openService(POSTS, COMMENTS);
    const heard = listen();
    const server = await service.build({ ...heard.deps });
    const begun = Promise.withResolvers<void>();
    service.engine.ask = (_question, signal) => {
      begun.resolve();
      return new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)));
    };
    const socket = connect(await listenAt(server), '127.0.0.1');
    const key = `Authorization: Bearer ${service.keys.good}`;
    socket.write(`GET /api/v1/search/posts?query=cat HTTP/1.1\r\nHost: localhost\r\n${key}\r\n\r\n`);
    await begun.promise;
    socket.destroy();
    await once(socket, 'close');
    while (heard.lines.length === 0) await new Promise(setImmediate);
    const { body } = await server.inject('/metrics');
    assert.match(body, /^colloquy_requests_total\{.*posts",method="GET",status="499"\} 1$/m);
    assert.match(body, /^colloquy_requests_under_way 1$/m);
    assert.equal(heard.lines[0]!.status, 499);
  });

  it('every route has a class of work, and only paths of the service itself are of none other', async () => {
    await using site = await openSite();
    const routes = [...new Set((await routesOf(site)).map(({ path }) => path))];
    assert.ok(routes.length > 40);
    const own = routes.filter((path) => workClassOf(path) === 'service');
    const expected =
      /^\/(?:about|api\/v1\/(?:openapi\.json|export\/\w+\/schema)|assets\/.*|docs.*|healthz|livez|metrics|opensearch\.xml|privacy|readyz|robots\.txt|settings|status|theme)$/;
    for (const path of own) assert.match(path, expected);
  });
});
