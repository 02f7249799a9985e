// More sockets that listen where a server listens. Each time around, the event loop accepts one connection of each
// listening socket (libuv since 1.45, pull request 3696), and a loop that is busy with requests goes around a thousand
// times a second at best: in a burst of connections, some got no answer in five seconds. On Linux alone, which hands
// new connections out among sockets that share a port.

import { once } from 'node:events';
import type { Server as HttpServer } from 'node:http';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';

/** Beside the server's own. */
const ACCEPTORS = 15;
const CAN_SHARE = process.platform === 'linux';

const acceptors = new WeakMap<HttpServer, Server[]>();

/**
 * What to listen at in place of this, so that `addAcceptors` can listen there too. Rejects as `listen` does where
 * somebody else listens there: sockets that share a port would not notice other servers of the same user. Two servers
 * that look at the same moment see nothing of each other.
 */
export async function shared<At extends { readonly host: string; readonly port: number }>(
  at: At,
): Promise<At & { readonly reusePort: boolean }> {
  if (CAN_SHARE && at.port !== 0) {
    const looking = createServer();
    looking.listen({ host: at.host, port: at.port });
    await once(looking, 'listening');
    looking.close();
    await once(looking, 'close');
  }
  return { ...at, reusePort: CAN_SHARE };
}

/** Connections come to `server`, which listens at a `shared` port, whichever socket took them. */
export async function addAcceptors(server: HttpServer): Promise<void> {
  if (!CAN_SHARE) return;
  const { address, port } = server.address() as AddressInfo;
  const all: Server[] = [];
  acceptors.set(server, all);
  for (let i = 0; i < ACCEPTORS; i++) {
    // As servers of HTTP have it.
    const acceptor = createServer({ allowHalfOpen: true, noDelay: true });
    acceptor.on('connection', (socket: Socket) => server.emit('connection', socket));
    all.push(acceptor);
    acceptor.listen({ host: address, port, reusePort: true });
    await once(acceptor, 'listening');
  }
}

/** The sockets that listen beside this server. */
export function acceptorsOf(server: HttpServer): readonly Server[] {
  return acceptors.get(server) ?? [];
}
