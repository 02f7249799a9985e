import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { it } from 'node:test';
import { OpenSearchClient } from '../cluster/client.ts';
import { openPits } from './expunge.ts';

it('a point in time that was being opened has no id yet, and ended an erasure with a TypeError: it counts as open', async () => {
  const ids = [null, 'of-posts', 'of-others'].map((name) => name && Buffer.from(name).toString('base64url'));
  const server = createServer((_request, response) => {
    response.setHeader('Content-Type', 'application/json');
    response.end(JSON.stringify({ pits: ids.map((pit_id) => ({ pit_id })) }));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const node = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  await using client = new OpenSearchClient({
    ...{ nodes: [node], prefix: 'fake', shards: 1, replicas: 0, signIn: null },
  });
  try {
    assert.equal((await openPits(client, ['posts'])).length, 2);
  } finally {
    server.closeAllConnections();
    server.close();
  }
});
