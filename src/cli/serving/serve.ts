// `colloquy serve`: serves the API and the pages on a port, until it is told to stop. At its start it warns of more
// rights than it needs and of data that others may enter, and of proxies that settings suggest but do not name.

import { Command } from 'commander';
import type { SecurityLog } from '../../accounts/security-log.ts';
import { type App, openApp } from '../../app.ts';
import { type Config, isSocketPath, SETTINGS, settingOf } from '../../config.ts';
import { UsageError } from '../../errors.ts';
import { opennessOf, watchUnchanged } from '../../folder/data-folder.ts';
import { EXTRA_PLACES, waitMsOf } from '../../http/requests/admission.ts';
import { isLoopback } from '../../http/requests/caller.ts';
import { requestsPerMinute } from '../../http/requests/limits.ts';
import { buildServer } from '../../http/server.ts';
import { LogLines, log } from '../../log.ts';
import { KEPT_AFTER_HIDING } from '../../model/removals.ts';
import { quoted } from '../../text/quoted.ts';
import { noteListening, openSecurityFile } from '../accounts-folder.ts';
import { commandLine, onStopSignal, shellWord } from '../command-line.ts';
import { type Feature, type FeatureEntry, loadFeatures, reachedByRemovals } from '../feature.ts';
import { configWith, dataOption } from '../options.ts';
import { listen } from './listening.ts';
import { startUpkeep, tellOnceReady, tellSupervisor, whyNotReady } from './waiting.ts';

/** Queries that one server has under way there (docs/limits.md). */
const OPENSEARCH_AT_ONCE = 32;

interface ServeOptions {
  readonly data?: string;
  readonly host?: string;
  readonly port?: string;
  readonly sample: boolean;
  readonly readOnly?: boolean;
}

export function serveCommand(features: readonly FeatureEntry[]): Command {
  return new Command('serve')
    .description('serve the API and the search page')
    .addOption(dataOption())
    .option(
      '--host <host>',
      'address, or absolute path of a unix socket, to listen on (default: COLLOQUY_HOST, or 127.0.0.1, ' +
        'this machine only)',
    )
    .option('--port <port>', 'port to listen on (default: COLLOQUY_PORT, or 8080); 0 for any free port')
    .option('--no-sample', 'serve nothing, instead of the invented sample, until something is imported')
    .option('--read-only', 'write nothing to the data folder: nobody can sign in, API keys work')
    .addHelpText(
      'after',
      `
On SIGTERM and Ctrl-C it finishes the answers it is sending, then stops. Example:
  colloquy serve --data /srv/colloquy --port 8081`,
    )
    .action(async (options: ServeOptions) => {
      const config = withFlags(configWith(options), options);
      const served = await loadFeatures(features);
      for (const { settings = [] } of served) for (const one of settings) settingOf(config, one);
      const isReadOnly = options.readOnly === true;
      using unchanged = isReadOnly ? await watchUnchanged(config) : null;
      await using app = await openApp(config, {
        ...{ sample: options.sample, orUnavailable: true, toRead: isReadOnly, isReadOnly },
        isLasting: true,
        // Whom the door lets in beyond the others should not wait for their threads.
        spareThreads: EXTRA_PLACES,
      });
      await using lines = new LogLines(null);
      await using file = openSecurityFile(config);
      const security: SecurityLog = (event) => (file ?? lines).write({ ...event });
      const watching = served.find(({ watcher }) => watcher !== undefined)?.watcher;
      const watch = (await watching?.())?.(config, { lines, security });
      if (!isReadOnly) await makeTables(app, served);
      const server = await buildServer({
        archive: app,
        features: served,
        settings: {
          ...config,
          requestsPerMinute: requestsPerMinute(config.requestsPerMinute, config.host),
          admission: { atOnce: requestsAtOnce(config), queueMs: waitMsOf(config.queryTimeoutMs) },
          isAtSocket: isSocketPath(config.host),
        },
        ...{ security, ...(watch && { watch }) },
      });
      const stopped = Promise.withResolvers<void>();
      using _ = onStopSignal(() => stopped.resolve());
      const whyNot = await whyNotReady(app);
      const address = await listen(server, config);
      using _listening = isReadOnly || isSocketPath(config.host) ? null : noteListening(config, address);
      const tellReady = () => process.stdout.write(`Colloquy is ready: ${address}\n`);
      using _warming = whyNot === null ? await startWarming(app, served) : null;
      if (whyNot === null) tellReady();
      else say('warn', `Colloquy listens at ${address} and is not ready yet: ${whyNot}`);
      await using _waiting = whyNot === null ? null : tellOnceReady(app.search, tellReady);
      const notices = served.map(({ startNotice }) => startNotice?.(config) ?? '');
      for (const words of [proxyNotice(config), ...notices, ...warningsOf(config)]) say('warn', words);
      if (app.isSample()) say('info', sampleNotice(app, options));
      await using _upkeep = isReadOnly ? null : await startOwnUpkeep(app, served);
      const status = whyNot === null ? 'answers queries' : 'listens, and cannot answer queries yet';
      const told = tellSupervisor('READY=1', status);
      try {
        await Promise.race([stopped.promise, unchanged?.changed ?? stopped.promise]);
      } finally {
        const toldOfStop = told.then(() => tellSupervisor('STOPPING=1', 'finishes answers'));
        await Promise.all([toldOfStop, server.close()]);
      }
    });
}

/** To a person as it is, otherwise as a line of the log; nothing if there are no words. */
function say(level: 'info' | 'warn', words: string): void {
  if (process.stderr.isTTY) process.stderr.write(words === '' ? '' : `${words.trimEnd()}\n`);
  else if (words !== '') log[level]({}, words.trimEnd());
}

/** As many as the engine answers at once: by its threads, or as OpenSearch is asked. */
function requestsAtOnce({ engine, threads }: Config): number {
  return engine === 'opensearch' ? OPENSEARCH_AT_ONCE : Math.max(1, threads);
}

/** What a server does besides answering, none of which can be done where nothing is written. */
async function startOwnUpkeep(app: App, features: readonly Feature[]): Promise<AsyncDisposable> {
  await using started = new AsyncDisposableStack();
  const reached = await reachedByRemovals(features);
  started.use(startUpkeep('upkeep of the index', () => app.remover(reached).maintain(KEPT_AFTER_HIDING)));
  for (const { upkeep } of features) started.use((await upkeep?.())?.(app));
  return started.move();
}

async function startWarming(app: App, features: readonly Feature[]): Promise<Disposable> {
  using started = new DisposableStack();
  for (const { warm } of features) started.use((await warm?.())?.(app));
  return started.move();
}

/** No request has to make them, and other programs find them. */
async function makeTables({ accounts, catalogue }: App, features: readonly Feature[]): Promise<void> {
  for (const { tables } of features) {
    const own = await tables?.();
    own?.accounts?.in(accounts);
    own?.catalogue?.in(catalogue);
  }
}

function withFlags(config: Config, { host, port }: ServeOptions): Config {
  return {
    ...config,
    ...(host === undefined ? {} : { host: readFlag('host', host) }),
    ...(port === undefined ? {} : { port: readFlag('port', port) }),
  };
}

function readFlag<Field extends 'host' | 'port'>(field: Field, text: string): Config[Field] {
  const value = SETTINGS[field].read(text);
  if (value === undefined) {
    throw new UsageError(
      `option \`--${field}\`: expected ${SETTINGS[field].expected}, found ${quoted(text)}`,
    );
  }
  return value;
}

/** Whoever reads a log has another environment than the server. */
function sampleNotice(app: App, options: ServeOptions): string {
  const data = process.stderr.isTTY ? options.data : app.config.dataFolder;
  return `Nothing has been imported into ${app.config.dataFolder} yet, so this serves a small invented sample.
Next, make a key and import a dump, in another terminal while this is running:
  ${commandLine(['keys', 'create', '--account', 'you@example.org'], data)}
  ${commandLine(['import', 'RC_2005-12.zst'], data)}
`;
}

/**
 * One line if the superuser serves strangers, and one if others may enter the data folder. Both are only warnings: a
 * container may have no other user, and the folder may be meant so.
 */
export function warningsOf(config: Config, uid = process.getuid?.()): readonly string[] {
  const { dataFolder } = config;
  const mode = opennessOf(dataFolder);
  return [
    ...(uid === 0 && servesStrangers(config)
      ? [
          'This server runs as root. Give it a user of its own, so that a fault in it is not one of the machine.',
        ]
      : []),
    ...(mode === null
      ? []
      : [
          `The data folder ${quoted(dataFolder)} is open to others (mode ${mode}); this keeps them out: ` +
            `chmod -R go= ${shellWord(dataFolder)}`,
        ]),
  ];
}

/** Whether it is on the network, or behind something that is. */
function servesStrangers({ host, publicUrl, trustedProxies }: Config): boolean {
  return isSocketPath(host) || !isLoopback(host) || publicUrl !== null || trustedProxies.length > 0;
}

/** Lines for the operator; empty if there is nothing to say. */
export function proxyNotice({
  publicUrl,
  trustedProxies,
  host,
}: Pick<Config, 'publicUrl' | 'trustedProxies' | 'host'>): string {
  // This server speaks no TLS itself, and trusts whoever connects to a socket.
  if (isSocketPath(host) || !publicUrl?.startsWith('https:') || trustedProxies.length > 0) return '';
  return (
    'COLLOQUY_PUBLIC_URL starts with https://, so there is a proxy in front of this server, but ' +
    'COLLOQUY_TRUSTED_PROXIES names none.\n' +
    'Limits count everybody behind it as one, and `/metrics` is closed unless it has a token. For a proxy on this\n' +
    'machine, set it to 127.0.0.1\n'
  );
}
