// A node of a cluster that answers as a test says, and a client that knows it alone.

import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { OpenSearchClient, type Patience } from '../../src/engines/opensearch/cluster/client.ts';

interface Listening extends AsyncDisposable {
  readonly address: string;
}

export async function listen(listener: RequestListener): Promise<Listening> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
    },
  };
}

export function clientOf({ address }: Listening, patience?: Partial<Patience>): OpenSearchClient {
  const signIn = { user: 'ann', password: 'x' };
  const settings = { nodes: [address], prefix: 'fake', shards: 1, replicas: 0, signIn };
  return new OpenSearchClient(settings, patience);
}
