// A node of a cluster that answers as a test says, and a client that knows it alone.

import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { OpenSearchClient, type Patience } from '../../src/engines/opensearch/cluster/client.ts';

/** In PEM. */
export interface Certificate {
  readonly key: string;
  readonly cert: string;
}

export interface Listening extends AsyncDisposable {
  readonly address: string;
}

/** With a certificate: over TLS alone. */
export async function listen(listener: RequestListener, tls?: Certificate): Promise<Listening> {
  const server = tls === undefined ? createServer(listener) : createTlsServer(tls, listener);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    address: `${tls === undefined ? 'http' : 'https'}://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await once(server.close(), 'close');
    },
  };
}

export function clientOf({ address }: Listening, patience?: Partial<Patience>): OpenSearchClient {
  const signIn = { user: 'ann', password: 'x' };
  const settings = { nodes: [address], prefix: 'fake', shards: 1, replicas: 0, signIn };
  return new OpenSearchClient(settings, patience);
}
