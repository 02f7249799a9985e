// What the commands of this folder print in front of their figures, and how they sum up times.

import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { availableParallelism, cpus, totalmem } from 'node:os';
import { fileURLToPath } from 'node:url';

/** Machine, versions and commit, in one line. */
export function surroundings(): string {
  const model = cpus()[0]?.model ?? 'unknown processor';
  const memory = Math.round(totalmem() / 2 ** 30);
  return `${model}, ${availableParallelism()} threads, ${memory} GiB, ${process.platform}, Node ${process.versions.node}, commit ${commit()}`;
}

function commit(): string {
  const cwd = fileURLToPath(new URL('.', import.meta.url));
  const { status, stdout } = spawnSync('git', ['describe', '--always', '--dirty'], { cwd, encoding: 'utf8' });
  return status === 0 ? stdout.trim() : 'unknown';
}

/** The value that this share of them (0 to 1) does not exceed; NaN of none. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN;
}

/** Prints what was wrong, a line each; then the folder stays and the exit code is 1, else it goes. */
export function endWith(problems: readonly string[], folder: string): void {
  for (const problem of problems) process.stdout.write(`${problem}\n`);
  if (problems.length === 0) rmSync(folder, { recursive: true, force: true });
  else {
    process.stdout.write(`folders kept in ${folder}\n`);
    process.exitCode = 1;
  }
}
