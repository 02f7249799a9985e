// `colloquy serve` as a process, and requests to wherever it listens.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { request as ask } from 'node:http';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

export const PROGRAM = fileURLToPath(new URL('../../bin/colloquy.mjs', import.meta.url));

export interface Served extends AsyncDisposable {
  /** What it said behind `Colloquy is ready: `. */
  readonly address: string;
  readonly pid: number;
  /** Standard error so far. */
  readonly told: string;
  /** Exit code; null: killed. */
  readonly ended: Promise<number | null>;
  kill(signal: 'SIGTERM' | 'SIGKILL'): Promise<number | null>;
}

interface Options {
  readonly uid?: number;
  /** The program that starts it, with its words. */
  readonly under?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** Throws with what it said where it ends before it is ready. Disposing stops it. */
export async function serve(
  words: readonly string[],
  { uid, under = [], env = {} }: Options = {},
): Promise<Served> {
  const { COLLOQUY_PORT: _, PORT: __, ...inherited } = process.env;
  const [program, ...rest] = [...under, process.execPath, PROGRAM, 'serve', ...words];
  const child = spawn(program!, rest, {
    env: { ...inherited, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    ...(uid === undefined ? {} : { uid, gid: uid }),
  });
  let [out, told] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    out += chunk;
  });
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    told += chunk;
  });
  const ended = once(child, 'close').then(([code]) => code as number | null);
  const line = /^Colloquy is ready: (\S+)\n$/;
  while (!line.test(out)) {
    const end = await Promise.race([once(child.stdout, 'data').then(() => 'more'), ended]);
    if (end !== 'more') throw new Error(`ended with ${end}: ${told}`);
  }
  const kill = async (signal: NodeJS.Signals) => {
    child.kill(signal);
    return await ended;
  };
  return {
    address: line.exec(out)![1]!,
    pid: child.pid!,
    get told() {
      return told;
    },
    ended,
    kill,
    async [Symbol.asyncDispose]() {
      await kill('SIGTERM');
    },
  };
}

/** A request over a unix socket. */
export async function askSocket(socketPath: string, path: string, headers: Record<string, string> = {}) {
  const request = ask({ socketPath, path, headers, agent: false }).end();
  const [response] = await once(request, 'response');
  return { status: response.statusCode, headers: response.headers, body: await text(response) };
}
