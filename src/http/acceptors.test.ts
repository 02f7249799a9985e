import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, get, type IncomingMessage, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { describe, it } from 'node:test';
import { acceptorsOf, addAcceptors, shared } from './connections.ts';

const skip = process.platform === 'linux' ? false : 'only Linux hands connections out among sockets';
const HERE = '127.0.0.1';
const BURST = 64;

async function listening(isMore: boolean): Promise<Server> {
  const server = createServer((_request, response) => response.end('here'));
  server.listen(await shared({ host: HERE, port: 0 }));
  await once(server, 'listening');
  if (isMore) await addAcceptors(server);
  return server;
}

function portOf(server: Server): number {
  return (server.address() as AddressInfo).port;
}

async function close(server: Server): Promise<void> {
  const all = [server, ...acceptorsOf(server)];
  const closed = all.map((one) => once(one, 'close'));
  for (const one of all) one.close();
  await Promise.all(closed);
}

/** How often the event loop goes around until all connections of a burst are accepted. */
async function rounds(server: Server): Promise<number> {
  const accepted = Promise.withResolvers<void>();
  let open = 0;
  let rounds = 0;
  let isOver = false;
  server.on('connection', (socket: Socket) => {
    if (++open === BURST) accepted.resolve();
    socket.once('close', () => open--);
  });
  const sockets = Array.from({ length: BURST }, () => connect(portOf(server), HERE));
  const round = () => {
    rounds++;
    if (!isOver) setImmediate(round);
  };
  round();
  await accepted.promise;
  isOver = true;
  const closed = sockets.map((socket) => once(socket, 'close'));
  for (const socket of sockets) socket.destroy();
  await Promise.all(closed);
  return rounds;
}

describe('sockets that listen beside a server', { skip }, () => {
  it('accept a burst of connections in a part of the rounds of the event loop', async () => {
    const [alone, together] = [await listening(false), await listening(true)];
    const [aloneRounds, togetherRounds] = [await rounds(alone), await rounds(together)];
    // Should this fail, the event loop accepts more than one again, and these sockets are not needed.
    assert.ok(aloneRounds >= BURST, `${aloneRounds} rounds alone`);
    assert.ok(togetherRounds <= BURST / 2, `${togetherRounds} rounds together`);
    await Promise.all([close(alone), close(together)]);
  });

  it('bring the server every request, and take none when they are closed', async () => {
    const server = await listening(true);
    for (let i = 0; i < BURST; i++) {
      const [response] = (await once(
        get({ host: HERE, port: portOf(server), agent: false }),
        'response',
      )) as [IncomingMessage];
      assert.equal((await response.toArray()).join(''), 'here');
    }
    const port = portOf(server);
    await close(server);
    for (let i = 0; i < BURST; i++) {
      const [error] = (await once(connect(port, HERE), 'error')) as [NodeJS.ErrnoException];
      assert.equal(error.code, 'ECONNREFUSED');
    }
  });

  it('are noticed by another server that would listen there', async () => {
    const server = await listening(true);
    await assert.rejects(shared({ host: HERE, port: portOf(server) }), { code: 'EADDRINUSE' });
    await close(server);
  });
});
