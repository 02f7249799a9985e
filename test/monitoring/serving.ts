// A server as a process of its own, with all that it says.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const PROGRAM = fileURLToPath(new URL('../../bin/colloquy.mjs', import.meta.url));

export interface ServerProcess {
  readonly base: string;
  /** What it has written so far. */
  readonly output: { readonly stdout: string; readonly stderr: string };
  /** Asks it to stop; resolves with the exit code when it has. */
  stop(): Promise<number>;
}

/** Resolves when it is ready. Throws, with what it said, where it ends before. */
export async function serveProcess(
  words: readonly string[],
  settings: Readonly<Record<string, string>>,
): Promise<ServerProcess> {
  const child = spawn(process.execPath, [PROGRAM, 'serve', '--port', '0', ...words], {
    env: { ...process.env, ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      output[name] += text;
    });
  }
  const ended = once(child, 'close').then(([code]) => code as number);
  let base: string | undefined;
  while (base === undefined) {
    const code = await Promise.race([once(child.stdout, 'data').then(() => null), ended]);
    if (code !== null) throw new Error(`ended with ${code}: ${output.stderr}`);
    base = /^Colloquy is ready: (http:\/\/\S+)\n/.exec(output.stdout)?.[1];
  }
  return {
    ...{ base, output },
    stop() {
      child.kill('SIGTERM');
      return ended;
    },
  };
}
