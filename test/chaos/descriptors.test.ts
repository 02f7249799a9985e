// The descriptors of a server used up by connections, and given back: it goes on, and answers as before.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { temporaryFolder } from '../helpers.ts';
import { serveFolder } from './served-folder.ts';
import { users } from './slow-sockets.ts';
import { fillStopped, PATHS } from './stops.ts';

const DESCRIPTORS = 100;
const skip = process.platform === 'win32' ? 'there is no `ulimit`' : false;

describe('descriptors used up', { timeout: 60_000, skip }, () => {
  it('the server goes on, and answers once they are given back', async () => {
    using folder = temporaryFolder();
    const { key } = await fillStopped(folder.path, 2_000);
    const limited = ['sh', '-c', `ulimit -n ${DESCRIPTORS}; exec "$0" "$@"`];
    await using server = await serveFolder(folder.path, limited);
    const target = { port: Number(new URL(server.address).port), key };
    const ask = () => users({ ...target, largePath: '' }, PATHS, 1, { seconds: 0.2, pauseMs: 10 });
    assert.equal((await ask()).failed, 0);
    const sockets: Socket[] = [];
    let refused = 0;
    for (let i = 0; i < 2 * DESCRIPTORS; i++) {
      const socket = connect(target.port, '127.0.0.1');
      socket.on('error', () => undefined);
      socket.on('close', () => refused++);
      sockets.push(socket);
    }
    while (refused === 0) await sleep(20);
    for (const socket of sockets) socket.destroy();
    while (refused < sockets.length) await sleep(20);
    await sleep(100);
    const { ms, failed } = await ask();
    assert.equal(failed, 0);
    assert.ok(ms.length > 0);
    server.process.kill('SIGTERM');
    assert.deepEqual(await once(server.process, 'exit'), [0, null]);
  });
});
