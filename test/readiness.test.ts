// Whether a server says that it is ready only when it is, and what it says where there is too much to do.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Accounts } from '../src/accounts/accounts.ts';
import { Catalogue } from '../src/catalogue/catalogue.ts';
import { openEmbeddedEngine } from '../src/engines/embedded/engine.ts';
import { storageError } from '../src/errors.ts';
import type { Server } from '../src/http/server.ts';
import type { SearchEngine } from '../src/model/engine.ts';
import { EngineUnavailable, IndexDamage } from '../src/model/engine-errors.ts';
import { keyWish } from './account-fixtures.ts';
import { archiveOver, serverOver } from './archive.ts';
import { fill, RULES } from './engine-suite.ts';
import { comment, post, temporaryFolder } from './helpers.ts';

interface Service extends AsyncDisposable {
  readonly engine: SearchEngine;
  readonly server: Server;
  readonly key: string;
}

const RECORDS = [post({ id: '1' }), post({ id: '2' }), comment({ id: '1' }), comment({ id: '2' })];

/** An engine with one thread, to which these records are given, behind a server. Absent folder: one of its own. */
async function serve(path?: string, records = RECORDS, queryTimeoutMs = 60_000): Promise<Service> {
  const stack = new AsyncDisposableStack();
  const folder = path ?? stack.use(temporaryFolder()).path;
  const engine = stack.use(await openEmbeddedEngine(folder, { rules: RULES, workers: 1 }));
  await fill(engine, records);
  const accounts = stack.use(Accounts.open(folder));
  const { key } = accounts.createKey(keyWish());
  const catalogue = stack.use(Catalogue.open(folder));
  const server = await serverOver(archiveOver({ engine, catalogue, accounts, config: { queryTimeoutMs } }));
  stack.defer(() => server.close());
  return { engine, server, key, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

describe('/readyz and /healthz', () => {
  it('say which kind cannot be read, and that all is well once it is mended', async () => {
    using folder = temporaryFolder();
    {
      await using service = await serve(folder.path);
      for (const path of ['/readyz', '/healthz']) {
        const response = await service.server.inject(path);
        assert.equal(response.statusCode, 200);
        assert.deepEqual(response.json(), { status: 'ok', posts: 'ok', comments: 'ok' });
      }
    }
    const file = join(folder.path, 'comments.db');
    const whole = readFileSync(file);
    writeFileSync(file, 'not a database, however long one looks at it');
    await using service = await serve(folder.path, []);
    const { server } = service;
    for (const path of ['/readyz', '/healthz']) {
      const response = await server.inject(path);
      assert.equal(response.statusCode, 503);
      assert.match(String(response.headers['retry-after']), /^[1-9]\d*$/);
      const { code, detail } = response.json();
      assert.equal(code, 'index_damaged');
      assert.equal(detail, 'expected an index that can be read, found that of comments damaged');
    }
    writeFileSync(file, whole);
    // The index is looked at again after a while.
    while ((await server.inject('/readyz')).statusCode !== 200) await sleep(50);
  });

  it('a full disk is told as that, not as damage', async () => {
    await using service = await serve();
    const cause = storageError(Object.assign(new Error('full'), { code: 'ENOSPC' }), 'posts.db');
    const damage = new IndexDamage('post', 'posts.db', { cause });
    service.engine.damages = async () => ({ post: damage, comment: null });
    service.engine.ask = () => Promise.reject(damage);
    const headers = { authorization: `Bearer ${service.key}` };
    for (const url of ['/readyz', '/api/v1/search/posts?query=']) {
      const response = await service.server.inject({ url, headers });
      assert.deepEqual([response.statusCode, response.json().code], [503, 'storage_unavailable'], url);
      assert.equal(response.json().detail, 'expected free space on the disk of this server, found none');
    }
  });
});

it('/livez is 200 while no query can be answered', async () => {
  await using service = await serve();
  service.engine.warm = () => Promise.reject(new EngineUnavailable('out of reach'));
  assert.equal((await service.server.inject('/readyz')).statusCode, 503);
  const response = await service.server.inject('/livez');
  assert.equal(response.statusCode, 200);
  assert.equal(response.headers['cache-control'], 'no-store');
  assert.deepEqual(response.json(), { status: 'ok' });
});

describe('a server that stops', () => {
  for (const [path, status] of [
    ['/readyz', 503],
    ['/livez', 200],
  ] as const) {
    it(`while it stops, ${path} is ${status}`, async () => {
      await using service = await serve();
      await service.server.listen({ port: 0, host: '127.0.0.1' });
      const { port } = service.server.server.address() as AddressInfo;
      const socket = connect(port, '127.0.0.1');
      // A request that has begun is waited for.
      const accepted = once(service.server.server, 'connection');
      socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n`);
      const [inner] = (await accepted) as [Socket];
      while (inner.bytesRead === 0) await sleep(1);
      const closed = service.server.close();
      while (service.server.server.listening) await sleep(1);
      socket.write('\r\n');
      const answer = await text(socket);
      assert.match(answer, new RegExp(`^HTTP/1.1 ${status} `));
      if (status === 503) assert.match(answer, /"code":"busy"/);
      await closed;
    });
  }
});

it('an engine that nobody is there to answer for is 503 `engine_unavailable`, with the seconds after which to come again and no word of the reason', async () => {
  await using service = await serve();
  const cause = new Error('connect ECONNREFUSED 10.0.0.7:9200');
  service.engine.ask = () => Promise.reject(new EngineUnavailable(cause.message, { retryAfter: 7, cause }));
  const response = await service.server.inject({
    url: '/api/v1/search/comments?query=',
    headers: { authorization: `Bearer ${service.key}` },
  });
  assert.equal(response.statusCode, 503);
  assert.equal(response.headers['retry-after'], '7');
  assert.equal(response.json().code, 'engine_unavailable');
  assert.doesNotMatch(response.body, /10\.0\.0\.7|ECONNREFUSED/);
});

it('a question that waits behind others for longer than its budget is 503 `busy`, with the seconds after which to come again', async () => {
  await using service = await serve(undefined, RECORDS, 1);
  await service.engine.warm();
  // The only thread looks for these until the question is answered.
  const ids = Array.from({ length: 50_000 }, (_, i) => `${i}`);
  let isAnswered = false;
  const others = [1, 2, 3].map(async () => {
    while (!isAnswered) await service.engine.records({ kind: 'comment', ids });
  });
  const response = await service.server.inject({
    url: '/api/v1/search/comments?query=',
    headers: { authorization: `Bearer ${service.key}` },
  });
  isAnswered = true;
  assert.equal(response.statusCode, 503);
  assert.equal(response.headers['retry-after'], '1');
  assert.equal(response.json().code, 'busy');
  const words = /^expected a thread for the query within 1 ms, found all of them at work$/;
  assert.match(response.json().detail, words);
  await Promise.all(others);
});
