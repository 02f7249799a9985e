// The door to the engine: while all places are taken, whatever asks it is refused before its query is read, and all
// else is answered.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, it } from 'node:test';
import type { FastifyInstance, LightMyRequestResponse } from 'fastify';
import { comment, post } from '../helpers.ts';
import { listen as listenAt } from './export-client.ts';
import { type Heard, listen } from './listening.ts';
import { openService, type Service } from './service.ts';
import { exchange } from './socket.ts';

/** One at work, and nobody waits. */
const ONE = { atOnce: 1, queueMs: 1 };
const CATS = '/api/v1/search/posts?query=cats';

interface Site extends AsyncDisposable {
  readonly service: Service;
  readonly server: FastifyInstance;
  readonly port: number;
  /** With a key, or by a visitor. */
  get(path: string, headers?: Record<string, string>): Promise<LightMyRequestResponse>;
}

async function openDoor(admission = ONE, requestsPerMinute = 0, heard?: Heard): Promise<Site> {
  const posts = [post({ id: '1', title: 'cats' })];
  const service = await openService(posts, [comment({ id: 'c', post: '1', body: 'dogs' })]);
  const server = await service.build({ ...heard?.deps, archive: {}, admission, requestsPerMinute });
  const port = await listenAt(server);
  const keyed = (path: string) =>
    path.startsWith('/api/') ? { authorization: `Bearer ${service.keys.good}` } : {};
  return {
    ...{ service, server, port },
    get: (url, headers = {}) => server.inject({ url, headers: { ...keyed(url), ...headers } }),
    [Symbol.asyncDispose]: () => service[Symbol.asyncDispose](),
  };
}

/** Takes a place by a question that is not answered until this is disposed of. */
async function held({ service, get }: Site, path: string): Promise<AsyncDisposable> {
  const { ask } = service.engine;
  const asked = Promise.withResolvers<void>();
  const over = Promise.withResolvers<void>();
  service.engine.ask = async (question, signal) => {
    asked.resolve();
    await over.promise;
    return await ask.call(service.engine, question, signal);
  };
  const answer = get(path);
  await asked.promise;
  return {
    async [Symbol.asyncDispose]() {
      service.engine.ask = ask;
      over.resolve();
      assert.equal((await answer).statusCode, 200);
    },
  };
}

/** Every endpoint that takes a key, with an address that it would answer or refuse with a 400. */
async function keyedAddresses(server: FastifyInstance): Promise<string[]> {
  const { body } = await server.inject('/api/v1/openapi.json');
  const { paths } = JSON.parse(body) as { paths: Record<string, { get?: { security?: readonly object[] } }> };
  return Object.entries(paths)
    .filter(([, { get }]) => get?.security !== undefined && get.security.length > 0)
    .map(([path]) => path.replace(/\{\w+\}/g, '1'));
}

/** Or asks no engine. */
const HAS_OWN_LIMIT = /^\/api\/v1\/(?:citations|datasets|export)/;

describe('while all places are taken', () => {
  it('every endpoint that asks the engine is busy before it looks at its parameters', async () => {
    await using site = await openDoor();
    const addresses = (await keyedAddresses(site.server)).filter((address) => !HAS_OWN_LIMIT.test(address));
    assert.ok(addresses.length > 15);
    await using _ = await held(site, CATS);
    for (const address of addresses) {
      for (const query of ['', '?query=before:x', '?nonsense=1']) {
        const url = address + query;
        const headers = { authorization: `Bearer ${site.service.keys.second}` };
        const response = await site.get(url, headers);
        assert.deepEqual([url, response.statusCode, response.json().code], [url, 503, 'busy']);
        assert.equal(response.headers['retry-after'], '1');
      }
    }
  });

  it('HEAD is refused like GET, and so is one that has the answer already', async () => {
    await using site = await openDoor();
    const { headers } = await site.get(CATS);
    const own = { authorization: `Bearer ${site.service.keys.good}`, 'if-none-match': `${headers.etag}` };
    await using _ = await held(site, CATS);
    for (const method of ['GET', 'HEAD'] as const) {
      assert.equal((await site.server.inject({ method, url: CATS, headers: own })).statusCode, 503);
    }
    // It counts what would come, and has no place of exports.
    const url = '/api/v1/export/posts?query=cats';
    assert.equal((await site.server.inject({ method: 'HEAD', url, headers: own })).statusCode, 503);
  });

  it('pages that ask the engine are busy, with words for people', async () => {
    await using site = await openDoor();
    await using _ = await held(site, '/search?query=cats');
    for (const path of [
      ...['/', '/search?query=dogs', '/search?query=before:x', '/breakdown?query=cats&field=domain'],
      ...['/pictures?query=cats', '/record/posts/1', '/record/comments/c'],
      ...['/thread/1', '/suggest?item=/r/c'],
    ]) {
      const { statusCode, headers, body } = await site.server.inject(path);
      assert.deepEqual([path, statusCode, headers['retry-after']], [path, 503, '1']);
      assert.match(body, /<h1 id="problem">The server is busy at the moment<\/h1>/, path);
    }
  });

  it('what does not ask the engine is answered: health, documents, styles, who has no key, exports', async () => {
    await using site = await openDoor();
    const { body } = await site.server.inject('/about');
    const [style] = /\/assets\/[^" ]+/.exec(body) ?? assert.fail('no style');
    await using _key = await held(site, CATS);
    for (const path of [
      ...['/readyz', '/healthz', '/api/v1/openapi.json', '/docs', '/docs/reference', '/about', '/status'],
      ...['/robots.txt', '/datasets', '/api/v1/datasets', style, '/api/v1/export/posts?query=cats'],
      '/api/v1/export/comments/schema',
    ])
      assert.equal((await site.get(path)).statusCode, 200, path);
    assert.equal((await site.server.inject(CATS)).statusCode, 401);
    assert.equal((await site.get('/api/v1/datasets/a/b.csv')).statusCode, 404);
  });

  it('somebody else is let in by the one place more, where it is known that they ask for little', async (t) => {
    t.mock.method(performance, 'now', () => 0);
    await using site = await openDoor();
    assert.equal((await site.get(CATS)).statusCode, 200);
    await using _ = await held(site, '/search?query=cats');
    site.service.engine.ask = async () => assert.fail('asked');
    assert.equal((await site.server.inject('/search?query=cats')).statusCode, 503);
    assert.equal((await site.get(`${CATS}&limit=x`)).statusCode, 400);
  });
});

describe('a refusal that comes quickly, without the framework', () => {
  const PAGES = [
    ...['/', '/search?query=cats', '/pictures?query=cats', '/compare?query=cats&query=dogs', '/thread/1'],
    ...['/record/posts/1', '/suggest?item=/r/c'],
  ];

  /** What the same request gets over a socket. */
  async function overSocket({ port }: Site, lines: string) {
    const [answer] = await exchange(port, `${lines}\r\nHost: x\r\nConnection: close\r\n\r\n`);
    return answer!;
  }

  it('is the answer that the whole way gives', async () => {
    await using site = await openDoor();
    const { server, service } = site;
    await using _ = await held(site, CATS);
    const authorization = `Bearer ${service.keys.second}`;
    for (const method of ['GET', 'HEAD'] as const) {
      const slow = await server.inject({ method, url: CATS, headers: { authorization } });
      const quick = await overSocket(site, `${method} ${CATS} HTTP/1.1\r\nAuthorization: ${authorization}`);
      const plain = (headers: object) =>
        Object.entries(headers)
          .filter(([name]) => !['date', 'connection', 'x-request-id'].includes(name))
          .sort();
      assert.deepEqual([quick.status, plain(quick.headers)], [503, plain(slow.headers)]);
      const body = (text: string) => ({ ...JSON.parse(text || '{}'), request_id: '' });
      assert.deepEqual(body(quick.body), method === 'HEAD' ? body('') : body(slow.body));
      for (const url of PAGES) {
        const slowPage = await server.inject({ method, url });
        const quickPage = await overSocket(site, `${method} ${url} HTTP/1.1`);
        assert.equal(quickPage.status, 503, url);
        assert.deepEqual(plain(quickPage.headers), plain(slowPage.headers), url);
        assert.equal(Buffer.from(quickPage.body, 'latin1').toString(), slowPage.body);
      }
    }
    assert.equal((await overSocket(site, 'GET /compare?query=cats&query= HTTP/1.1')).status, 200, 'its form');
  });

  it('is counted like others, and has no line of its own', async () => {
    const heard = listen();
    await using site = await openDoor(ONE, 0, heard);
    const { server, service } = site;
    await using _ = await held(site, CATS);
    const line = `GET ${CATS} HTTP/1.1\r\nAuthorization: Bearer ${service.keys.good}`;
    for (let i = 0; i < 3; i++) assert.equal((await overSocket(site, line)).status, 503);
    for (const path of PAGES) assert.equal((await overSocket(site, `GET ${path} HTTP/1.1`)).status, 503);
    const { body } = await server.inject({ url: '/metrics', headers: { host: '127.0.0.1' } });
    const expected =
      /^colloquy_requests_total\{route="\/api\/v1\/search\/posts",method="GET",status="503"\} 3$/m;
    assert.match(body, expected);
    assert.match(body, /^colloquy_requests_total\{route="\/thread\/:post",method="GET",status="503"\} 1$/m);
    assert.match(body, RegExp(`^colloquy_refusals_total\\{code="busy"\\} ${3 + PAGES.length}$`, 'm'));
    assert.match(body, RegExp(`^colloquy_admission_refused_at_once_total ${3 + PAGES.length}$`, 'm'));
    assert.deepEqual(heard.lines, []);
  });

  it('leaves its connection idle: a stop waited its whole 10 s for those', async (t) => {
    await using site = await openDoor();
    const { server, service } = site;
    const socket = connect(site.port, '127.0.0.1');
    {
      await using _ = await held(site, CATS);
      socket.write(`GET ${CATS} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${service.keys.second}\r\n\r\n`);
      const [answer] = (await once(socket, 'data')) as [Buffer];
      assert.match(answer.toString(), /^HTTP\/1\.1 503 /);
    }
    // The end of those 10 s never comes.
    t.mock.method(performance, 'now', () => 0);
    await Promise.all([server.close(), once(socket, 'close')]);
  });

  it('comes behind what else is wrong, and counts for the rate', async () => {
    await using site = await openDoor(ONE, 12);
    await using _ = await held(site, CATS);
    const key = `Authorization: Bearer ${site.service.keys.second}`;
    const ask = async (line: string) => {
      const { status, headers } = await overSocket(site, line);
      return [status, headers.ratelimit];
    };
    assert.deepEqual(await ask(`GET ${CATS} HTTP/1.1`), [401, undefined]);
    assert.deepEqual(await ask(`GET ${CATS} HTTP/1.1\r\nAuthorization: Bearer clq_x`), [401, undefined]);
    assert.deepEqual(await ask(`DELETE ${CATS} HTTP/1.1\r\n${key}`), [405, undefined]);
    assert.deepEqual(await ask(`GET ${CATS} HTTP/1.1\r\n${key}`), [503, '"burst";r=0;t=10']);
    assert.deepEqual(await ask(`GET ${CATS} HTTP/1.1\r\n${key}`), [429, '"burst";r=0;t=10']);
  });
});

describe('a place', () => {
  it('is given back whatever became of the request', async () => {
    await using site = await openDoor();
    const { ask } = site.service.engine;
    const { etag } = (await site.get(CATS)).headers;
    for (const [path, status, headers] of [
      [CATS, 200],
      [`${CATS}&limit=x`, 400],
      ['/api/v1/search/posts?query=before:x', 400],
      [CATS, 304, { 'if-none-match': `${etag}` }],
      [CATS, 200, { 'accept-encoding': 'gzip' }],
      ['/api/v1/thread/none', 404],
      ['/api/v1/export/posts?query=cats', 200],
      ['/api/v1/export/posts?query=cats', 200],
      ['/search?query=cats', 200],
      ['/search?query=before:x', 400],
      ['/search?query=cats&after=1', 403],
      ['/record/posts/none', 404],
      ['/thread/1', 200],
      ['/suggest?item=/r/c', 200],
      ['/breakdown?query=cats&field=domain', 200],
      ['/', 200],
    ] as const) {
      assert.deepEqual([path, (await site.get(path, headers)).statusCode], [path, status]);
    }
    site.service.engine.ask = () => Promise.reject(new Error('broken'));
    for (const path of [CATS, '/search?query=cats']) assert.equal((await site.get(path)).statusCode, 500);
    site.service.engine.ask = ask;
    for (const path of [CATS, '/search?query=cats']) assert.equal((await site.get(path)).statusCode, 200);
  });

  it('is given back when its caller hangs up, and those that wait behind leave the queue', async () => {
    await using site = await openDoor({ atOnce: 1, queueMs: 60_000 });
    const { ask } = site.service.engine;
    let asked = 0;
    const first = Promise.withResolvers<void>();
    site.service.engine.ask = (_, signal) => {
      asked++;
      first.resolve();
      return new Promise((_resolve, reject) => {
        signal?.addEventListener('abort', () => reject(signal.reason));
      });
    };
    const head = `Host: x\r\nAuthorization: Bearer ${site.service.keys.good}\r\n\r\n`;
    const sockets = Array.from({ length: 20 }, () => connect(site.port, '127.0.0.1'));
    const requests = Promise.withResolvers<void>();
    let came = 0;
    site.server.server.on('request', () => ++came === sockets.length && requests.resolve());
    for (const socket of sockets) socket.write(`GET ${CATS} HTTP/1.1\r\n${head}`);
    await Promise.all([first.promise, requests.promise]);
    const last = site.get(CATS);
    for (const socket of sockets) socket.destroy();
    await Promise.all(sockets.map((socket) => once(socket, 'close')));
    site.service.engine.ask = ask;
    assert.equal((await last).statusCode, 200);
    assert.equal(asked, 1);
  });
});
