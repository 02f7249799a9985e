// The long run of broken requests: npm run test:long -- random-bytes [count] [seed]
// Requests with random bytes changed, taken out, doubled or put in. Every answer must be whole HTTP below 500, with a
// problem document where it is an error, and the server must live. Prints how many answers had which status.

import assert from 'node:assert/strict';
import { type AddressInfo, connect } from 'node:net';
import fc from 'fast-check';
import { COMMENTS, POSTS } from '../api/corpus.ts';
import { openService } from '../api/service.ts';
import { answersIn } from '../api/socket.ts';
import { damageArbitrary, damaged } from '../generators/damage.ts';

const [count = 5000, seed = Date.now() % 2 ** 31] = process.argv.slice(2).map(Number);
/** A request that is broken so that its end never comes is given up after this. */
const PATIENCE_MS = 300;

await using service = await openService(POSTS, COMMENTS);
const server = await service.build();
await server.listen({ port: 0, host: '127.0.0.1' });
const { port } = server.server.address() as AddressInfo;
const statuses = new Map<number | string, number>();

const requests = [
  `GET /api/v1/search/posts?query=cats HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${service.keys.good}\r\n\r\n`,
  `GET /api/v1/search/posts?query=%22a+b%22 HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n`,
  'POST /api/v1/search/comments HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc',
  'HEAD /healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n',
];
const signs = ['\r', '\n', '\r\n', '\0', ' ', ':', '\x80'].map((text) => Buffer.from(text, 'latin1'));
const change = damageArbitrary(300, signs);

await fc.assert(
  fc.asyncProperty(
    fc.constantFrom(...requests),
    fc.array(change, { minLength: 1, maxLength: 4 }),
    async (request, changes) => {
      const received = await send(changes.reduce(damaged, Buffer.from(request)));
      if (received === '') return tally('no answer');
      for (const { status, headers, body } of answersIn(received)) {
        tally(status);
        assert.ok(status < 500, `${status}`);
        if (status >= 400 && body !== '') {
          assert.equal(headers['content-type'], 'application/problem+json');
          assert.equal(JSON.parse(body).status, status);
        }
      }
    },
  ),
  { numRuns: count, seed, endOnFailure: true },
);
console.log(`${count} broken requests, seed ${seed}`, Object.fromEntries(statuses));

function tally(status: number | string): void {
  statuses.set(status, (statuses.get(status) ?? 0) + 1);
}

/** What comes back until the connection is closed, or has been silent for PATIENCE_MS. */
function send(bytes: Buffer): Promise<string> {
  return new Promise((resolve) => {
    let text = '';
    const socket = connect(port, '127.0.0.1', () => socket.end(bytes));
    socket.setTimeout(PATIENCE_MS, () => socket.destroy());
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1');
    });
    socket.on('error', () => undefined);
    socket.on('close', () => resolve(text));
  });
}
