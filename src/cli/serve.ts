// `colloquy serve`: serves the API and the pages on a port, until it is told to stop.

import { Command } from 'commander';
import { type App, openApp } from '../app.ts';
import { type Config, SETTINGS } from '../config.ts';
import { UsageError } from '../errors.ts';
import { requestsPerMinute } from '../http/rate-limit.ts';
import { buildServer, type Server } from '../http/server.ts';
import { KEPT_AFTER_HIDING } from '../model/removals.ts';
import { PageService } from '../search/page/page-service.ts';
import { quoted } from '../text/quoted.ts';
import { commandLine } from './command-line.ts';
import { startDatasetUpkeep } from './dataset-upkeep.ts';
import { configWith, dataOption } from './options.ts';
import { openSeen } from './seen.ts';
import { onStopSignal } from './signals.ts';
import { tellSupervisor } from './supervisor.ts';
import { startUpkeep } from './upkeep.ts';
import { tellOnceReady, whyNotReady } from './waiting.ts';

interface ServeOptions {
  readonly data?: string;
  readonly host?: string;
  readonly port?: string;
  readonly sample: boolean;
}

export function serveCommand(): Command {
  return new Command('serve')
    .description('serve the API and the search page')
    .addOption(dataOption())
    .option('--host <host>', 'address to listen on (default: COLLOQUY_HOST, or 127.0.0.1, this machine only)')
    .option('--port <port>', 'port to listen on (default: COLLOQUY_PORT, or 8080); 0 for any free port')
    .option('--no-sample', 'serve nothing, instead of the invented sample, until something is imported')
    .addHelpText(
      'after',
      `
On SIGTERM and Ctrl-C it finishes the answers it is sending, then stops. Example:
  colloquy serve --data /srv/colloquy --port 8081`,
    )
    .action(async (options: ServeOptions) => {
      const config = withFlags(configWith(options), options);
      await using app = await openApp(config, { sample: options.sample, orUnavailable: true });
      await using seen = await openSeen(app);
      const server = await buildServer({
        search: app.search,
        exports: app.exports,
        coverage: app.coverage,
        analysis: { engine: app.engine, queryTimeoutMs: config.queryTimeoutMs },
        datasets: app.datasets,
        keys: app.accounts,
        settings: {
          ...config,
          requestsPerMinute: requestsPerMinute(config.requestsPerMinute, config.host),
        },
        pages: {
          service: new PageService(app.engine, app.search, config),
          settings: config,
          isSample: app.isSample,
        },
        accounts: { accounts: app.accounts, registration: config.registration },
        seen: seen.deps,
      });
      const stopped = Promise.withResolvers<void>();
      using _ = onStopSignal(() => stopped.resolve());
      const whyNot = await whyNotReady(app);
      const address = await listen(server, config);
      const tellReady = () => process.stdout.write(`Colloquy is ready: ${address}\n`);
      if (whyNot === null) tellReady();
      else process.stderr.write(`Colloquy listens at ${address} and is not ready yet: ${whyNot}\n`);
      await using _waiting = whyNot === null ? null : tellOnceReady(app.search, tellReady);
      if (app.isSample()) process.stderr.write(sampleNotice(app, options));
      await using _upkeep = startUpkeep('upkeep of the index', () =>
        app.remover().maintain(KEPT_AFTER_HIDING),
      );
      await using _datasets = startDatasetUpkeep(app);
      const status = whyNot === null ? 'answers queries' : 'listens, and cannot answer queries yet';
      const told = tellSupervisor('READY=1', status);
      await stopped.promise;
      const toldOfStop = told.then(() => tellSupervisor('STOPPING=1', 'finishes answers'));
      await Promise.all([toldOfStop, server.close()]);
    });
}

function withFlags(config: Config, { host, port }: ServeOptions): Config {
  return {
    ...config,
    ...(host === undefined ? {} : { host: readFlag('host', host) }),
    ...(port === undefined ? {} : { port: readFlag('port', port) }),
  };
}

/** Reads a flag like the setting of the same name. */
function readFlag<Field extends 'host' | 'port'>(field: Field, text: string): Config[Field] {
  const value = SETTINGS[field].read(text);
  if (value === undefined) {
    throw new UsageError(
      `option \`--${field}\`: expected ${SETTINGS[field].expected}, found ${quoted(text)}`,
    );
  }
  return value;
}

/** Returns the address to open. Throws a UsageError if the port cannot be used. */
async function listen(server: Server, { host, port }: Config): Promise<string> {
  try {
    // The framework would open a second server for the other address of `localhost`, without our limits.
    return await server.listen({ host: host === 'localhost' ? '127.0.0.1' : host, port });
  } catch (error) {
    await server.close();
    const expected = LISTEN_ERRORS[(error as NodeJS.ErrnoException).code ?? ''];
    if (expected === undefined) throw error;
    throw new UsageError(`cannot listen on ${quoted(host)} port \`${port}\`: ${expected}`, { cause: error });
  }
}

const LISTEN_ERRORS: Readonly<Record<string, string>> = {
  EADDRINUSE:
    'expected a free port, found it in use; stop the program that uses it, or choose another port with `--port`',
  EACCES:
    'expected a port that you have the right to use, found one that needs more rights; choose one above 1023',
  EADDRNOTAVAIL: 'expected an address of this machine, found another',
  ENOTFOUND: 'expected a known host name, found an unknown one',
};

function sampleNotice(app: App, { data }: ServeOptions): string {
  return `Nothing has been imported into ${app.config.dataFolder} yet, so this serves a small invented sample.
Next, make a key and import a dump, in another terminal while this is running:
  ${commandLine(['keys', 'create', '--account', 'you@example.org'], data)}
  ${commandLine(['import', 'RC_2005-12.zst'], data)}
`;
}
