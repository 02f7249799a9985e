// How the benchmark measures: times as median and 99th percentile, bytes read from files, what the memory can do.

import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** Milliseconds, of the answers of one class. */
export interface Times {
  readonly p50: number;
  readonly p99: number;
}

export async function elapsed(run: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await run();
  return performance.now() - start;
}

/** How often each input is asked. */
export interface Rounds {
  /** The first so many inputs are asked once before, unmeasured; absent: all. */
  readonly unmeasured?: number;
  /** Absent: 1. The time of an input is the least of its rounds: other work and garbage collection fall on some. */
  readonly rounds?: number;
}

export async function timed<T>(
  inputs: readonly T[],
  run: (input: T) => Promise<unknown>,
  { unmeasured = inputs.length, rounds = 1 }: Rounds = {},
): Promise<Times> {
  const times = inputs.map((): number[] => []);
  for (const input of inputs.slice(0, unmeasured)) await run(input);
  for (let round = 0; round < rounds; round++) {
    for (const [i, input] of inputs.entries()) times[i]!.push(await elapsed(() => run(input)));
  }
  return percentiles(times.map((one) => Math.min(...one)));
}

export function percentiles(times: readonly number[]): Times {
  const sorted = [...times].sort((a, b) => a - b);
  return { p50: sorted[sorted.length >> 1] ?? 0, p99: sorted[Math.floor(sorted.length * 0.99)] ?? 0 };
}

/** Bytes that this process has read by system calls, from the page cache or not; null where the system does not say. */
export function bytesRead(): number | null {
  try {
    return Number(/^rchar: (\d+)/m.exec(readFileSync('/proc/self/io', 'utf8'))![1]);
  } catch {
    return null;
  }
}

/** Bytes a second that one thread moves from one array of 256 MB to another (read and written: each byte twice). */
export function memoryBandwidth(): number {
  const from = new Uint8Array(2 ** 28).fill(1);
  const to = new Uint8Array(2 ** 28).fill(2);
  let best = Infinity;
  for (let tries = 0; tries < 3; tries++) {
    const start = performance.now();
    to.set(from);
    best = Math.min(best, performance.now() - start);
  }
  return ((from.length * 2) / best) * 1000;
}

export function filesOf(folder: string): string[] {
  return readdirSync(folder).map((name) => join(folder, name));
}

export function bytesOf(files: readonly string[]): number {
  return files.reduce((sum, file) => sum + statSync(file).size, 0);
}

/**
 * Drops these files, and no others, from the page cache; GNU dd does it without special rights (POSIX_FADV_DONTNEED).
 */
export function dropFromPageCache(files: readonly string[]): void {
  for (const file of files) execFileSync('dd', [`if=${file}`, 'iflag=nocache', 'count=0', 'status=none']);
}

/** Bytes of these files that the page cache holds; null where util-linux's fincore is missing. */
export function bytesInPageCache(files: readonly string[]): number | null {
  try {
    const out = execFileSync('fincore', ['--bytes', '--noheadings', '--output', 'RES', ...files], {
      encoding: 'utf8',
    });
    return out.split('\n').reduce((sum, line) => sum + Number(line), 0);
  } catch {
    return null;
  }
}
