// `POST /mcp` as a route of the server: who is let in, whose limits hold, what is refused, and that removed records are
// in no answer of any tool. Contract 26.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { FastifyInstance } from 'fastify';
import { keyWish } from './account-fixtures.ts';
import { COMMENTS, POSTS } from './api/corpus.ts';
import { type BuildOptions, openService } from './api/service.ts';
import { ofTests } from './of-tests.ts';

const ON = { ofFeatures: { COLLOQUY_MCP: 'on' } };

interface Reply {
  readonly status: number;
  readonly text: string;
  /** Of the message that was sent; undefined: there is none. */
  readonly result?: Readonly<Record<string, unknown>>;
}

async function send(
  server: FastifyInstance,
  key: string,
  message: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<Reply> {
  const answer = await server.inject({
    ...{ method: 'POST', url: '/mcp' },
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...headers,
    },
    payload: typeof message === 'string' ? message : JSON.stringify(message),
  });
  const [, told] = /^data: (.*)$/m.exec(answer.payload) ?? [];
  const result = told === undefined ? {} : { result: JSON.parse(told).result };
  return { status: answer.statusCode, text: answer.payload, ...result };
}

function request(method: string, params: object = {}): object {
  return { jsonrpc: '2.0', id: 1, method, params };
}

const call = (name: string, given: object) => request('tools/call', { name, arguments: given });

describe('POST /mcp', async () => {
  const build = (options: BuildOptions = {}) => service.build({ ...ON, ...options });

  const service = ofTests(await openService(POSTS, COMMENTS));
  const server = await build();

  it('is there where it is switched on alone', async () => {
    const off = await service.build();
    assert.equal((await send(off, service.keys.good, request('ping'))).status, 404);
    assert.deepEqual((await send(server, service.keys.good, request('ping'))).result, {});
  });

  it('a key that is revoked, expired or unknown is refused, also when it held before', async () => {
    for (const key of [service.keys.revoked, service.keys.expired, 'clq_x'])
      assert.equal((await send(server, key, request('tools/list'))).status, 401);
    const { key, id } = service.accounts.createKey(keyWish());
    const asked = call('count_posts', { query: ['cats'] });
    assert.equal((await send(server, key, asked)).status, 200);
    service.accounts.keys.revoke(id);
    assert.equal((await send(server, key, asked)).status, 401);
  });

  it('a call takes one of the requests of the account, and so does any other message', async (t) => {
    t.mock.method(performance, 'now', () => 0);
    // A full bucket has 10.
    const limited = await build({ requestsPerMinute: 60 });
    const { good } = service.keys;
    const asked = call('count_posts', { query: ['cats'] });
    for (let i = 0; i < 5; i++) assert.ok((await send(limited, good, asked)).result?.structuredContent);
    for (let i = 0; i < 5; i++) assert.equal((await send(limited, good, request('tools/list'))).status, 200);
    assert.equal((await send(limited, good, request('ping'))).status, 429);
    const { result } = await send(limited, good, asked);
    assert.equal(result?.isError, true);
    assert.match(JSON.stringify(result), /Ask again in \d+ s\./);
    assert.equal((await send(limited, service.keys.other, request('ping'))).status, 200);
  });

  const refused: readonly (readonly [what: string, message: unknown, headers: object, status: number])[] = [
    ['several messages', [request('ping'), request('ping')], {}, 400],
    ['what is no JSON', '{"jsonrpc"', {}, 400],
    ['a form', 'a=b', { 'content-type': 'application/x-www-form-urlencoded' }, 400],
    ['a long body', ' '.repeat(70_000), {}, 413],
    ['a page of another site', request('ping'), { origin: 'https://evil.example' }, 403],
  ];
  for (const [what, message, headers, status] of refused) {
    it(`${what}: ${status}`, async () => {
      const answer = await send(server, service.keys.good, message, { ...headers });
      assert.equal(answer.status, status, answer.text);
      assert.doesNotThrow(() => JSON.parse(answer.text));
    });
  }

  it('nothing waits for changes, of which there are none', async () => {
    const listen = request('subscriptions/listen', { notifications: { toolsListChanged: true } });
    assert.match((await send(server, service.keys.good, listen)).text, /"error"/);
  });

  it('what is removed is in no answer of any tool', async () => {
    const { good } = service.keys;
    const post = POSTS.find(({ id }) => COMMENTS.some((one) => one.post === id))!;
    const comment = COMMENTS.find((one) => one.post === post.id)!;
    const { tools } = (await send(server, good, request('tools/list'))).result as {
      tools: { name: string; inputSchema: { properties: object; required: string[] } }[];
    };
    const answers = async () => {
      const texts: string[] = [];
      for (const { name, inputSchema } of tools) {
        const ids = name.startsWith('comment') ? comment.id : post.id;
        const query = 'query' in inputSchema.properties ? { query: '' } : {};
        const values: Record<string, unknown> = { ids, post: post.id, query: '' };
        const given = {
          ...query,
          ...Object.fromEntries(inputSchema.required.map((one) => [one, values[one]])),
        };
        texts.push((await send(server, good, call(name, given))).text);
      }
      return texts;
    };
    const tells = (texts: readonly string[], id: string) =>
      texts.filter((text) => text.includes(`\\"id\\":\\"${id}\\"`)).length;
    const earlier = await answers();
    for (const { id } of [post, comment]) assert.ok(tells(earlier, id) >= 3, id);
    await service.engine.hide(1, 'post', { ids: [post.id] });
    await service.engine.hide(2, 'comment', { ids: [comment.id] });
    const later = await answers();
    for (const { id } of [post, comment]) assert.equal(tells(later, id), 0, id);
  });
});
