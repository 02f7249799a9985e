// What a server tells its operator: puts lines, security log and metrics together as the settings say. Sources of
// further metrics are added here where they concern the program, in http/server.ts where they concern requests.

import { readFileSync } from 'node:fs';
import type { App } from '../app.ts';
import type { Config } from '../config.ts';
import { UsageError } from '../errors.ts';
import type { MetricsReaders } from '../http/seen/metrics-route.ts';
import type { SeenDeps } from '../http/seen/seen.ts';
import { type LogLines, openLogLines } from '../log.ts';
import { describedFigures, type FigureTable } from '../metrics/described-figures.ts';
import { lastKnown } from '../metrics/last-known.ts';
import { ProcessWatch } from '../metrics/process-figures.ts';
import { quoted } from '../text/quoted.ts';
import { diskFamilies, indexFamilies, programFamilies } from './index-figures.ts';
import { openSecurityFile } from './security-notes.ts';

const LOG_FIGURES: FigureTable<ReturnType<LogLines['figures']>> = {
  lost: {
    ...{ name: 'colloquy_log_lines_lost_total', type: 'counter' },
    help: 'Lines of the log that could not be written.',
  },
};

/** Characters: a token that is shorter could be guessed. */
export const MIN_TOKEN_LENGTH = 16;

export interface OpenSeen extends AsyncDisposable {
  readonly deps: SeenDeps;
}

/** Throws a UsageError where a file that is set cannot be used. */
export async function openSeen(app: App): Promise<OpenSeen> {
  await using opened = new AsyncDisposableStack();
  const { config } = app;
  const metrics = metricsReaders(config);
  const lines = opened.use(openLogLines(null));
  const security = opened.use(openSecurityFile(config)) ?? lines;
  const watch = opened.use(new ProcessWatch());
  const owned = opened.move();
  return {
    deps: {
      ...{ lines, metrics, requests: config.logRequests, slowMs: config.slowMs, level: config.logLevel },
      security: (event) => security.write({ ...event }),
      sources: [
        programFamilies,
        lastKnown(() => indexFamilies(app)),
        lastKnown(() => diskFamilies(app)),
        () => watch.families(),
        describedFigures(LOG_FIGURES, () => lines.figures()),
      ],
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** null: nobody. */
function metricsReaders({ metrics }: Config): MetricsReaders | null {
  if (metrics === 'off') return null;
  return metrics === 'loopback' ? { kind: 'loopback' } : { kind: 'token', token: readToken(metrics) };
}

function readToken(file: string): string {
  const expected = `expected \`loopback\`, \`off\`, or a file with a token of ${MIN_TOKEN_LENGTH} characters or more`;
  let token: string;
  try {
    token = readFileSync(file, 'utf8').trim();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new UsageError(`setting \`COLLOQUY_METRICS\`: ${expected}, found ${quoted(file)} (${code})`, {
      cause: error,
    });
  }
  if (token.length >= MIN_TOKEN_LENGTH && /^[\x21-\x7e]+$/.test(token)) return token;
  throw new UsageError(`setting \`COLLOQUY_METRICS\`: ${expected}, found other content in ${quoted(file)}`);
}
