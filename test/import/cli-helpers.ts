// What the tests of `colloquy import` as a process share: commands run to their end or left running, and a look at
// what they have committed.

import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { openEmbeddedEngine } from '../../src/engines/embedded/engine.ts';
import { wholeStats } from '../whole-stats.ts';
import { digestOf } from './import-helpers.ts';

export const program = fileURLToPath(new URL('../../bin/colloquy.mjs', import.meta.url));

export interface Result {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command to its end, with `input` as its standard input. */
export function colloquy(words: readonly string[], input?: string): Promise<Result> {
  return new Promise((resolve) => {
    const all = [program, ...words];
    const child = execFile(process.execPath, all, { maxBuffer: 2 ** 26 }, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr });
    });
    child.stdin?.end(input ?? '');
  });
}

/** A command that is still running. */
export interface Running {
  readonly process: ChildProcess;
  readonly output: { stdout: string; stderr: string };
  /** Exit code; null where a signal ended it. */
  readonly ended: Promise<number | null>;
}

/** Its standard input is a pipe that stays open. */
export function start(words: readonly string[], settings: Readonly<Record<string, string>> = {}): Running {
  const env = { ...process.env, ...settings };
  const child = spawn(process.execPath, [program, ...words], { env, stdio: 'pipe' });
  // What is written to a program that has ended is lost, and meant to be.
  child.stdin.on('error', () => undefined);
  const output = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      output[name] += text;
    });
  }
  return { process: child, output, ended: once(child, 'close').then(([code]) => code as number | null) };
}

/** Asks again and again until the answer is a value. The test's own time limit is the end of patience. */
export async function until<T>(ask: () => Promise<T | null>): Promise<T> {
  for (;;) {
    const value = await ask();
    if (value !== null) return value;
    await setTimeout(20);
  }
}

/** Comments that another process has committed to the folder. */
export async function commentsIn(data: string): Promise<number> {
  await using engine = await openEmbeddedEngine(data, { rules: { keepOriginals: false }, workers: 0 });
  return (await wholeStats(engine)).comment.records;
}

/** Of every record, read from the files. */
export async function digestIn(data: string): Promise<string> {
  await using engine = await openEmbeddedEngine(data, { rules: { keepOriginals: false }, workers: 0 });
  return await digestOf(engine);
}
