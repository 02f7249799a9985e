// Commands of the command line, one after the other in one process beside the test: starting one for each takes ten
// times as long as most commands. For what a command understands, says and answers; tests of how a process starts, is
// read from and ends give each its own.

import assert from 'node:assert/strict';
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { project } from './project.ts';

export interface CommandResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface CommandCall {
  readonly words: readonly string[];
  /** Its standard input. */
  readonly input: string;
  /** The path of the program as it was typed. */
  readonly program: string;
  readonly settings: Readonly<Record<string, string>>;
  readonly cwd: string;
}

let server: ChildProcess | null = null;
let turn: Promise<unknown> = Promise.resolve();

/** `input`: what it reads from standard input. Absent settings are those of this process, `cwd` is the project. */
export function colloquy(
  words: readonly string[],
  input = '',
  place: Partial<Pick<CommandCall, 'program' | 'settings' | 'cwd'>> = {},
): Promise<CommandResult> {
  const settings = process.env as Readonly<Record<string, string>>;
  const call = { program: `${project}bin/colloquy.mjs`, settings, cwd: project, ...place, words, input };
  const result = turn.then(() => asked(call));
  turn = result.catch(() => undefined);
  return result;
}

/** As wrong usage is refused: exit code 2, one line, and nothing on standard output. */
export function expectRefused({ code, stdout, stderr }: CommandResult, message: RegExp): void {
  assert.deepEqual([code, stdout], [2, '']);
  assert.match(stderr, message);
  assert.equal(stderr.split('\n').length, 2, stderr);
}

async function asked(call: CommandCall): Promise<CommandResult> {
  server ??= started();
  server.channel?.ref();
  const over = new AbortController();
  const { signal } = over;
  const ended = once(server, 'exit', { signal }).then(([code, by]) => {
    server = null;
    throw new Error(`the process of the commands ended with ${code ?? by} at ${call.words.join(' ')}`);
  });
  const answer = once(server, 'message', { signal });
  try {
    server.send(call);
    const [result] = await Promise.race([answer, ended]);
    return result;
  } finally {
    server?.channel?.unref();
    for (const waiting of [answer, ended]) waiting.catch(() => undefined);
    over.abort();
  }
}

/** It ends with the test. */
function started(): ChildProcess {
  const own = fork(new URL('./command-server.ts', import.meta.url), {
    cwd: project,
    execArgv: [`--import=${new URL('./compiled-code.ts', import.meta.url)}`],
  });
  own.unref();
  return own;
}
