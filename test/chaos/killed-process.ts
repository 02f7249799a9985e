// One run of the process that is killed: starts it, kills it at its moment, reads what it had to tell.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { KillPlan, LogLine } from './kill-steps.ts';

const CHILD = fileURLToPath(new URL('./kill-child.ts', import.meta.url));
const PRELOAD = new URL('./kill-preload.ts', import.meta.url).href;

/** When it is killed: so long after it began to work, or at the so manieth call that changes a file. */
export type Moment =
  | { readonly kind: 'time'; readonly ms: number }
  | { readonly kind: 'call'; readonly number: number; readonly when: 'before' | 'after' }
  | { readonly kind: 'never' };

export interface Ending {
  /** False: it was done before its moment came. */
  readonly wasKilled: boolean;
  readonly lines: readonly LogLine[];
}

/** `cache`: a folder for compiled code, so that the processes start fast. Throws where the process fails by itself. */
export async function runAndKill(plan: KillPlan, moment: Moment, cache: string): Promise<Ending> {
  const kill = moment.kind === 'call' ? moment : { number: 0, when: 'before' };
  const child = spawn(process.execPath, ['--import', PRELOAD, CHILD, JSON.stringify(plan)], {
    env: {
      ...process.env,
      NODE_COMPILE_CACHE: cache,
      CHAOS_FOLDERS: [plan.data, plan.backup, `${plan.backup}.part`].join(':'),
      CHAOS_KILL_AT: String(kill.number),
      CHAOS_KILL_WHEN: kill.when,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const said = text(child.stderr);
  const ended = once(child, 'close') as Promise<[number | null, NodeJS.Signals | null]>;
  if (moment.kind === 'time') {
    await Promise.race([once(child.stdout, 'data'), ended]);
    await Promise.race([sleep(moment.ms), ended]);
    child.kill('SIGKILL');
  } else child.stdout.resume();
  const [code, signal] = await ended;
  if (code !== 0 && signal !== 'SIGKILL')
    throw new Error(`a process failed by itself (${code}): ${await said}`);
  return { wasKilled: signal === 'SIGKILL', lines: linesOf(plan.log) };
}

/**
 * The same work, left to its end. `fileKiB`: no file may become larger; null: no limit. Returns the exit code and
 * what it said on standard error.
 */
export async function runToItsEnd(
  plan: KillPlan,
  cache: string,
  fileKiB: number | null,
): Promise<{ readonly code: number | null; readonly errors: string }> {
  const words = [process.execPath, CHILD, JSON.stringify(plan)];
  // bash counts in KiB; an ignored signal stays ignored in what it starts.
  const limited = ['bash', '-c', `trap '' XFSZ; ulimit -f ${fileKiB}; exec "$0" "$@"`, ...words];
  const [program, ...rest] = fileKiB === null ? words : limited;
  const child = spawn(program!, rest, {
    env: { ...process.env, NODE_COMPILE_CACHE: cache },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const said = text(child.stderr);
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, errors: await said };
}

/** The last line may have been cut. A process that was killed early has told nothing. */
export function linesOf(log: string): LogLine[] {
  try {
    const lines = readFileSync(log, 'utf8').split('\n').slice(0, -1);
    return lines.map((line) => JSON.parse(line) as LogLine);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}
