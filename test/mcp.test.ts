// Tools for language models, asked by the client of the protocol's own library: over standard input and output on the
// sample, and on a server by its address. Contract 26.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { openApp } from '../src/app.ts';
import { readConfig } from '../src/config.ts';
import { fitted } from '../src/features/mcp/fit.ts';
import { QUERY_LANGUAGE } from '../src/features/mcp/query-language.ts';
import { interpretQuery } from '../src/search/language/interpret.ts';
import { temporaryFolder } from './helpers.ts';

const PROGRAM = fileURLToPath(new URL('../bin/colloquy.mjs', import.meta.url));
const folder = temporaryFolder();
const data = `${folder.path}/data`;

type Structured = Record<string, unknown>;

async function connected(words: readonly string[], env: Record<string, string> = {}): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' });
  const args = [PROGRAM, 'mcp', ...words];
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args,
      env: { ...(process.env as object), ...env },
    }),
  );
  return client;
}

function textOf({ content }: { content: unknown }): string {
  return (content as { text: string }[]).map(({ text }) => text).join('\n');
}

describe('tools for language models', { timeout: 60_000 }, () => {
  let client: Client;
  let key: string;

  before(async () => {
    await using app = await openApp({ ...readConfig({}), dataFolder: data }, { sample: true });
    ({ key } = app.accounts.createKey({ email: 'ann@example.org', name: 'test', expiresInDays: null }));
    client = await connected(['--data', data]);
  });

  after(async () => {
    await client.close();
    folder[Symbol.dispose]();
  });

  it('every tool answers on the sample, by its own schema, within its length', async () => {
    const { tools } = await client.listTools();
    const found = await client.callTool({ name: 'search_comments', arguments: { query: 'solar', limit: 1 } });
    const { data: records } = found.structuredContent as { data: { id: string; permalink: string }[] };
    const post = /comments\/(\w+)/.exec(records[0]!.permalink)![1]!;
    assert.ok(tools.length >= 18, String(tools.length));
    for (const { name, inputSchema, annotations } of tools) {
      assert.deepEqual(annotations, { readOnlyHint: true, openWorldHint: false });
      const values: Record<string, string | string[]> = { query: 'solar', ids: records[0]!.id, post };
      if (name.startsWith('compare')) values.query = ['solar', 'roof'];
      const given = (inputSchema.required ?? []).map((one) => [one, values[one]]);
      // The client throws where the structured content breaks the schema.
      const answer = await client.callTool({ name, arguments: Object.fromEntries(given) });
      assert.notEqual(answer.isError, true, `${name}: ${textOf(answer)}`);
      assert.ok(JSON.stringify(answer.structuredContent).length <= 24_000, name);
    }
  });

  it('an answer that is cut has its exact total, and says what was left out', async () => {
    const given = { query: '', limit: 1000, max_characters: 4000 };
    const answer = await client.callTool({ name: 'search_comments', arguments: given });
    const { total_count: total, cut } = answer.structuredContent as Structured;
    assert.ok(JSON.stringify(answer.structuredContent).length <= 4000);
    assert.ok((cut as Structured).data, JSON.stringify(cut));
    assert.match(
      textOf(answer),
      new RegExp(`^${total} in all, exactly[^]*Left out: .data. has \\d+ entries`),
    );
  });

  it('texts have 1,500 characters, and rows go before prose', () => {
    const record = { id: 'a', body: 'x'.repeat(20_000) };
    const one = fitted({ total_count: 1, data: [record] }, 24_000).structured as { data: Structured[] };
    assert.equal((one.data[0]!.body as string).length, 1500);
    assert.deepEqual(one.data[0]!.cut, { body: 20_000 });
    const many = fitted({ total_count: 100, data: Array(100).fill(record) }, 24_000).structured;
    assert.equal((many.data as unknown[]).length, 100);
  });

  it('a problem is its sentence with its remedy', async () => {
    const wrong = await client.callTool({ name: 'search_posts', arguments: { query: 'score:x' } });
    assert.equal(wrong.isError, true);
    assert.match(textOf(wrong), /^Score not understood: expected .*found `score:x`.*query-language/);
    await assert.rejects(client.callTool({ name: 'nothing', arguments: {} }), /expected a tool/);
  });

  it('resources: the language, whose examples are understood, the coverage, the date', async () => {
    const { resources } = await client.listResources();
    const texts = await Promise.all(
      resources.map(async ({ uri }) => (await client.readResource({ uri })).contents),
    );
    assert.deepEqual(
      texts.map((contents) => (contents[0] as { text: string }).text.slice(0, 7)),
      ['# Query', '{"type"', new Date().toISOString().slice(0, 7)],
    );
    const examples = [...QUERY_LANGUAGE.matchAll(/^- `(.+?)`: /gm)].map(([, query]) => query!);
    assert.equal(examples.length, 20);
    assert.ok(QUERY_LANGUAGE.split(/\s+/).length <= 700);
    for (const query of examples) interpretQuery(query, { impliedWindow: 'off' });
    const { prompts } = await client.listPrompts();
    const prompt = await client.getPrompt({ name: prompts[0]!.name, arguments: { subject: 'solar' } });
    assert.match(JSON.stringify(prompt), /"solar/);
  });

  it('2,000 random calls and lines end nothing', async () => {
    const { tools } = await client.listTools();
    let seed = 1;
    const random = (below: number) => {
      seed = (seed * 48_271) % 2_147_483_647;
      return seed % below;
    };
    const junk = [
      '',
      '"',
      '-',
      'a|b*',
      'score:',
      '\ud800',
      '```',
      '../..',
      '%',
      'x'.repeat(9000),
      -1,
      null,
      {},
      [],
      [['a']],
      true,
    ];
    const server = spawn(process.execPath, [PROGRAM, 'mcp', '--data', data], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    let received = '';
    server.stdout.setEncoding('utf8').on('data', (text: string) => {
      received += text;
    });
    const send = (line: string) => server.stdin.write(`${line}\n`);
    const clientInfo = { name: 'fuzz', version: '1' };
    const start = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo };
    send(JSON.stringify({ jsonrpc: '2.0', id: 0, method: 'initialize', params: start }));
    send(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' }));
    for (let id = 1; id <= 2000; id++) {
      const { name, inputSchema } = tools[random(tools.length)]!;
      const names = Object.keys(inputSchema.properties!).filter(() => random(3) === 0);
      const given = Object.fromEntries(names.map((one) => [one, junk[random(junk.length)]]));
      const line = JSON.stringify({
        jsonrpc: '2.0',
        id,
        method: 'tools/call',
        params: { name, arguments: given },
      });
      send(random(50) === 0 ? line.slice(0, random(line.length)) : line);
    }
    send(JSON.stringify({ jsonrpc: '2.0', id: 'last', method: 'ping' }));
    const isAnswered = () => received.split('\n').length > 1800 && received.includes('"last"');
    while (!isAnswered() && server.exitCode === null) await new Promise((done) => setTimeout(done, 100));
    assert.equal(server.exitCode, null);
    const answers = received
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Structured);
    assert.deepEqual(
      answers.filter(({ jsonrpc }) => jsonrpc !== '2.0'),
      [],
    );
    server.stdin.end();
    assert.deepEqual(await once(server, 'exit'), [0, null]);
  });

  it('by the address of a server, the key and the limits of the account hold', async () => {
    const serve = ['serve', '--port', '0', '--data', data];
    const server = spawn(process.execPath, [PROGRAM, ...serve], { stdio: ['ignore', 'pipe', 'ignore'] });
    const [ready] = await once(server.stdout, 'data');
    const url = /http:\S+/.exec(`${ready}`)![0];
    try {
      const far = await connected(['--url', url], { COLLOQUY_KEY: key });
      const call = { name: 'count_comments', arguments: { query: ['solar', 'wind'] } };
      const [there, here] = [await far.callTool(call), await client.callTool(call)];
      assert.deepEqual(there.structuredContent, here.structuredContent);
      await far.close();
      const stranger = await connected(['--url', url], { COLLOQUY_KEY: 'clq_x' });
      const refused = await stranger.callTool(call);
      assert.match(textOf(refused), /^API key not valid/);
      await stranger.close();
    } finally {
      server.kill();
      await once(server, 'exit');
    }
  });
});
