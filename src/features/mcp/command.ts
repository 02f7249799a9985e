// `colloquy mcp`: a server of the Model Context Protocol over standard input and output.

import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { Command } from 'commander';
import type { FastifyInstance } from 'fastify';
import type { Accounts } from '../../accounts/accounts.ts';
import { type App, openApp } from '../../app.ts';
import { onStopSignal } from '../../cli/command-line.ts';
import type { FeatureEntry } from '../../cli/feature.ts';
import { configWith, dataOption } from '../../cli/options.ts';
import { apiKey, programVersion } from '../../config.ts';
import { UsageError } from '../../errors.ts';
import { quoted } from '../../text/quoted.ts';
import { injected, mcpServer } from './server.ts';
import type { Ask, Reply } from './tools.ts';

/** The setting is for servers; here nobody else is waiting, but for a model that may have asked too much. */
const QUERY_TIMEOUT_MS = 60_000;

interface McpOptions {
  readonly data?: string;
  readonly url?: string;
}

export function mcpCommand(features: readonly FeatureEntry[]): Command {
  return new Command('mcp')
    .description('tools for language models, over standard input and output (Model Context Protocol)')
    .option('--url <address>', 'ask this server, with the API key in COLLOQUY_KEY, and no data folder')
    .addOption(dataOption())
    .addHelpText('after', '\nFor example:\n  colloquy mcp --data /srv/colloquy')
    .action(async ({ url, ...options }: McpOptions) => {
      await using asked = url === undefined ? await folderAsked(options, features) : serverAsked(url);
      const ended = Promise.withResolvers<void>();
      const { colloquy } = programVersion();
      const handle = serveStdio(() => mcpServer(asked.ask, colloquy), { maxSubscriptions: 0 });
      process.stdin.once('end', ended.resolve).once('close', ended.resolve);
      process.stdout.once('error', () => ended.resolve());
      using _ = onStopSignal(() => ended.resolve());
      await ended.promise;
      await handle.close();
    });
}

interface Asked extends AsyncDisposable {
  readonly ask: Ask;
}

function serverAsked(url: string): Asked {
  const base = URL.parse(url);
  if (base === null || !/^https?:$/.test(base.protocol))
    throw new UsageError(`\`--url\`: expected an address that starts with https://, found ${quoted(url)}`);
  const key = apiKey();
  if (key === null)
    throw new UsageError('`--url`: expected an API key of that server in `COLLOQUY_KEY`, found none');
  const start = base.href.replace(/\/+$/, '');
  const ask = async (path: string, signal?: AbortSignal): Promise<Reply> => {
    const headers = { authorization: `Bearer ${key}` };
    const response = await fetch(start + path, { headers, redirect: 'error', ...(signal && { signal }) });
    return { status: response.status, headers: response.headers, text: await response.text() };
  };
  return { ask, [Symbol.asyncDispose]: async () => undefined };
}

/** The server is built with the first question, so that the start does not wait for it. */
async function folderAsked(options: McpOptions, features: readonly FeatureEntry[]): Promise<Asked> {
  await using opened = new AsyncDisposableStack();
  const config = { ...configWith(options), queryTimeoutMs: QUERY_TIMEOUT_MS };
  const app = opened.use(await openApp(config, { sample: true, toRead: true, isLasting: true }));
  let building: ReturnType<typeof serverOver> | null = null;
  opened.defer(async () => (await building)?.close());
  const owned = opened.move();
  return {
    ask: async (path, signal) => {
      building ??= serverOver(app, features);
      return await injected(await building, path, { host: '127.0.0.1', authorization: 'Bearer own' }, signal);
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** A server that never listens. Whoever may read the folder needs no key. */
async function serverOver(app: App, entries: readonly FeatureEntry[]): Promise<FastifyInstance> {
  const { buildServer } = await import('../../http/server.ts');
  const owner = { checkKey: () => ({ keyId: 'own', accountId: 0 }), isLive: () => true };
  const accounts = { saved: app.accounts.saved, ...owner } as unknown as Accounts;
  const features = await Promise.all(entries.map(async ({ load }) => (await load()).feature));
  return await buildServer({
    archive: { ...app, accounts },
    features,
    settings: { publicUrl: null, trustedProxies: [], allowedHosts: ['*'], requestsPerMinute: 0 },
  });
}
