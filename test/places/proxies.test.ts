// Colloquy behind real proxies that are set up as examples/ says, over TLS, at a unix socket.

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { connect as connectHttp2 } from 'node:http2';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { connect as connectTls } from 'node:tls';
import fc from 'fast-check';
import type { FastifyInstance } from 'fastify';
import { listen } from '../../src/cli/serving/listening.ts';
import { packRecords } from '../../src/engines/packing/packed-records.ts';
import { COMMENTS, POSTS } from '../api/corpus.ts';
import { requestsOf } from '../api/request-generator.ts';
import { openService } from '../api/service.ts';
import { post, temporaryFolder } from '../helpers.ts';
import {
  type Asked,
  askDirectly,
  askPlainly,
  askProxy,
  CALLER,
  type Got,
  obstacle,
  RECIPES,
  type RunningProxy,
  SITE_NAME,
  startProxy,
} from './proxies.ts';

/** A page of them is some megabytes. */
const LONG = Array.from({ length: 400 }, (_, i) =>
  post({ id: `long${i}`, title: `Solar ${i}`, selftext: `panel ${i} `.repeat(1_000) }),
);

/** Random ones; `COLLOQUY_TEST_PROXIES=all` sends more. */
const REQUESTS = process.env.COLLOQUY_TEST_PROXIES === 'all' ? 500 : 150;

/** Longer than an answer takes. */
const SILENCE_MS = 150;

/** What a proxy may change, or what is another each time. */
const OWN_HEADERS = [
  ...['connection', 'keep-alive', 'date', 'server', 'x-request-id', 'transfer-encoding', 'content-length'],
  ...['trailer', 'via', 'alt-svc'],
];

function comparable({ status, headers, body }: Got): unknown {
  const kept = Object.entries(headers).filter(([name]) => !OWN_HEADERS.includes(name));
  const text = body.toString('latin1').replaceAll(/"request_id":"[\da-f-]{36}"/g, '');
  return { status, headers: Object.fromEntries(kept.sort()), text };
}

for (const [name, recipe] of Object.entries(RECIPES)) {
  describe(`behind ${name}`, { skip: obstacle(recipe) }, async () => {
    const folder = temporaryFolder();
    const socket = join(folder.path, 's');
    /** Who asked, as the server sees it. */
    const callers: string[] = [];

    const service = await openService(POSTS, COMMENTS);
    const key = { authorization: `Bearer ${service.keys.good}` };
    const server = await service.build({ isAtSocket: true });
    server.addHook('onResponse', async (request) => {
      callers.push(`${request.ips?.at(-1)} ${request.protocol} ${request.host}`);
    });
    await listen(server, { host: socket, port: 0 });
    const proxy = await startProxy(recipe, folder.path, socket);
    after(async () => {
      await proxy?.[Symbol.asyncDispose]();
      await service?.[Symbol.asyncDispose]();
      folder[Symbol.dispose]();
    });

    it('the caller’s address, scheme and host are seen, and forged headers are not believed', async () => {
      const path = '/healthz';
      callers.length = 0;
      const [ip, host] = ['198.51.100.7', 'evil.example'];
      const forged = {
        ...{ 'x-forwarded-for': ip, 'x-forwarded-proto': 'http', 'x-forwarded-host': host },
        ...{ forwarded: `for=${ip};host=${host}`, 'x-real-ip': ip },
      };
      const twice: readonly Asked[] = [{ path }, { path, headers: forged }];
      for (const asked of twice) assert.equal((await askProxy(proxy, asked)).status, 200);
      const expected = `${CALLER} https ${SITE_NAME}`;
      assert.deepEqual(callers, [expected, expected]);
    });

    it('mixed requests are answered as they are without it', async () => {
      const document = (await server.inject('/api/v1/openapi.json')).json();
      const requests = fc.sample(requestsOf(document), { numRuns: REQUESTS, seed: 1 });
      const from = { 'x-forwarded-for': CALLER, 'x-forwarded-proto': 'https' };
      const forwarded = { ...from, 'x-forwarded-host': SITE_NAME };
      const statuses = new Set<number>();
      for (const { method, address, key: which, headers } of requests) {
        const own = which === null ? headers : { ...headers, authorization: `Bearer ${service.keys[which]}` };
        const asked = { method, path: address, headers: own };
        const through = await askProxy(proxy, asked);
        const direct = await askDirectly(socket, { ...asked, headers: { ...own, ...forwarded } });
        statuses.add(direct.status);
        assert.deepEqual(comparable(through), comparable(direct), `${method} ${address}`);
      }
      for (const status of [200, 400, 401, 405]) assert.ok(statuses.has(status), `${status}`);
    });

    it('connections are kept, on both sides of it', async () => {
      const before = await connections(server);
      for (let i = 0; i < 20; i++) assert.equal((await askProxy(proxy, { path: '/healthz' })).status, 200);
      assert.ok((await connections(server)) <= before + 2, `${before}`);
      const sockets = Object.values(proxy.agent.freeSockets).flat().length;
      assert.equal(sockets, 1);
    });

    it('large pages come whole', async () => {
      await service.engine.index('post', packRecords(LONG));
      const path = '/api/v1/search/posts?query=panel+solar&limit=1000';
      const { status, body, headers } = await askProxy(proxy, { path, headers: key });
      assert.equal(status, 200);
      assert.ok(body.length > 3_900_000, `${body.length}`);
      assert.equal(JSON.parse(body.toString()).data.length, LONG.length);
      const again = await askProxy(proxy, { path, headers: { ...key, 'if-none-match': `${headers.etag}` } });
      assert.equal(again.status, 304);
    });

    it('an address of 60 kB arrives, one of 66 kB is 414', async () => {
      const path = (bytes: number) => `/api/v1/search/posts?query=${'a'.repeat(bytes)}`;
      const long = await askProxy(proxy, { path: path(60_000), headers: key });
      assert.equal(JSON.parse(long.body.toString()).code, 'query_too_long');
      assert.equal((await askProxy(proxy, { path: path(66_000), headers: key })).status, 414);
    });

    it('an export streams to its end, and its digest is that of its bytes', async () => {
      const asked = { path: '/api/v1/export/posts?query=solar', headers: key };
      const [through, direct] = [await askProxy(proxy, asked), await askDirectly(socket, asked)];
      const digest = `sha-256=:${createHash('sha256').update(through.body).digest('base64')}:`;
      assert.equal(through.isWhole, true);
      assert.equal(direct.trailers['repr-digest'], digest);
      // Older nginx drops trailers.
      if (name === 'Caddy') assert.equal(through.trailers['repr-digest'], digest);
    });

    it('an export that breaks off here is broken off there', async () => {
      await service.engine.index('post', packRecords(LONG));
      server.server.once('request', (_, response) => {
        const write = response.write.bind(response);
        response.write = ((...words: Parameters<typeof write>) => {
          response.write = write;
          const isTaken = write(...words);
          // What was written arrives, and nothing behind it.
          response.socket?.destroySoon();
          return isTaken;
        }) as typeof write;
      });
      const got = await askProxy(proxy, { path: '/api/v1/export/posts?query=solar', headers: key });
      assert.equal(got.status, 200);
      // Caddy before 2.8 ends such a body as if it were whole (caddyserver/caddy, issue 5951): the digest is lacking.
      if (name === 'nginx') assert.equal(got.isWhole, false);
      assert.equal(got.trailers['repr-digest'], undefined);
    });

    it('no request that stands in another one is answered, and who comes next gets the own answer', async () => {
      const hidden: string[] = [];
      server.server.on('request', ({ url = '' }) => {
        if (url.includes('hidden')) hidden.push(url);
      });
      for (const [rule, bytes] of smugglings()) {
        hidden.length = 0;
        const answers = await sendRaw(proxy, bytes);
        // What the proxy itself took for two requests, one behind the other, is no secret to it.
        assert.ok(hidden.length <= Math.max(0, answers - 1), `${rule}: ${answers} answers`);
        for (let victim = 0; victim < 2; victim++) {
          const got = await askProxy(proxy, { path: `/api/v1/counts/posts?query=solar` });
          assert.deepEqual([got.status, JSON.parse(`${got.body}`).code], [401, 'missing_key'], rule);
        }
      }
    });

    it('HTTP/2, a plain connection that is sent to TLS, or refused under /api/, another name, what is for this machine alone', async () => {
      const place = { host: '127.0.0.1', port: proxy.port, ca: proxy.certificate, servername: SITE_NAME };
      const createConnection = () => connectTls({ ...place, ALPNProtocols: ['h2'] });
      const session = connectHttp2(`https://${SITE_NAME}:${proxy.port}`, { createConnection });
      const stream = session.request({ ':path': '/healthz', ':authority': SITE_NAME });
      const [headers] = await once(stream, 'response');
      assert.equal(headers[':status'], 200);
      stream.resume();
      session.close();
      const plain = await askPlainly(proxy, { path: '/search?query=a' });
      assert.ok([301, 308].includes(plain.status), `${plain.status}`);
      assert.match(`${plain.headers.location}`, /^https:\/\/search\.example\.org(?::\d+)?\/search\?query=a$/);
      // A redirect would have hidden that the key was sent without TLS.
      const api = await askPlainly(proxy, { path: '/api/v1/search/posts?query=a' });
      assert.deepEqual([api.status, api.headers.location], [403, undefined]);
      assert.equal((await askProxy(proxy, { path: '/metrics' })).status, 404);
      const stranger = connectTls({ ...place, servername: 'other.example', rejectUnauthorized: false });
      await assert.rejects(once(stranger, 'secureConnect'), /alert|handshake/i);
      callers.length = 0;
      await askProxy(proxy, { path: '/healthz', headers: { host: 'other.example' } }).catch(() => null);
      assert.deepEqual(callers, []);
    });
  });
}

/** Each has a request to /hidden inside that one way of reading takes for a request of its own. */
function smugglings(): readonly (readonly [rule: string, bytes: string])[] {
  const inner = `GET /hidden HTTP/1.1\r\nHost: ${SITE_NAME}\r\n\r\n`;
  const chunked = `0\r\n\r\n${inner}`;
  const size = inner.length.toString(16);
  const wrapped = `${size}\r\n${inner}\r\n0\r\n\r\n`;
  const outer = (head: string, body: string, line = 'POST /theme HTTP/1.1') =>
    `${line}\r\nHost: ${SITE_NAME}\r\n${head}\r\n\r\n${body}`;
  const length = (body: string) => `Content-Length: ${body.length}`;
  const coding = 'Transfer-Encoding: chunked';
  return [
    ['Content-Length before chunked', outer(`${length(chunked)}\r\n${coding}`, chunked)],
    ['chunked before Content-Length', outer(`${coding}\r\n${length(chunked)}`, chunked)],
    ['a short Content-Length beside chunked', outer(`Content-Length: 4\r\n${coding}`, wrapped)],
    ['two lengths, the first short', outer(`Content-Length: 0\r\n${length(inner)}`, inner)],
    ['two lengths, the second short', outer(`${length(inner)}\r\nContent-Length: 0`, inner)],
    ['a list of lengths', outer(`Content-Length: 0, ${inner.length}`, inner)],
    ['a length with a sign', outer(`Content-Length: +${inner.length}`, inner)],
    ['a length in hexadecimal', outer(`Content-Length: 0x${size}`, inner)],
    ['a length with a space inside', outer(`Content-Length: 0 ${inner.length}`, inner)],
    ['a space before the colon of a length', outer(`Content-Length : ${inner.length}`, inner)],
    ['a coding that is not known', outer('Transfer-Encoding: xchunked', chunked)],
    ['chunked with a vertical tab', outer('Transfer-Encoding:\x0bchunked', chunked)],
    ['chunked in quotes', outer('Transfer-Encoding: "chunked"', chunked)],
    ['chunked, then identity', outer('Transfer-Encoding: chunked, identity', chunked)],
    ['chunked twice', outer(`${coding}\r\n${coding}`, wrapped)],
    ['a space before a coding’s colon', outer(`Transfer-Encoding : chunked\r\n${length(chunked)}`, chunked)],
    ['a folded coding', outer(`Transfer-Encoding:\r\n chunked\r\n${length(chunked)}`, chunked)],
    ['a coding behind a bare line feed', outer(`X: a\n${coding}\r\n${length(wrapped)}`, wrapped)],
    ['a coding behind a bare carriage return', outer(`X: a\r${coding}\r\n${length(wrapped)}`, wrapped)],
    ['a chunk size with a sign', outer(coding, `+${wrapped}`)],
    ['a chunk size with a prefix', outer(coding, `0x${wrapped}`)],
    ['a chunk size that overflows', outer(coding, `10000000000000000\r\n${inner}`)],
    ['a chunk behind a bare line feed', outer(coding, `${size}\n${inner}\r\n0\r\n\r\n`)],
    ['a request in a chunk extension', outer(coding, `0;x=\n${inner}\r\n\r\n`)],
    ['a request in trailers', outer(coding, `0\r\nX: GET /hidden HTTP/1.1\r\n\r\n`)],
    ['a body of GET', outer(length(inner), inner, 'GET /healthz HTTP/1.1')],
    ['a body of HEAD', outer(length(inner), inner, 'HEAD /healthz HTTP/1.1')],
    ['a chunked body of GET', outer(coding, wrapped, 'GET /healthz HTTP/1.1')],
    ['a body that is announced by Expect', outer(`Expect: 100-continue\r\n${length(inner)}`, inner)],
    ['an upgrade with a body', outer(`Connection: Upgrade\r\nUpgrade: websocket\r\n${length(inner)}`, inner)],
    ['a length that is named in Connection', outer(`Connection: Content-Length\r\n${length(inner)}`, inner)],
    ['HTTP/1.0 with chunked', outer(coding, wrapped, 'POST /theme HTTP/1.0')],
    ['a line feed in the address', outer(length(''), '', 'GET /a\nGET /hidden HTTP/1.1')],
    ['NUL in a header', outer(`X: a\0b\r\n${length(inner)}`, inner)],
  ];
}

/** How many answers come until the proxy closes, or has been silent for a while: some wait for more. */
async function sendRaw({ port }: RunningProxy, bytes: string): Promise<number> {
  const socket = connectTls({ host: '127.0.0.1', port, servername: SITE_NAME, rejectUnauthorized: false });
  socket.on('error', () => undefined);
  let received = '';
  socket.setEncoding('latin1').on('data', (text: string) => {
    received += text;
  });
  await new Promise<void>((resolve) => {
    socket.setTimeout(SILENCE_MS, () => socket.destroy());
    socket.once('close', () => resolve());
    socket.once('secureConnect', () => socket.write(Buffer.from(bytes, 'latin1')));
  });
  return [...received.matchAll(/HTTP\/1\.1 [2-5]\d\d /g)].length;
}

function connections(server: FastifyInstance): Promise<number> {
  return new Promise((resolve, reject) => {
    server.server.getConnections((error, count) => (error === null ? resolve(count) : reject(error)));
  });
}
