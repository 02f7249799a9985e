// What all answers under way may take together and how long one may lie (`npm run test:long -- slow-sockets` waits
// for the end), and how many connections a network may have. Contract 13.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { networkInterfaces } from 'node:os';
import { describe, it } from 'node:test';
import { STALLED_ANSWER_MS } from '../../src/http/answers/representation.ts';
import { CONNECTIONS_PER_ADDRESS } from '../../src/http/connections.ts';
import { comment } from '../helpers.ts';
import { COMMENTS, NEW_YEAR, POSTS } from './corpus.ts';
import { listen } from './export-client.ts';
import { openService, type Service } from './service.ts';
import { answersIn, exchange } from './socket.ts';

const LARGE = Array.from({ length: 8 }, (_, i) =>
  comment({ id: `large${i}`, created: NEW_YEAR + i, body: 'x'.repeat(1_000_000) }),
);
const PATH = '/api/v1/search/comments?query=';
const requestOf = ({ keys }: Service) =>
  `GET ${PATH} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${keys.good}\r\n`;

describe('room for answers', () => {
  it('a caller who takes no byte has 15 s, as Node counts them: two looks at what waits, not 120 s', async () => {
    await using service = await openService([], LARGE);
    const server = await service.build();
    const connection = once(server.server, 'connection');
    const slow = connect(await listen(server), '127.0.0.1', () => slow.write(`${requestOf(service)}\r\n`));
    const [socket] = (await connection) as [Socket];
    assert.notEqual(socket.timeout, STALLED_ANSWER_MS / 2);
    await once(slow, 'readable');
    assert.equal(socket.timeout, STALLED_ANSWER_MS / 2);
    assert.ok(socket.writableLength > 0);
    // Once it is taken, the connection has the time of every idle one.
    slow.resume();
    while (socket.timeout === STALLED_ANSWER_MS / 2) await once(slow, 'data');
    slow.destroy();
  });

  it('answers of which no byte is taken hold room, and further ones are busy, but counts', async () => {
    await using service = await openService(POSTS, LARGE);
    const server = await service.build({ searchSettings: { queryTimeoutMs: 200 } });
    const port = await listen(server);
    const request = requestOf(service);
    const slow: Socket[] = [];
    const ask = async () => (await exchange(port, `${request}Connection: close\r\n\r\n`))[0]!;
    let answer = await ask();
    while (answer.status === 200) {
      const socket = connect(port, '127.0.0.1', () => socket.write(`${request}\r\n`));
      slow.push(socket);
      // The first bytes are there, and nobody reads the others.
      await once(socket, 'readable');
      answer = await ask();
    }
    assert.equal(answer.status, 503);
    assert.equal(JSON.parse(answer.body).code, 'busy');
    assert.equal(answer.headers['retry-after'], '1');
    const headers = { authorization: `Bearer ${service.keys.good}` };
    assert.equal((await server.inject({ url: `${PATH}&limit=0`, headers })).statusCode, 200);
    for (const socket of slow) socket.destroy();
    while (answer.status === 503) answer = await ask();
    assert.equal(answer.status, 200);
    assert.equal(Buffer.byteLength(answer.body), Number(answer.headers['content-length']));
  });

  it('a large answer is the same in pieces and compressed, with its length', async () => {
    await using service = await openService(POSTS, LARGE);
    const server = await service.build();
    const authorization = `Bearer ${service.keys.good}`;
    const port = await listen(server);
    const url = `http://127.0.0.1:${port}${PATH}`;
    const texts = new Set<string>();
    for (const coding of ['identity', 'gzip', 'br', 'zstd']) {
      const answer = await fetch(url, { headers: { authorization, 'accept-encoding': coding } });
      assert.equal(answer.headers.get('content-encoding') ?? 'identity', coding);
      assert.notEqual(answer.headers.get('content-length'), null);
      texts.add(await answer.text());
    }
    assert.equal(texts.size, 1);
    const head = await fetch(url, {
      method: 'HEAD',
      headers: { authorization, 'accept-encoding': 'identity' },
    });
    assert.equal(head.headers.get('content-length'), `${Buffer.byteLength([...texts][0]!)}`);
  });
});

const outside = Object.values(networkInterfaces())
  .flat()
  .find((address) => address?.family === 'IPv4' && !address.internal)?.address;

describe('connections of one network', () => {
  const request = 'GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n';

  /** Opens so many, one after the other, and gives what the server sent on each before it was closed; null: nothing. */
  async function opened(port: number, host: string, count: number, allowHalfOpen = false) {
    const sockets = [];
    for (let i = 0; i < count; i++) {
      const socket = connect({ port, host, allowHalfOpen });
      let received = '';
      const closed = new Promise<string>((resolve) => socket.once('close', () => resolve(received)));
      socket.on('data', (chunk) => {
        received += chunk;
      });
      socket.on('error', () => undefined);
      await once(socket, 'connect');
      sockets.push({ socket, closed });
    }
    return sockets;
  }

  it('one more than allowed is told so and closed, many more are closed, and a place comes back', {
    skip: outside === undefined ? 'this machine has no address but loopback' : false,
  }, async () => {
    await using service = await openService(POSTS, COMMENTS);
    const server = await service.build();
    const port = await listen(server, '0.0.0.0');
    const all = await opened(port, outside!, 2 * CONNECTIONS_PER_ADDRESS + 1, true);
    // Those that are told stay until their caller ends them.
    await once(all.at(-1)!.socket, 'end');
    for (const { socket } of all.slice(CONNECTIONS_PER_ADDRESS)) socket.end();
    const [told] = answersIn(await all[CONNECTIONS_PER_ADDRESS]!.closed);
    assert.equal(told?.status, 429);
    assert.equal(JSON.parse(told!.body).code, 'too_many_requests');
    assert.equal(await all.at(-1)!.closed, '');
    await Promise.all(all.slice(CONNECTIONS_PER_ADDRESS).map(({ closed }) => closed));
    const first = once(all[0]!.socket, 'data');
    all[0]!.socket.write(request);
    assert.match(String((await first)[0]), /^HTTP\/1\.1 200/);
    all[0]!.socket.destroy();
    await all[0]!.closed;
    for (let status = 429; status !== 200; ) {
      const [again] = await opened(port, outside!, 1);
      again!.socket.write(request.replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n'));
      status = answersIn(await again!.closed)[0]?.status ?? 0;
    }
    for (const { socket } of all) socket.destroy();
  });

  it('those of this machine and of trusted proxies are not counted', async () => {
    await using service = await openService(POSTS, COMMENTS);
    const trustedProxies = outside === undefined ? [] : [outside];
    const server = await service.build({ trustedProxies });
    const port = await listen(server, '0.0.0.0');
    for (const host of ['127.0.0.1', ...trustedProxies]) {
      for (const { socket } of await opened(port, host, CONNECTIONS_PER_ADDRESS + 2)) {
        const answer = once(socket, 'data');
        socket.write(request);
        assert.match(String((await answer)[0]), /^HTTP\/1\.1 200/);
        socket.destroy();
      }
    }
  });
});
