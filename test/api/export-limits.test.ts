// How many exports run at once, how long they may take, and that a place always comes back.

import assert from 'node:assert/strict';
import { ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { describe, it, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { credentialsOf } from '../../src/features/account/credentials.ts';
import { STREAM_LIMITS } from '../../src/http/answers/streamed-answer.ts';
import { keyWish } from '../account-fixtures.ts';
import { comment } from '../helpers.ts';
import { COMMENTS, POSTS } from './corpus.ts';
import { type Exported, exported, forever, listen, watchExports } from './export-client.ts';
import { type BuildOptions, openService } from './service.ts';

/** A server whose exports go on until a test ends them. */
async function openHeld(options: BuildOptions = {}) {
  const service = await openService(POSTS, COMMENTS);
  const watch = watchExports(service.engine, (_, signal) => forever(signal));
  const port = await listen(await service.build(options));
  return { service, watch, port, [Symbol.asyncDispose]: () => service[Symbol.asyncDispose]() };
}

/** Begins an export that goes on until the test ends it. */
async function begin(port: number, key: string, watch: ReturnType<typeof watchExports>) {
  const began = watch.next();
  const { promise: destroyed, resolve } = Promise.withResolvers<() => void>();
  const answer = exported(port, 'comments?query=', { key, onHead: resolve });
  const under = await began;
  return { answer, destroy: await destroyed, disposed: under.disposed, signal: under.signal };
}

const codeOf = ({ status, body }: Exported) => [status, JSON.parse(body.toString()).code];

describe('exports at once', () => {
  it('two keys of one account had two exports each: a third is 429, another account goes on', async () => {
    await using held = await openHeld();
    const { service, port, watch } = held;
    const { good, second, other } = service.keys;
    const running = [await begin(port, good, watch), await begin(port, second, watch)];
    for (const key of [good, second]) {
      const again = await exported(port, 'posts?query=', { key });
      assert.deepEqual(codeOf(again), [429, 'too_many_exports']);
    }
    const refused = await exported(port, 'posts?query=', { key: second });
    assert.match(String(refused.headers['retry-after']), /^[1-9]\d*$/);
    assert.match(JSON.parse(refused.body.toString()).detail, /at most 2 exports of an account at once/);
    running.push(await begin(port, other, watch));
    for (const { destroy } of running) destroy();
  });

  it('more than the operator allows is 429, whoever asks', async () => {
    await using held = await openHeld();
    const { service, port, watch } = held;
    const { good, second, other } = service.keys;
    const running = [];
    for (const key of [good, second, other, other]) running.push(await begin(port, key, watch));
    const { key } = service.accounts.createKey(keyWish({ email: 'third@example.org' }));
    const refused = await exported(port, 'posts?query=', { key });
    assert.deepEqual(codeOf(refused), [429, 'too_many_exports']);
    assert.match(JSON.parse(refused.body.toString()).detail, /at most 4 exports at once/);
    for (const { destroy } of running) destroy();
  });

  it('HEAD, the schema and searches need no place', async () => {
    await using held = await openHeld();
    const { service, port, watch } = held;
    const { good } = service.keys;
    const running = [await begin(port, good, watch), await begin(port, good, watch)];
    for (let i = 0; i < 3; i++) {
      const head = await exported(port, 'posts?query=', { key: good, method: 'HEAD' });
      assert.equal(head.headers['colloquy-total-count'], String(POSTS.length));
    }
    for (const path of ['/api/v1/export/posts/schema', '/api/v1/search/posts?query=cats']) {
      const headers = { authorization: `Bearer ${good}` };
      assert.equal((await fetch(`http://127.0.0.1:${port}${path}`, { headers })).status, 200);
    }
    for (const { destroy } of running) destroy();
  });

  it('a place comes back behind an end, a hang-up, a fault and a refusal', async () => {
    await using service = await openService(POSTS, COMMENTS);
    let then: (signal: AbortSignal | undefined) => Promise<void> = forever;
    const watch = watchExports(service.engine, (_, signal) => then(signal));
    const port = await listen(await service.build());
    const key = service.keys.good;
    const kept = await begin(port, key, watch);
    const whole = async () => {
      then = async () => undefined;
      const answer = await exported(port, 'comments?query=', { key });
      assert.deepEqual([answer.status, answer.isWhole], [200, true]);
    };
    await whole();
    then = (signal) => forever(signal);
    const left = await begin(port, key, watch);
    left.destroy();
    await left.disposed;
    assert.equal(left.signal?.aborted, true);
    await whole();
    then = () => Promise.reject(new Error('the disk is gone'));
    const broken = await exported(port, 'comments?query=', { key });
    assert.deepEqual([broken.status, broken.isWhole], [200, false]);
    await whole();
    const { refresh } = service.engine;
    service.engine.refresh = () => Promise.reject(new Error('the disk is gone'));
    assert.deepEqual(codeOf(await exported(port, 'comments?query=', { key })), [500, 'internal_error']);
    service.engine.refresh = refresh;
    await whole();
    kept.destroy();
  });

  it('the method, the key, the rate and the parameters are looked at before', async (t) => {
    t.mock.method(performance, 'now', () => 0);
    await using held = await openHeld({ requestsPerMinute: 18 });
    const { service, port, watch } = held;
    const { good, other } = service.keys;
    const running = [await begin(port, other, watch), await begin(port, other, watch)];
    const ask = async (what: string, key: string | null, method = 'GET') =>
      codeOf(await exported(port, what, { key, method }));
    const wrong = 'posts?query=&format=xlsx';
    assert.deepEqual(await ask(wrong, null, 'POST'), [405, 'method_not_allowed']);
    assert.deepEqual(await ask(wrong, null), [401, 'missing_key']);
    assert.deepEqual(await ask(wrong, 'clq_x'), [401, 'invalid_key']);
    for (let i = 0; i < 3; i++) assert.deepEqual(await ask(wrong, good), [400, 'bad_format']);
    assert.deepEqual(await ask(wrong, good), [429, 'too_many_requests']);
    assert.deepEqual(await ask('posts?query=', other), [429, 'too_many_exports']);
    for (const { destroy } of running) destroy();
  });
});

/** More than sockets and their buffers take while nobody reads. */
const MANY = Array.from({ length: 2_000 }, (_, i) => comment({ id: `m${i}`, body: 'solar '.repeat(4_000) }));

describe('an export that takes long', () => {
  it('is broken off where its caller takes no byte for too long, and its place is free', async (t) => {
    shortenStalls(t, 50);
    await using service = await openService([], MANY);
    const watch = watchExports(service.engine);
    const port = await listen(await service.build());
    for (const at of [0, 1]) {
      const socket = silentCaller(port, service.keys.good);
      const { disposed, isThrough } = watch.exports[at] ?? (await watch.next());
      await disposed;
      assert.equal(isThrough(), false, 'more is made only when the caller has taken what there is');
      socket.destroy();
    }
    const answer = await exported(port, 'comments?query=&limit=1', { key: service.keys.good });
    assert.equal(answer.isWhole, true);
  });

  it('is whole where it is we who let the caller wait', async (t) => {
    shortenStalls(t, 20);
    await using service = await openService(POSTS, COMMENTS);
    watchExports(service.engine, () => sleep(200));
    const port = await listen(await service.build());
    const answer = await exported(port, 'comments?query=', { key: service.keys.good });
    assert.equal(answer.isWhole, true);
  });

  it('is broken off within seconds of the end of its key, or of its account', async () => {
    await using held = await openHeld();
    const { service, port, watch } = held;
    const { accounts, keys } = service;
    const owned = new Map(accounts.keys.list().map(({ account, name, id }) => [name, { account, id }]));
    const ends: readonly (readonly [keyof typeof keys, () => unknown])[] = [
      ['good', () => accounts.keys.revoke(owned.get('good')!.id)],
      ['other', () => credentialsOf(accounts).removeAccount(owned.get('other')!.account)],
    ];
    const kept = await begin(port, keys.second, watch);
    for (const [name, end] of ends) {
      const { answer, disposed } = await begin(port, keys[name], watch);
      end();
      assert.equal((await answer).isWhole, false, name);
      await disposed;
    }
    assert.equal(kept.signal?.aborted, false);
    kept.destroy();
  });

  it('is broken off when its time is up', async (t) => {
    await using service = await openService(POSTS, COMMENTS);
    const watch = watchExports(service.engine, (_, signal) => forever(signal));
    const port = await listen(await service.build());
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const { answer, disposed } = await begin(port, service.keys.good, watch);
    t.mock.timers.tick(STREAM_LIMITS.maxMs);
    assert.equal((await answer).isWhole, false);
    await disposed;
  });
});

/** A caller of a stream who takes no byte has so many milliseconds. */
function shortenStalls({ mock }: TestContext, ms: number): void {
  const { setTimeout } = ServerResponse.prototype;
  mock.method(
    ServerResponse.prototype,
    'setTimeout',
    function (this: ServerResponse, given: number, then: () => void) {
      return setTimeout.call(this, given === STREAM_LIMITS.stalledMs ? ms : given, then);
    },
  );
}

/** Asks for an export and never reads. */
function silentCaller(port: number, key: string) {
  const socket = connect(port, '127.0.0.1');
  socket.pause();
  socket.on('error', () => undefined);
  socket.write(
    `GET /api/v1/export/comments?query= HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n\r\n`,
  );
  return socket;
}
