// Runs test files, each in a process of its own, begun in the order in which they are given: where the longest come
// first, no processor waits for one of them at the end.

import { compose } from 'node:stream';
import { run } from 'node:test';
import slowestReporter from './slowest.ts';

export interface RunLimits {
  /** Processes. */
  readonly concurrency: number;
  /** Of each test. */
  readonly timeoutMs: number;
}

/** Prints what they say. Where one fails, this process ends with 1. */
export async function runFiles(
  files: readonly string[],
  { concurrency, timeoutMs }: RunLimits,
): Promise<void> {
  const tests = run({
    files,
    concurrency,
    timeout: timeoutMs,
    execArgv: ['--import=./test/compiled-code.ts'],
  });
  tests.on('test:summary', ({ file, success }) => {
    if (file === undefined && !success) process.exitCode = 1;
  });
  // A process that a test has left running keeps its file from ending, which the time limit of tests does not see.
  const silence = setTimeout(() => {
    console.error(`no test has ended for ${timeoutMs / 1000 + 60} s: one of them has left a process running`);
    process.exit(1);
  }, timeoutMs + 60_000);
  for await (const text of compose(tests, slowestReporter)) {
    silence.refresh();
    process.stdout.write(text);
  }
  clearTimeout(silence);
}
