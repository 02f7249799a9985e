// What a server tells its operator: puts lines, security log and metrics together as the settings say. Sources of
// further metrics are added in http/server.ts where they concern requests, and by features.
//
// The security log of the command line and of servers: in the file that is set. What a command does is on its terminal
// already, so without a file it notes nothing.

import { readFileSync } from 'node:fs';
import type { SecurityEvent } from '../../accounts/security-log.ts';
import type { Config } from '../../config.ts';
import { UsageError } from '../../errors.ts';
import { SLOW_MS } from '../../http/seen/request-lines.ts';
import type { MetricsReaders, SeenDeps } from '../../http/seen/seen.ts';
import { type LogLines, openLogLines } from '../../log.ts';
import { describedFigures, type FigureTable } from '../../metrics/families.ts';
import { quoted } from '../../text/quoted.ts';

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
export async function openSeen(config: Config): Promise<OpenSeen> {
  await using opened = new AsyncDisposableStack();
  const metrics = metricsReaders(config);
  const lines = opened.use(openLogLines(null));
  const security = opened.use(openSecurityFile(config)) ?? lines;
  const owned = opened.move();
  return {
    deps: {
      ...{ lines, metrics, requests: config.logRequests, slowMs: SLOW_MS },
      security: (event) => security.write({ ...event }),
      sources: [describedFigures(LOG_FIGURES, () => lines.figures())],
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

/** null: no file is set. Throws a UsageError where it cannot be written. */
export function openSecurityFile({ securityLog }: Pick<Config, 'securityLog'>): LogLines | null {
  if (securityLog === null) return null;
  try {
    return openLogLines(securityLog);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new UsageError(
      `setting \`COLLOQUY_SECURITY_LOG\`: expected a file that can be written, found ${quoted(securityLog)} (${code})`,
      { cause: error },
    );
  }
}

export async function noteSecurity(config: Pick<Config, 'securityLog'>, event: SecurityEvent): Promise<void> {
  await using lines = openSecurityFile(config);
  lines?.write({ ...event });
}
