// The server of a soak: a process of its own, and what can be seen of it from outside.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { PROGRAM } from '../../processes.ts';

const ALLOCATOR = {
  MALLOC_ARENA_MAX: '2',
  MALLOC_MMAP_THRESHOLD_: '131072',
  MALLOC_TRIM_THRESHOLD_: '131072',
};

export interface Server extends AsyncDisposable {
  readonly address: string;
  readonly pid: number;
  /** Lines of its log at the level `error`, and how it ended if it has. */
  readonly errors: readonly string[];
}

/** `under`: the program that starts it, with its words. */
export async function startServer(folder: string, under: readonly string[] = []): Promise<Server> {
  const words = [...under, process.execPath, PROGRAM, 'serve', '--port', '0', '--data', folder];
  const child = spawn(words[0]!, words.slice(1), {
    stdio: ['ignore', 'pipe', 'pipe'],
    // What is soaked is the server, and not what keeps its log; its allocator is set as the unit of systemd sets it.
    env: { ...ALLOCATOR, ...process.env, COLLOQUY_LOG_REQUESTS: 'off' },
  });
  const errors: string[] = [];
  let rest = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    const lines = (rest + text).split('\n');
    rest = lines.pop()!;
    errors.push(...lines.filter((line) => line.includes('"level":"error"')));
  });
  let isStopping = false;
  const ended = once(child, 'close').then(([code, signal]) => {
    if (!isStopping) errors.push(`the server ended with ${code ?? signal}`);
  });
  let text = '';
  let address: string | undefined;
  while (address === undefined) {
    const more = once(child.stdout, 'data').then(([piece]) => String(piece));
    text += await Promise.race([more, ended.then(() => Promise.reject(new Error(errors.at(-1) ?? text)))]);
    address = /ready: (http:\S+)\n/.exec(text)?.[1];
  }
  return {
    ...{ address, pid: child.pid!, errors },
    async [Symbol.asyncDispose]() {
      isStopping = true;
      child.kill('SIGTERM');
      await ended;
    },
  };
}

/** What is looked at; memory in MB (10^6 bytes), lags in milliseconds. */
export interface Sample {
  readonly seconds: number;
  readonly rss: number;
  readonly heap: number;
  /** Memory outside the heap of the main thread, array buffers included. */
  readonly external: number;
  readonly descriptors: number;
  readonly threads: number;
  readonly lagP99: number;
  readonly lagMax: number;
  readonly files: number;
  /** MB. */
  readonly folder: number;
}

/** Of this moment; `seconds` since the beginning. */
export async function sample(server: Server, folder: string, seconds: number): Promise<Sample> {
  const text = await (await fetch(`${server.address}/metrics`)).text();
  const figure = (name: string) => Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1] ?? Number.NaN);
  const sizes = sizesIn(folder);
  return {
    seconds,
    rss: figure('process_resident_memory_bytes') / 1e6,
    heap: figure('nodejs_heap_size_used_bytes') / 1e6,
    external: figure('nodejs_external_memory_bytes') / 1e6,
    descriptors: figure('process_open_fds'),
    threads: threadsOf(server.pid),
    lagP99: figure('nodejs_eventloop_lag_p99_seconds') * 1e3,
    lagMax: figure('nodejs_eventloop_lag_max_seconds') * 1e3,
    files: sizes.length,
    folder: sizes.reduce((sum, size) => sum + size, 0) / 1e6,
  };
}

/** NaN where the system does not say. */
function threadsOf(pid: number): number {
  try {
    return Number(/^Threads:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]);
  } catch {
    return Number.NaN;
  }
}

function sizesIn(folder: string): number[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true }).flatMap((entry) => {
    try {
      return entry.isFile() ? [statSync(join(entry.parentPath, entry.name)).size] : [];
    } catch {
      // Gone since the folder was listed.
      return [];
    }
  });
}
