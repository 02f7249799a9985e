// A stop in the middle of work: no answer is cut, and no idle connection holds it up.

import assert from 'node:assert/strict';
import { Agent, request } from 'node:http';
import { connect } from 'node:net';
import { describe, it } from 'node:test';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { SearchService } from '../../src/search/search-service.ts';
import { COMMENTS, POSTS } from './corpus.ts';
import { listen } from './export-client.ts';
import { openService } from './service.ts';

interface Outcome {
  readonly status: number;
  readonly connection: string | undefined;
  readonly isWhole: boolean;
}

const SEARCH_SETTINGS = { impliedWindow: 'off', permalinkBase: '', queryTimeoutMs: 10_000 } as const;

describe('a stop', () => {
  it('under load cuts no answer, and then nobody is let in', async () => {
    await using service = await openService(POSTS, COMMENTS);
    const server = await service.build();
    const port = await listen(server);
    using agent = disposableAgent(8);
    const outcomes: Outcome[] = [];
    const first = Array.from({ length: 8 }, () => Promise.withResolvers<void>());
    const callers = first.map(async ({ resolve }) => {
      // Each caller goes on until the server tells it to go.
      for (;;) {
        const outcome = await get(port, agent.agent, service.keys.good);
        outcomes.push(outcome);
        resolve();
        if (outcome.connection === 'close') return;
        assert.ok(outcomes.length < 100_000);
      }
    });
    // A connection that the system has taken and nobody has accepted goes with the socket that listens.
    await Promise.all(first.map(({ promise }) => promise));
    await Promise.all([server.close(), ...callers]);
    assert.ok(outcomes.length >= 8);
    const broken = outcomes.filter(({ status, isWhole }) => status !== 200 || !isWhole);
    assert.deepEqual(broken, []);
    await assert.rejects(get(port, undefined, service.keys.good), { code: 'ECONNREFUSED' });
  });

  it('tells a caller whose answer was being made to go: its next request was reset', async () => {
    await using service = await openService(POSTS, COMMENTS);
    const asked = Promise.withResolvers<void>();
    const goesOn = Promise.withResolvers<void>();
    class Held extends SearchService {
      override async search(...values: Parameters<SearchService['search']>) {
        asked.resolve();
        await goesOn.promise;
        return super.search(...values);
      }
    }
    const search = new Held(service.engine, { knowledgeOf: () => new Map() }, SEARCH_SETTINGS);
    const server = await service.build({ archive: { search } });
    const port = await listen(server);
    using agent = disposableAgent(1);
    const answer = get(port, agent.agent, service.keys.good);
    await asked.promise;
    const stopped = server.close();
    // From then on it stops.
    while (server.server.listening) await setImmediate();
    goesOn.resolve();
    const { status, connection, isWhole } = await answer;
    assert.deepEqual({ status, connection, isWhole }, { status: 200, connection: 'close', isWhole: true });
    await stopped;
  });

  it('leaves a connection some time behind an answer that was begun before it', async () => {
    await using service = await openService(POSTS, COMMENTS);
    const server = await service.build();
    const goesOn = Promise.withResolvers<void>();
    server.get('/begun', (_request, reply) => {
      reply.hijack();
      reply.raw.write('begun');
      goesOn.promise.then(() => reply.raw.end());
    });
    const port = await listen(server);
    using agent = disposableAgent(1);
    const ended = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    request({ port, host: '127.0.0.1', path: '/begun', agent: agent.agent }, (response) => {
      response.on('data', () => begun.resolve());
      response.on('end', () => ended.resolve());
    }).end();
    await begun.promise;
    const stopped = server.close();
    // Longer than a connection that is idle from the start may stay.
    await sleep(700);
    goesOn.resolve();
    await ended.promise;
    await sleep(60);
    const { status, connection } = await get(port, agent.agent, service.keys.good);
    assert.deepEqual({ status, connection }, { status: 200, connection: 'close' });
    await stopped;
  });

  it('waits longer for a caller who asked again and again', async () => {
    await using service = await openService(POSTS, COMMENTS);
    const server = await service.build();
    const port = await listen(server);
    using agent = disposableAgent(1);
    await get(port, agent.agent, service.keys.good);
    await sleep(700);
    await get(port, agent.agent, service.keys.good);
    const stopped = server.close();
    await sleep(700);
    const { status, connection } = await get(port, agent.agent, service.keys.good);
    assert.deepEqual({ status, connection }, { status: 200, connection: 'close' });
    await stopped;
  });

  it('does not wait for connections that are idle, or have sent nothing yet', async (t) => {
    await using service = await openService([], []);
    const server = await service.build();
    const port = await listen(server);
    using agent = disposableAgent(1);
    await get(port, agent.agent, service.keys.good);
    const silent = connect(port, '127.0.0.1');
    await new Promise((resolve) => silent.once('connect', resolve));
    const gone = new Promise((resolve) => silent.once('close', resolve));
    silent.on('error', () => undefined);
    // The end of the time that a stop has never comes.
    t.mock.method(performance, 'now', () => 0);
    await server.close();
    await gone;
  });
});

function disposableAgent(maxSockets: number): Disposable & { readonly agent: Agent } {
  const agent = new Agent({ keepAlive: true, maxSockets });
  return { agent, [Symbol.dispose]: () => agent.destroy() };
}

function get(port: number, agent: Agent | undefined, key: string): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${key}` };
    const path = '/api/v1/search/posts?query=';
    const sent = request({ port, host: '127.0.0.1', path, headers, ...(agent && { agent }) }, (response) => {
      let length = 0;
      response.on('data', (chunk: Buffer) => {
        length += chunk.length;
      });
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          connection: response.headers.connection,
          isWhole: length === Number(response.headers['content-length']),
        }),
      );
      response.on('error', reject);
    });
    sent.on('error', reject);
    sent.end();
  });
}
