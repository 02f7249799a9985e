// A server in a process of its own, with keys of several accounts, that tells how late its event loop was.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { Accounts } from '../src/accounts/accounts.ts';
import type { LoopFigures } from './loop-watch.ts';

export interface WatchedServer extends AsyncDisposable {
  readonly port: number;
  /** Each of an account of its own. */
  readonly keys: readonly string[];
  /** Since this was last called. */
  figures(): Promise<LoopFigures>;
}

/** As bin/colloquy.mjs sets them where it starts a Node of its own. */
const ALLOCATOR = {
  MALLOC_ARENA_MAX: '2',
  MALLOC_MMAP_THRESHOLD_: '131072',
  MALLOC_TRIM_THRESHOLD_: '131072',
};

const file = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** `program`: of another checkout than this one. */
export async function startServer(
  folder: string,
  accounts: number,
  program = file('../bin/colloquy.mjs'),
): Promise<WatchedServer> {
  const keys = await makeKeys(folder, accounts);
  const words = ['--import', file('loop-watch.ts'), program, 'serve', '--port', '0'];
  const child = spawn(process.execPath, [...words, '--data', folder], {
    // For visitors of many networks.
    env: { ...ALLOCATOR, ...process.env, COLLOQUY_TRUSTED_PROXIES: '127.0.0.1' },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  let told = '';
  child.stderr!.on('data', (chunk) => {
    told = (told + chunk).slice(-2_000);
  });
  const port = await ready(child, () => told);
  return {
    port,
    keys,
    async figures() {
      const answer = once(child, 'message');
      child.send('figures');
      return ((await answer) as [LoopFigures])[0];
    },
    async [Symbol.asyncDispose]() {
      if (child.exitCode !== null) return;
      const over = once(child, 'exit');
      child.kill('SIGTERM');
      await over;
    },
  };
}

async function makeKeys(folder: string, count: number): Promise<string[]> {
  await using accounts = Accounts.open(folder);
  return Array.from(
    { length: count },
    (_, i) =>
      accounts.createKey({ email: `bench${i}@example.org`, name: 'overload', expiresInDays: null }).key,
  );
}

async function ready(child: ChildProcess, told: () => string): Promise<number> {
  let text = '';
  for await (const chunk of child.stdout!.iterator({ destroyOnReturn: false })) {
    text += chunk;
    const port = /ready: http:\S+:(\d+)/.exec(text)?.[1];
    if (port !== undefined) {
      child.stdout!.resume();
      return Number(port);
    }
  }
  throw new Error(`expected a server that is ready, found: ${text}${told()}`);
}
