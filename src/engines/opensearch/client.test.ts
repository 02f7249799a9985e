// What a node may make this server do: answer, and nothing else.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, it } from 'node:test';
import { OpenSearchClient } from './client.ts';

const REDIRECTS = [300, 301, 302, 303, 307, 308];

async function listen(listener: RequestListener): Promise<Server> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

function addressOf(server: Server): string {
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe('a node that names another address', () => {
  it('by a redirect is not followed: what is there is never asked', async () => {
    let asked = 0;
    const inner = await listen((_request, response) => {
      asked++;
      response.setHeader('Content-Type', 'application/json').end('{"secret":true}');
    });
    let sent = 0;
    const node = await listen(({ method }, response) => {
      const status = REDIRECTS[sent++ % REDIRECTS.length]!;
      response.writeHead(status, { Location: `${addressOf(inner)}/`, 'Content-Type': 'application/json' });
      response.end(method === 'HEAD' ? undefined : '{"redirected":true}');
    });
    try {
      const rest = {
        prefix: 'fake',
        shards: 1,
        replicas: 0,
        signIn: { user: 'ann', password: 'x' },
        ca: null,
      };
      await using client = new OpenSearchClient({ nodes: [addressOf(node)], ...rest });
      for (const method of ['GET', 'POST', 'PUT', 'DELETE'] as const) {
        for (const _ of REDIRECTS) {
          const answer = client.request({ method, path: '/_search' }, { timeoutMs: 500 });
          await assert.rejects(answer, /status 30\d/);
        }
      }
      assert.deepEqual([sent, asked], [4 * REDIRECTS.length, 0]);
    } finally {
      for (const server of [node, inner]) {
        server.closeAllConnections();
        server.close();
      }
    }
  });

  it('by its list of nodes is not asked there either: addresses are those of the setting alone', async () => {
    const paths = new Set<string>();
    const node = await listen(({ url = '' }, response) => {
      paths.add(url);
      const nodes = { n1: { http: { publish_address: '169.254.169.254:80' }, roles: ['data'] } };
      response.setHeader('Content-Type', 'application/json').end(JSON.stringify({ nodes }));
    });
    try {
      const rest = { prefix: 'fake', shards: 1, replicas: 0, signIn: null, ca: null };
      await using client = new OpenSearchClient({ nodes: [addressOf(node)], ...rest });
      for (let i = 0; i < 5; i++) await client.request({ method: 'GET', path: '/_nodes' });
      assert.deepEqual([...paths], ['/_nodes']);
    } finally {
      node.closeAllConnections();
      node.close();
    }
  });
});
