// A folder served by a process of its own.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { program } from './live-server.ts';

/** Killed when it is disposed of, where it has not ended. */
export interface ServedFolder extends AsyncDisposable {
  readonly process: ChildProcess;
  /** Without a slash at its end. */
  readonly address: string;
}

/** On a free port of this machine. `start` begins the command line: a program that runs another one. */
export async function serveFolder(
  path: string,
  start: readonly string[] = [],
  settings: NodeJS.ProcessEnv = {},
): Promise<ServedFolder> {
  const [command = '', ...words] = [
    ...start,
    process.execPath,
    program,
    'serve',
    '--port',
    '0',
    '--data',
    path,
  ];
  const child = spawn(command, words, {
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { ...process.env, ...settings },
  });
  let text = '';
  for await (const chunk of child.stdout!) {
    text += chunk;
    const address = /ready: (http:\S+)/.exec(text)?.[1];
    if (address !== undefined) return { process: child, address, [Symbol.asyncDispose]: () => end(child) };
  }
  throw new Error(`not ready: ${text}`);
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}
