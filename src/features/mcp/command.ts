// `colloquy mcp`: a Model Context Protocol server over standard input and output.

import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { Command } from 'commander';
import type { FastifyInstance } from 'fastify';
import type { Accounts } from '../../accounts/accounts.ts';
import { type App, openApp } from '../../app.ts';
import { onStopSignal } from '../../cli/command-line.ts';
import { type FeatureEntry, loadFeatures } from '../../cli/feature.ts';
import { configWith, dataOption } from '../../cli/options.ts';
import { apiKey, programVersion } from '../../config.ts';
import { UsageError } from '../../errors.ts';
import { quoted } from '../../text/quoted.ts';
import { injected, mcpServer } from './server.ts';
import { type Ask, knownTools } from './tools.ts';

/** Replaces the setting, which protects other users of a server; still bounds the queries of a model. */
const QUERY_TIMEOUT_MS = 60_000;

type McpOptions = Readonly<Partial<Record<'data' | 'url', string>>>;

export function mcpCommand(features: readonly FeatureEntry[]): Command {
  return new Command('mcp')
    .description('tools for language models, over standard input and output (Model Context Protocol)')
    .option('--url <address>', 'ask this server, with the API key in COLLOQUY_KEY, and no data folder')
    .addOption(dataOption())
    .addHelpText('after', '\nFor example:\n  colloquy mcp --data /srv/colloquy')
    .action(async ({ url, ...options }: McpOptions) => {
      await using opened = new AsyncDisposableStack();
      const ask = url === undefined ? await folderAsk(opened, options, features) : serverAsk(url);
      const ended = Promise.withResolvers<void>();
      const { colloquy } = programVersion();
      const tools = knownTools(ask);
      const handle = serveStdio(() => mcpServer(ask, tools, colloquy), { maxSubscriptions: 0 });
      process.stdin.once('end', ended.resolve).once('close', ended.resolve);
      process.stdout.once('error', () => ended.resolve());
      using _ = onStopSignal(() => ended.resolve());
      await ended.promise;
      await handle.close();
    });
}

function serverAsk(url: string): Ask {
  const base = URL.parse(url);
  if (base === null || !/^https?:$/.test(base.protocol))
    throw new UsageError(`\`--url\`: expected an address that starts with https://, found ${quoted(url)}`);
  const key = apiKey();
  if (key === null)
    throw new UsageError('`--url`: expected an API key of that server in `COLLOQUY_KEY`, found none');
  const start = base.href.replace(/\/+$/, '');
  const headers = { authorization: `Bearer ${key}` };
  return (path, signal) => fetch(start + path, { headers, redirect: 'error', ...(signal && { signal }) });
}

/** Builds the server on the first request, so that startup stays fast. */
async function folderAsk(
  opened: AsyncDisposableStack,
  options: McpOptions,
  features: readonly FeatureEntry[],
): Promise<Ask> {
  const config = { ...configWith(options), queryTimeoutMs: QUERY_TIMEOUT_MS };
  const app = opened.use(await openApp(config, { sample: true, toRead: true, isLasting: true }));
  let building: ReturnType<typeof serverOver> | null = null;
  opened.defer(async () => (await building)?.close());
  return async (path, signal) => {
    building ??= serverOver(app, features);
    return await injected(await building, path, { host: '127.0.0.1', authorization: 'Bearer own' }, signal);
  };
}

/** A server that never listens. It checks no keys, since its caller can read the data folder anyway. */
async function serverOver(app: App, entries: readonly FeatureEntry[]): Promise<FastifyInstance> {
  const { buildServer } = await import('../../http/server.ts');
  const keys = { check: () => ({ keyId: 'own', accountId: 0 }), isLive: () => true };
  const { database, isReadOnly, sessions } = app.accounts;
  const accounts = { database, isReadOnly, sessions, keys } as unknown as Accounts;
  const features = await loadFeatures(entries);
  return await buildServer({
    archive: { ...app, accounts },
    features,
    settings: {
      ...{ publicUrl: null, trustedProxies: [], allowedHosts: ['*'], requestsPerMinute: 0 },
      // A client may send many requests at once.
      admission: { atOnce: Math.max(1, app.config.threads), queueMs: QUERY_TIMEOUT_MS },
    },
  });
}
