// A stop in the middle of work: no answer is cut, and no idle connection holds it up.

import assert from 'node:assert/strict';
import { Agent, request } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { describe, it } from 'node:test';
import { STOP_TIMEOUT_MS } from '../../src/http/shutdown.ts';
import { COMMENTS, POSTS } from './corpus.ts';
import { openService } from './service.ts';

interface Outcome {
  readonly status: number;
  readonly connection: string | undefined;
  readonly isWhole: boolean;
}

describe('a stop', () => {
  it('under load cuts no answer, and then nobody is let in', async () => {
    await using service = await openService(POSTS, COMMENTS);
    const server = await service.build();
    await server.listen({ port: 0, host: '127.0.0.1' });
    const { port } = server.server.address() as AddressInfo;
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
    assert.deepEqual(
      outcomes.filter(({ status, isWhole }) => status !== 200 || !isWhole),
      [],
    );
    await assert.rejects(get(port, undefined, service.keys.good), { code: 'ECONNREFUSED' });
  });

  it('does not wait for connections that are idle, or have sent nothing yet', {
    timeout: STOP_TIMEOUT_MS,
  }, async () => {
    await using service = await openService([], []);
    const server = await service.build();
    await server.listen({ port: 0, host: '127.0.0.1' });
    const { port } = server.server.address() as AddressInfo;
    using agent = disposableAgent(1);
    await get(port, agent.agent, service.keys.good);
    const silent = connect(port, '127.0.0.1');
    await new Promise((resolve) => silent.once('connect', resolve));
    const gone = new Promise((resolve) => silent.once('close', resolve));
    silent.on('error', () => undefined);
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
