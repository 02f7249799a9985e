// The descriptors of a server used up by connections, and given back: it goes on, and answers as before.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { temporaryFolder } from '../helpers.ts';
import { serve } from '../processes.ts';
import { users } from './slow-sockets.ts';
import { fillStopped, PATHS } from './stops.ts';

const DESCRIPTORS = 100;
const skip = process.platform === 'win32' ? 'there is no `ulimit`' : false;

describe('descriptors used up', { timeout: 60_000, skip }, () => {
  it('an export is 503 and has its line, the server goes on, and answers once they are given back', async () => {
    using folder = temporaryFolder();
    const { key } = await fillStopped(folder.path, 2_000);
    const log = join(folder.path, 'log');
    const limited = ['sh', '-c', `ulimit -n ${DESCRIPTORS}; exec "$0" "$@" 2>'${log}'`];
    await using server = await serve(['--data', folder.path], {}, { under: limited });
    const target = { port: Number(new URL(server.address).port), key };
    const early = connect(target.port, '127.0.0.1');
    /** On a connection that is there before the others. */
    const answerTo = async (path: string) => {
      early.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${key}\r\n\r\n`);
      return String((await once(early, 'data'))[0]);
    };
    assert.match(await answerTo('/livez'), / 200 OK/);
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
    const refusal = await answerTo('/api/v1/export/posts?query=');
    assert.match(refusal, / 503 [\s\S]*"code":"storage_unavailable"/);
    const id = /"request_id":"([^"]+)"/.exec(refusal)![1]!;
    const isTold = (line: string) => line.includes(id) && line.includes('"msg":"request given up"');
    while (!readFileSync(log, 'utf8').split('\n').some(isTold)) await sleep(20);
    early.destroy();
    for (const socket of sockets) socket.destroy();
    while (refused < sockets.length) await sleep(20);
    await sleep(100);
    const { ms, failed } = await ask();
    assert.equal(failed, 0);
    assert.ok(ms.length > 0);
    assert.equal(await server.kill('SIGTERM'), 0);
  });
});
