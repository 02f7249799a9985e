// The lines of requests and of slow questions.

import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { describe, it } from 'node:test';
import type { SeenDeps } from '../../src/features/monitoring/watcher.ts';
import { COMMENTS, POSTS } from '../api/corpus.ts';
import { listen as listenAt } from '../api/export-client.ts';
import { type Line, listen } from '../api/listening.ts';
import { openService } from '../api/service.ts';
import { ofTests } from '../of-tests.ts';

describe('the line of a request', async () => {
  const service = ofTests(await openService(POSTS, COMMENTS));

  async function ask(url: string, settings: Partial<SeenDeps> = {}) {
    const heard = listen(settings);
    const server = await service.build({ ...heard.deps });
    const headers = { authorization: `Bearer ${service.keys.good}` };
    const response = await server.inject({ url, headers, remoteAddress: '192.0.2.77' });
    return { ...heard, id: response.headers['x-request-id'] };
  }

  it('has id, pattern of the path, status, milliseconds and bytes, and nothing else', async () => {
    const heard = listen();
    const server = await service.build({ ...heard.deps });
    const port = await listenAt(server);
    const headers = { authorization: `Bearer ${service.keys.good}` };
    const response = await fetch(`http://127.0.0.1:${port}/api/v1/search/posts?query=cat`, { headers });
    const body = await response.arrayBuffer();
    const [{ ms, bytes, ...line } = {}, ...others] = heard.lines as Line[];
    assert.deepEqual(others, []);
    assert.deepEqual(line, {
      ...{ level: 'info', msg: 'request', method: 'GET', route: '/api/v1/search/posts', status: 200 },
      id: response.headers.get('x-request-id'),
    });
    assert.ok(Number(ms) > 0);
    assert.ok(body.byteLength > 0 && Number(bytes) > Number(response.headers.get('content-length')));
  });

  it('has the code of a problem', async () => {
    const { lines } = await ask('/api/v1/search/posts?query=before:tomorrow');
    assert.deepEqual([lines[0]!.status, lines[0]!.code], [400, 'bad_date']);
  });

  it('says that the caller went before the end', async () => {
    const heard = listen();
    const server = await service.build({ ...heard.deps });
    server.get('/endless', (_request, reply) => {
      reply.hijack();
      reply.raw.writeHead(200);
      reply.raw.write('begun');
    });
    const socket = connect(await listenAt(server), '127.0.0.1');
    socket.write('GET /endless HTTP/1.1\r\nHost: localhost\r\n\r\n');
    socket.once('data', () => socket.destroy());
    while (heard.lines.length === 0) await new Promise(setImmediate);
    assert.deepEqual([heard.lines[0]!.status, heard.lines[0]!.cut], [200, true]);
  });

  it('checks of health that went well have no line', async () => {
    for (const path of ['/livez', '/readyz', '/healthz']) assert.deepEqual((await ask(path)).lines, [], path);
  });

  it('has the address where that is set', async () => {
    assert.equal((await ask('/', { requests: 'address' })).lines[0]!.address, '192.0.2.77');
    assert.ok(!('address' in (await ask('/', { requests: 'on' })).lines[0]!));
    assert.deepEqual((await ask('/', { requests: 'off' })).lines, []);
  });

  it('a slow question is told where requests are not', async () => {
    const { lines } = await ask('/api/v1/search/posts?query=cat', { requests: 'off', slowMs: 1e-9 });
    const messages = lines.map(({ msg }) => msg);
    assert.deepEqual(messages, ['slow question']);
  });

  const slow: readonly (readonly [what: string, url: string, shapes: readonly string[] | null])[] = [
    [
      'one query',
      '/api/v1/search/posts?query=cat+"solar+panel"+after:2024-01-01',
      ['1 word, 1 phrase, after'],
    ],
    ['comments of posts', '/api/v1/search/comments?query=cat&under=/r/cats', ['1 word', 'under: community']],
    [
      'several queries, of which four are told',
      '/api/v1/counts/posts?query=a&query=b+c&query=d*&query=&query=e',
      ['1 word', '2 words', 'not understood', 'everything'],
    ],
    ['what has no query', '/api/v1/records/posts?ids=a', null],
    ['what cannot be read', '/api/v1/search/posts?query=%ff', null],
    ['of a comparison', '/compare?query=cat&query=dog', ['1 word', '1 word']],
  ];
  for (const [what, url, shapes] of slow) {
    it(`a slow question is told by its shape: ${what}`, async () => {
      const { lines, id } = await ask(url, { slowMs: 1e-9, requests: 'off' });
      assert.deepEqual(
        lines.map(({ msg, shapes: told, id: of }) => ({ msg, told, of })),
        shapes === null ? [] : [{ msg: 'slow question', told: shapes, of: id }],
      );
    });
  }

  it('a question below the limit is not told, and with 0 none is', async () => {
    for (const slowMs of [3_600_000, 0])
      assert.deepEqual((await ask('/api/v1/search/posts?query=cat', { slowMs, requests: 'off' })).lines, []);
  });
});
