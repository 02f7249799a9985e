// Processor time: what work costs whatever else the machine does.

import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** Milliseconds, of all threads. */
export interface Cost {
  /** Of this process. */
  readonly own: number;
  /** Of the others. */
  readonly others: number;
  /** That passed. */
  readonly wall: number;
}

const TICK_MS = 1000 / Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }));

/** What `work` costs this process and those of these ids, to some ticks of 10 ms. Linux alone tells that of others. */
export async function costOf(others: readonly number[], work: () => Promise<unknown>): Promise<Cost> {
  const [own, before, started] = [process.cpuUsage(), usedBy(others), performance.now()];
  await work();
  const { user, system } = process.cpuUsage(own);
  return {
    own: (user + system) / 1000,
    others: usedBy(others) - before,
    wall: performance.now() - started,
  };
}

function usedBy(processes: readonly number[]): number {
  return processes.reduce((sum, id) => sum + ticksOf(id) * TICK_MS, 0);
}

/** `utime` and `stime` of proc(5); the name in front of them may have blanks. */
function ticksOf(id: number): number {
  const line = readFileSync(`/proc/${id}/stat`, 'utf8');
  const fields = line.slice(line.lastIndexOf(')') + 2).split(' ');
  return Number(fields[11]) + Number(fields[12]);
}
