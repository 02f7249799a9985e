// Colloquy as a process: commands run to their end or left running, and servers.

import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { CommandResult } from './one-process.ts';

export const PROGRAM = fileURLToPath(new URL('../bin/colloquy.mjs', import.meta.url));

/** Why a test of these programs is skipped, the first that is not here; false: all are. */
export function missing(...programs: string[]): string | false {
  const gone = programs.find((program) => spawnSync(program, ['--version']).error !== undefined);
  return gone === undefined ? false : `no ${gone} on this machine`;
}

type Settings = Readonly<Record<string, string>>;

/** Runs a command to its end, with `input` as its standard input. Absent settings are those of this process. */
export function colloquy(
  words: readonly string[],
  input = '',
  settings: Settings = {},
): Promise<CommandResult> {
  return new Promise((resolve) => {
    const options = { maxBuffer: 2 ** 26, env: { ...process.env, ...settings } };
    const child = execFile(process.execPath, [PROGRAM, ...words], options, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr });
    });
    child.stdin?.end(input);
  });
}

/** A command that is still running. Disposing kills it, where it has not ended, and waits for its end. */
export interface Running extends AsyncDisposable {
  readonly process: ChildProcess;
  readonly output: { stdout: string; stderr: string };
  /** Exit code; null where a signal ended it. */
  readonly ended: Promise<number | null>;
}

/** `under`: the program that starts it, with its words; `node`: words of Node itself. */
interface Start {
  readonly under?: readonly string[];
  readonly node?: readonly string[];
  readonly uid?: number;
}

/** Its standard input is a pipe that stays open. */
export function start(
  words: readonly string[],
  settings: Settings = {},
  { under = [], node = [], uid }: Start = {},
): Running {
  const { COLLOQUY_PORT: _, PORT: __, ...inherited } = process.env;
  const [program, ...rest] = [...under, process.execPath, ...node, PROGRAM, ...words];
  const child = spawn(program!, rest, {
    ...{ env: { ...inherited, ...settings }, stdio: 'pipe' },
    ...(uid === undefined ? {} : { uid, gid: uid }),
  });
  // What is written to a program that has ended is lost, and meant to be.
  child.stdin.on('error', () => undefined);
  const output = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      output[name] += text;
    });
  }
  const ended = once(child, 'close').then(([code]) => code as number | null);
  return {
    ...{ process: child, output, ended },
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

/** A server. Disposing stops it, and waits for its end. */
export interface Served extends Running {
  /** What it said behind `Colloquy is ready: `. */
  readonly address: string;
  kill(signal: 'SIGTERM' | 'SIGINT' | 'SIGKILL'): Promise<number | null>;
}

/** On a free port, if the words say nothing else. Throws with what it said where it ends before it is ready. */
export async function serve(words: readonly string[], settings?: Settings, how?: Start): Promise<Served> {
  const port = words.includes('--port') || words.includes('--host') ? [] : ['--port', '0'];
  const running = start(['serve', ...port, ...words], settings, how);
  const { process: child, output, ended } = running;
  const line = /^Colloquy is ready: (\S+)\n$/;
  while (!line.test(output.stdout)) {
    const end = await Promise.race([once(child.stdout!, 'data').then(() => 'more'), ended]);
    if (end !== 'more') throw new Error(`ended with ${end}: ${output.stderr}`);
  }
  const kill = async (signal: NodeJS.Signals) => {
    child.kill(signal);
    return await ended;
  };
  return {
    ...{ ...running, address: line.exec(output.stdout)![1]!, kill },
    async [Symbol.asyncDispose]() {
      await kill('SIGTERM');
    },
  };
}

/** Asks again and again until the answer is a value. The test's own time limit is the end of patience. */
export async function until<T>(ask: () => Promise<T | null>): Promise<T> {
  for (;;) {
    const value = await ask();
    if (value !== null) return value;
    await setTimeout(20);
  }
}

/** Different ones that nobody listens at. */
export async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'));
  await Promise.all(servers.map((server) => once(server, 'listening')));
  const ports = servers.map((server) => (server.address() as { readonly port: number }).port);
  await Promise.all(servers.map((server) => once(server.close(), 'close')));
  return ports;
}
