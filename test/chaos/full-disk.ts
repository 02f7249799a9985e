// A disk that is full in earnest, SQLite's own writes included: a process imports where there is little room, fails,
// and is run again when there is more. The room is a small file system of its own (tmpfs) where this user may mount
// one, else a limit on the size of files (`ulimit -f`, with SIGXFSZ ignored: writes then fail with EFBIG).

import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkIndex } from '../../src/engines/embedded/check.ts';
import { Acknowledged, type Batch, judge } from './acknowledged.ts';
import { dumpText } from './dumps.ts';
import { contentsIn, leftovers, writeNothing } from './folder-state.ts';
import type { KillPlan, LogLine, Step } from './kill-steps.ts';
import { linesOf, runToItsEnd } from './killed-process.ts';

export type Means = 'tmpfs' | 'file size limit';

export interface FullDiskReport {
  /** Sizes tried, and those at which the work failed. */
  runs: number;
  failed: number;
  /** What the process said, a line each. */
  readonly messages: Set<string>;
  readonly problems: string[];
}

export interface FullDiskOptions {
  readonly means: Means;
  /** KiB of room, one run each. */
  readonly sizes: readonly number[];
  readonly records: number;
  readonly folder: string;
}

/** Merged, they make files. */
const BATCH_RECORDS = 700;

/** Whether this user may mount a file system. */
export function canMount(folder: string): boolean {
  const place = join(folder, 'mount');
  mkdirSync(place, { recursive: true });
  try {
    mount(place, 'size=1m');
    execFileSync('umount', [place]);
    return true;
  } catch {
    return false;
  }
}

export async function runFullDisk(options: FullDiskOptions): Promise<FullDiskReport> {
  const { folder, records, sizes } = options;
  const report: FullDiskReport = { runs: 0, failed: 0, messages: new Set(), problems: [] };
  mkdirSync(folder, { recursive: true });
  const steps = [0, 1].map((edition): Step => {
    const dump = join(folder, `edition-${edition}.ndjson`);
    writeFileSync(dump, dumpText({ records, seed: 9, edition }));
    return { kind: 'import', dump };
  });
  const batches = await undisturbedBatches(folder, steps);
  for (const size of sizes) {
    const room = join(folder, 'room');
    mkdirSync(room, { recursive: true });
    try {
      await oneSize(options, size, room, steps, batches, report);
    } finally {
      if (options.means === 'tmpfs') execFileSync('umount', [room]);
      rmSync(room, { recursive: true, force: true });
    }
  }
  return report;
}

async function oneSize(
  { means, folder }: FullDiskOptions,
  size: number,
  room: string,
  steps: readonly Step[],
  batches: readonly Batch[],
  report: FullDiskReport,
): Promise<void> {
  if (means === 'tmpfs') mount(room, `size=${size}k`);
  const data = join(room, 'data');
  const log = join(folder, `${size}.log`);
  const plan: KillPlan = { ...planOf(data, log, steps), isBrief: true };
  const first = await runToItsEnd(plan, join(folder, 'compiled'), means === 'file size limit' ? size : null);
  report.runs++;
  const problem = (text: string) => report.problems.push(`${means} of ${size} KiB: ${text}`);
  if (first.code !== 0) {
    report.failed++;
    report.messages.add(lastWords(first.errors).replaceAll(room, '…'));
    if (first.code !== 1) problem(`ended with ${first.code}`);
  }
  const acknowledged = new Acknowledged();
  const pending = take(linesOf(log), batches, acknowledged);
  try {
    // Where there is no room at all, and what was there must be found all the same.
    const verdict = judge(await contentsIn(data), acknowledged, pending);
    if (verdict.lost.length + verdict.foreign.length > 0 || verdict.pending === 'half') {
      problem(`lost ${verdict.lost.length}, foreign ${verdict.foreign.length}, batch ${verdict.pending}`);
    }
  } catch (error) {
    problem(`no answers while there is no room: ${(error as Error).message}`);
  }
  if (means === 'tmpfs') mount(room, 'remount,size=256m');
  const second = await runToItsEnd({ ...plan, log: `${log}-2` }, join(folder, 'compiled'), null);
  if (second.code !== 0) problem(`fails with room: ${second.errors}`);
  await writeNothing(data);
  const left = leftovers(data);
  if (left.length > 0) problem(`left over: ${left.join(', ')}`);
  const whole = new Acknowledged();
  for (const batch of batches) whole.add(batch);
  const end = judge(await contentsIn(data), whole, null);
  if (end.lost.length + end.foreign.length > 0) problem('other contents at the end');
  const { problems } = await checkIndex(data);
  for (const line of problems) problem(`check: ${line}`);
}

/** The error, without where it came from. */
function lastWords(errors: string): string {
  return errors.split('\n').find((line) => /^\w*Error: /.test(line)) ?? errors;
}

/** The same in every run that begins with an empty folder. */
async function undisturbedBatches(folder: string, steps: readonly Step[]): Promise<Batch[]> {
  const data = join(folder, 'undisturbed');
  const log = `${data}.log`;
  const { code, errors } = await runToItsEnd(planOf(data, log, steps), join(folder, 'compiled'), null);
  if (code !== 0) throw new Error(errors);
  return linesOf(log).flatMap((line) => ('begin' in line && line.begin !== null ? [line.begin] : []));
}

function planOf(data: string, log: string, steps: readonly Step[]): KillPlan {
  const backup = `${data}-backup`;
  return { data, log, batchRecords: BATCH_RECORDS, backup, steps, firstStep: 0, countFrom: 0 };
}

/** Returns the batch under way at the end. */
function take(
  lines: readonly LogLine[],
  batches: readonly Batch[],
  acknowledged: Acknowledged,
): Batch | null {
  const begun = lines.filter((line) => 'begin' in line).length;
  const done = lines.filter((line) => 'acknowledged' in line).length;
  for (const batch of batches.slice(0, done)) acknowledged.add(batch);
  return begun > done ? batches[done]! : null;
}

function mount(place: string, options: string): void {
  execFileSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', place], { stdio: 'ignore' });
}
