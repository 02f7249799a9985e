// A caller who asks for a large answer and does not read it held it for 120 s. How long it is waited for is what the
// socket is set to; `npm run test:long -- slow-sockets` waits for the end.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { describe, it } from 'node:test';
import { STALLED_ANSWER_MS } from '../../src/http/answers/representation.ts';
import { comment } from '../helpers.ts';
import { NEW_YEAR } from './corpus.ts';
import { openService } from './service.ts';

describe('a caller who takes no byte of an answer', () => {
  it('has 15 s, as Node counts them: two looks at what waits', async () => {
    const large = Array.from({ length: 8 }, (_, i) =>
      comment({ id: `large${i}`, created: NEW_YEAR + i, body: 'x'.repeat(1_000_000) }),
    );
    await using service = await openService([], large);
    const server = await service.build();
    const connection = once(server.server, 'connection');
    await server.listen({ port: 0, host: '127.0.0.1' });
    const { port } = server.server.address() as AddressInfo;
    const slow = connect(port, '127.0.0.1', () => {
      slow.write('GET /api/v1/search/comments?query= HTTP/1.1\r\nHost: localhost\r\n');
      slow.write(`Authorization: Bearer ${service.keys.good}\r\n\r\n`);
    });
    const [socket] = (await connection) as [Socket];
    assert.notEqual(socket.timeout, STALLED_ANSWER_MS / 2);
    await once(slow, 'readable');
    assert.equal(socket.timeout, STALLED_ANSWER_MS / 2);
    assert.ok(socket.writableLength > 0);
    // Once it is taken, the connection has the time of every idle one.
    slow.resume();
    while (socket.timeout === STALLED_ANSWER_MS / 2) await once(slow, 'data');
    slow.destroy();
  });
});
