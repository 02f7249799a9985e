// An export that does not come to its end never looks whole, and what is removed while it runs is not in it.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, it } from 'node:test';
import { promisify } from 'node:util';
import { lineLog } from '../../src/log.ts';
import { comment, jsonLines, START_OF_2008, temporaryFolder } from '../helpers.ts';
import { ofTests } from '../of-tests.ts';
import { missing } from '../processes.ts';
import { idsOf, openEmbedded } from './asking.ts';
import { COMMENTS, POSTS } from './corpus.ts';
import { exported, forever, listen, watchExports } from './export-client.ts';
import { openService } from './service.ts';

const run = promisify(execFile);

/** Many blocks, whatever an engine puts into one. */
const MANY = Array.from({ length: 4_000 }, (_, i) =>
  comment({ id: `m${i}`, created: START_OF_2008 + i, body: `number${i} ${'solar '.repeat(700)}` }),
);

describe('an export with a fault in its middle', async () => {
  const lines: string[] = [];

  /** A server whose exports break behind their second block, and its log. */
  const service = ofTests(await openService([], MANY));
  const { good: key } = service.keys;
  watchExports(service.engine, async (block) => {
    if (block === 1) throw new Error('the disk is gone');
  });
  const port = await listen(await service.build({ log: lineLog((line) => lines.push(line)) }));

  it('has no last chunk and no trailers, and the log says why', async () => {
    lines.length = 0;
    const socket = connect(port, '127.0.0.1');
    socket.write(
      `GET /api/v1/export/comments?query= HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${key}\r\n\r\n`,
    );
    const pieces: Buffer[] = [];
    socket.on('data', (piece: Buffer) => pieces.push(piece));
    await once(socket, 'close');
    const received = Buffer.concat(pieces).toString('latin1');
    assert.match(received, /^HTTP\/1\.1 200 OK\r\nTransfer-Encoding: chunked\r\n/i);
    assert.match(received, new RegExp(`\r\ncolloquy-total-count: ${MANY.length}\r\n`, 'i'));
    assert.ok(received.includes('"body":"number'));
    assert.doesNotMatch(received, /\r\n0\r\n/);
    assert.doesNotMatch(received, /^Repr-Digest/im);
    const [line = ''] = lines;
    const { requestId, msg, error } = JSON.parse(line);
    assert.ok(received.includes(requestId));
    assert.deepEqual([msg, error.message], ['answer broken off', 'the disk is gone']);
  });

  it('fails in fetch', async () => {
    const headers = { authorization: `Bearer ${key}` };
    const response = await fetch(`http://127.0.0.1:${port}/api/v1/export/comments?query=`, { headers });
    assert.equal(response.status, 200);
    await assert.rejects(response.arrayBuffer());
  });

  it("is incomplete for Node's http", async () => {
    const { status, isWhole, trailers, body } = await exported(port, 'comments?query=', { key });
    assert.deepEqual([status, isWhole, trailers], [200, false, {}]);
    assert.ok(body.length > 0);
  });

  it('fails in curl', { skip: missing('curl') }, async () => {
    using folder = temporaryFolder();
    const address = `http://127.0.0.1:${port}/api/v1/export/comments?query=`;
    const args = ['--silent', '--fail', '-o', `${folder.path}/out`, '-H', `Authorization: Bearer ${key}`];
    // 18: CURLE_PARTIAL_FILE; 56: CURLE_RECV_ERROR
    await assert.rejects(run('curl', [...args, address]), ({ code }: { code: number }) =>
      [18, 56].includes(code),
    );
  });
});

it('a removal while an export runs takes records out of what is still to come, and they are counted', async () => {
  await using service = await openService([], MANY, openEmbedded);
  const { promise: removed, resolve } = Promise.withResolvers<void>();
  const { promise: running, resolve: began } = Promise.withResolvers<void>();
  watchExports(service.engine, async (block) => {
    if (block > 0) return;
    began();
    await removed;
  });
  const port = await listen(await service.build());
  const answer = exported(port, 'comments?query=', { key: service.keys.good });
  await running;
  const gone = [MANY.at(-1)!.id, MANY.at(-2)!.id, MANY.at(-400)!.id];
  await service.engine.hide(1, 'comment', { ids: gone });
  resolve();
  const { body, headers, trailers, isWhole } = await answer;
  assert.equal(isWhole, true);
  assert.equal(headers['colloquy-total-count'], String(MANY.length));
  assert.equal(trailers['colloquy-withheld'], '3');
  assert.equal(trailers['colloquy-count'], String(MANY.length - 3));
  const left = idsOf(MANY).filter((id) => !gone.includes(id));
  assert.deepEqual(idsOf(jsonLines(body.toString())), left);
});

it('a stop of the server breaks an export that does not end in time, and waits no longer', {
  timeout: 60_000,
}, async (t) => {
  const service = await openService(POSTS, COMMENTS, openEmbedded);
  const watch = watchExports(service.engine, (_, signal) => forever(signal));
  const server = await service.build();
  const port = await listen(server);
  const { promise: began, resolve } = Promise.withResolvers<void>();
  const answer = exported(port, 'comments?query=', { key: service.keys.good, onHead: () => resolve() });
  await began;
  // The clock goes fifty times as fast: the 10 s of a stop are a fifth of one.
  const { now } = performance;
  t.mock.method(performance, 'now', () => 50 * now.call(performance));
  const closed = server.close();
  assert.equal((await answer).isWhole, false);
  await watch.exports[0]!.disposed;
  await closed;
  await service[Symbol.asyncDispose]();
});
