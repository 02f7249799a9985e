// Tools for language models, asked by the client of the protocol's own library and by its inspector: over standard
// input and output on the sample, at `/mcp` of a server, and on that server by its address. Contract 26.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { openApp } from '../src/app.ts';
import { readConfig } from '../src/config.ts';
import { QUERY_LANGUAGE } from '../src/features/mcp/server.ts';
import { fitted } from '../src/features/mcp/tools.ts';
import { interpretQuery } from '../src/search/language/interpret.ts';
import { randomBelow } from './generators/random.ts';
import { temporaryFolder } from './helpers.ts';
import { PROGRAM, type Served, serve, start, until } from './processes.ts';

const run = promisify(execFile);
/** `.ci/run` installs it. */
const INSPECTOR = `${process.env.COLLOQUY_CLIENT_TOOLS ?? ''}/node_modules/.bin/mcp-inspector`;
const NO_INSPECTOR = existsSync(INSPECTOR) ? false : 'COLLOQUY_CLIENT_TOOLS has no inspector';
const folder = temporaryFolder();
const data = `${folder.path}/data`;
const PAGE = readFileSync(new URL('../docs/mcp.md', import.meta.url), 'utf8');

type Structured = Record<string, unknown>;
type Transport = StdioClientTransport | StreamableHTTPClientTransport;

/** The newest revision of the protocol, and the one before. */
const REVISIONS = { '2026-07-28': { pin: '2026-07-28' }, '2025-11-25': 'legacy' } as const;

async function connected(
  transport: Transport,
  revision: keyof typeof REVISIONS = '2025-11-25',
): Promise<Client> {
  const versionNegotiation = { mode: REVISIONS[revision] };
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation });
  await client.connect(transport);
  return client;
}

function byPipe(words: readonly string[], env: Record<string, string> = {}): Transport {
  return new StdioClientTransport({
    command: process.execPath,
    args: [PROGRAM, 'mcp', ...words],
    env: { ...(process.env as object), ...env },
  });
}

function byHttp(url: string, key: string): Transport {
  const headers = { authorization: `Bearer ${key}` };
  return new StreamableHTTPClientTransport(new URL('/mcp', url), { requestInit: { headers } });
}

function textOf({ content }: { content: unknown }): string {
  return (content as { text: string }[]).map(({ text }) => text).join('\n');
}

/** What of answers a conversation tells. */
interface Answer {
  readonly total_count: number;
  readonly rows: readonly { total_count: number; of: number; name: string; count: number }[];
  readonly series: readonly { buckets: readonly { start: number; count: number }[] }[];
  readonly data: readonly { id: string; score: number; body: string }[];
}

const TOLD: Readonly<Record<string, (answer: Answer) => string>> = {
  count_comments: ({ rows }) => {
    const totals = rows.map((row) => row.total_count).join(' and ');
    return `${totals} of ${rows[0]!.of.toLocaleString('en')} comments`;
  },
  timeline_comments: ({ series }) => {
    const years = series[0]!.buckets.map((one) => [new Date(one.start * 1000).getUTCFullYear(), one.count]);
    return years.map(([year, count]) => `${year}: ${count}`).join(', ');
  },
  break_down_comments: ({ rows }) => rows.map(({ name, count }) => `${name} ${count}`).join(', '),
  search_comments: ({ total_count: total, data: [first] }) =>
    `${total} in all; first \`${first!.id}\`, score ${first!.score}: "${first!.body}"`,
};

describe('tools for language models', { timeout: 120_000 }, () => {
  let client: Client;
  let key: string;
  let server: Served;
  let url: string;

  before(async () => {
    {
      await using app = await openApp({ ...readConfig({}), dataFolder: data }, { sample: true });
      ({ key } = app.accounts.createKey({ email: 'ann@example.org', name: 'test', expiresInDays: null }));
    }
    server = await serve(['--data', data], { COLLOQUY_MCP: 'on' });
    url = server.address;
    client = await connected(byPipe(['--data', data]));
  });

  after(async () => {
    await client.close();
    await server[Symbol.asyncDispose]();
    folder[Symbol.dispose]();
  });

  for (const way of ['pipe', 'HTTP'] as const) {
    for (const revision of Object.keys(REVISIONS) as (keyof typeof REVISIONS)[]) {
      it(`by ${way}, ${revision}: every tool answers on the sample, by its own schema, within its length`, async () => {
        const own = await connected(way === 'pipe' ? byPipe(['--data', data]) : byHttp(url, key), revision);
        assert.equal(own.getNegotiatedProtocolVersion(), revision);
        const { tools } = await own.listTools();
        const asked = { name: 'search_comments', arguments: { query: 'solar', limit: 1 } };
        const found = await own.callTool(asked);
        const { data: records } = found.structuredContent as { data: { id: string; permalink: string }[] };
        const post = /comments\/(\w+)/.exec(records[0]!.permalink)![1]!;
        assert.ok(tools.length >= 18, String(tools.length));
        for (const { name, inputSchema, annotations } of tools) {
          assert.deepEqual(annotations, { readOnlyHint: true, openWorldHint: false });
          const values: Record<string, unknown> = { query: 'solar', ids: records[0]!.id, post };
          const given = (inputSchema.required ?? []).map((one) => [one, values[one]] as const);
          // The client throws where the structured content breaks the schema.
          const answer = await own.callTool({ name, arguments: argumentsOf(name, given) });
          assert.notEqual(answer.isError, true, `${name}: ${textOf(answer)}`);
          assert.ok(textOf(answer).length <= 24_000, name);
        }
        await own.close();
      });
    }
  }

  it('the page tells a conversation as it goes, in 500 words', async () => {
    const rows = [...PAGE.matchAll(/^\| `(\w+)` \| `(.+?)` \| (.+) \|$/gm)];
    assert.equal(rows.length, 4);
    for (const [, name = '', given = '', told] of rows) {
      const answer = await client.callTool({ name, arguments: JSON.parse(given) });
      assert.equal(TOLD[name]!(answer.structuredContent as unknown as Answer), told, name);
    }
    assert.ok(PAGE.split(/\s+/).length <= 500, String(PAGE.split(/\s+/).length));
  });

  const ways: readonly (readonly [what: string, words: () => string[]])[] = [
    ['a pipe', () => [process.execPath, PROGRAM, 'mcp', '--data', data]],
    ['HTTP', () => [`${url}/mcp`, '--transport', 'http', '--header', `Authorization: Bearer ${key}`]],
  ];
  for (const [what, words] of ways) {
    it(`the inspector finds its way over ${what}`, { skip: NO_INSPECTOR }, async () => {
      const inspect = async (...asked: string[]) => {
        const all = [INSPECTOR, '--cli', ...words(), '--method', ...asked];
        const { stdout } = await run(process.execPath, all, { env: { ...process.env, HOME: folder.path } });
        return JSON.parse(stdout);
      };
      const { tools } = await inspect('tools/list', '--strict');
      assert.ok(tools.length >= 18);
      const call = ['tools/call', '--tool-name', 'search_comments', '--tool-arg', 'query=inverter'];
      assert.equal((await inspect(...call)).structuredContent.total_count, 7);
      const { contents } = await inspect('resources/read', '--uri', 'colloquy://query-language');
      assert.equal(contents[0].text, QUERY_LANGUAGE);
      const { prompts } = await inspect('prompts/list');
      assert.equal(prompts.length, 1);
    });
  }

  it('an answer that is cut has its exact total, and says what was left out', async () => {
    const given = { query: '', limit: 1000, max_characters: 4000 };
    const answer = await client.callTool({ name: 'search_comments', arguments: given });
    const { total_count: total, cut } = answer.structuredContent as Structured;
    assert.ok(textOf(answer).length <= 4000);
    assert.ok((cut as Structured).data, JSON.stringify(cut));
    const words = new RegExp(`^${total} in all, exactly[^]*Left out: .data. has \\d+ entries`);
    assert.match(textOf(answer), words);
  });

  it('texts have 1,500 characters, and rows go before prose', () => {
    const record = { id: 'a', body: 'x'.repeat(20_000) };
    const one = fitted({ total_count: 1, data: [record] }, 24_000).structured as { data: Structured[] };
    assert.equal((one.data[0]!.body as string).length, 1500);
    assert.deepEqual(one.data[0]!.cut, { body: 20_000 });
    const many = fitted({ total_count: 100, data: Array(100).fill(record) }, 24_000).structured;
    assert.equal((many.data as unknown[]).length, 100);
    const named = fitted({ data: [record] }, 24_000, true);
    assert.deepEqual(named, { structured: { data: [record] }, cut: [] });
  });

  it('totals come first, then the query as understood and the window that was implied', async () => {
    const heads = async (name: string, given: object) => {
      const { content } = await client.callTool({ name, arguments: { ...given } });
      return (content as { text: string }[])[0]!.text;
    };
    const counts = '`inverter`: 7 in all, exactly. `battery`: 16 in all, exactly.';
    assert.equal(await heads('count_comments', { query: ['inverter', 'battery'] }), counts);
    const head =
      /^\d+ in all, exactly\. Query as understood: `.*after:2024-01-01.*`\. `after:.*` was added, since `before:` alone/;
    assert.match(await heads('search_posts', { query: 'before:2024-01-02' }), head);
  });

  it('a problem is its sentence with its remedy', async () => {
    const wrong = await client.callTool({ name: 'search_posts', arguments: { query: 'score:x' } });
    assert.equal(wrong.isError, true);
    assert.match(textOf(wrong), /^Score not understood: expected .*found `score:x`.*query-language/);
    await assert.rejects(client.callTool({ name: 'nothing', arguments: {} }), /expected a tool/);
  });

  it('resources: the language, whose examples are understood, the coverage, the date', async () => {
    const { resources } = await client.listResources();
    const told = resources.map(async ({ uri }) => {
      const { contents } = await client.readResource({ uri });
      return (contents[0] as { text: string }).text.slice(0, 7);
    });
    const month = new Date().toISOString().slice(0, 7);
    assert.deepEqual(await Promise.all(told), ['# Query', '{"type"', month]);
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
    const random = randomBelow(1);
    const junk = [
      ...['', '"', '-', 'a|b*', 'score:', '\ud800', '```', '../..', '%'],
      'x'.repeat(9000),
      ...[-1, null, {}, []],
      [['a']],
      true,
    ];
    await using running = start(['mcp', '--data', data]);
    const { process: server, output, ended } = running;
    const send = (line: string) => server.stdin!.write(`${line}\n`);
    const clientInfo = { name: 'fuzz', version: '1' };
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo };
    send(JSON.stringify({ jsonrpc: '2.0', id: 0, method: 'initialize', params }));
    send(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' }));
    // Of the two calls beside the random ones.
    let answers = 2;
    for (let id = 1; id <= 2000; id++) {
      const { name, inputSchema } = tools[random(tools.length)]!;
      const names = Object.keys(inputSchema.properties!).filter(() => random(3) === 0);
      const given = Object.fromEntries(names.map((one) => [one, junk[random(junk.length)]]));
      const request = { method: 'tools/call', params: { name, arguments: given } };
      const line = JSON.stringify({ jsonrpc: '2.0', id, ...request });
      const isWhole = random(50) !== 0;
      if (isWhole) answers++;
      send(isWhole ? line : line.slice(0, random(line.length)));
    }
    send(JSON.stringify({ jsonrpc: '2.0', id: 'last', method: 'ping' }));
    const received = await until(async () => {
      assert.equal(server.exitCode, null, output.stderr);
      const lines = output.stdout.split('\n');
      // Behind the last line break comes a part of a line, or nothing.
      return lines.length > answers ? lines.slice(0, -1).map((line) => JSON.parse(line) as Structured) : null;
    });
    assert.ok(peakBytes(server.pid!) < MOST_BYTES, String(peakBytes(server.pid!)));
    for (const { jsonrpc } of received) assert.equal(jsonrpc, '2.0');
    assert.deepEqual([new Set(received.map(({ id }) => id)).size, received.length], [answers, answers]);
    server.stdin!.end();
    assert.equal(await ended, 0);
  });

  it('by the address of a server, the key and the limits of the account hold', async () => {
    const call = { name: 'count_comments', arguments: { query: ['solar', 'wind'] } };
    const far = await connected(byPipe(['--url', url], { COLLOQUY_KEY: key }));
    const [there, here] = [await far.callTool(call), await client.callTool(call)];
    assert.deepEqual(there.structuredContent, here.structuredContent);
    await far.close();
    const stranger = await connected(byPipe(['--url', url], { COLLOQUY_KEY: 'clq_x' }));
    const refused = await stranger.callTool(call);
    assert.match(textOf(refused), /^API key not valid/);
    await stranger.close();
  });
});

/** Some 300 MB more than the process takes with nothing asked. */
const MOST_BYTES = 600 * 2 ** 20;

/** The most memory that a process has had; 0 where the system does not tell. */
function peakBytes(pid: number): number {
  const file = `/proc/${pid}/status`;
  return existsSync(file) ? Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(file, 'utf8'))![1]) * 1024 : 0;
}

function argumentsOf(name: string, given: readonly (readonly [string, unknown])[]): Record<string, unknown> {
  const isCompared = name.startsWith('compare');
  return { ...Object.fromEntries(given), ...(isCompared && { query: ['solar', 'inverter'] }) };
}
