// How long the event loop of this process is held: by the clock, which on a busy machine also counts the work of
// others, and by the processor time that its thread took between two looks, which is our own doing.

import { monitorEventLoopDelay } from 'node:perf_hooks';

/** In milliseconds. */
export interface LoopHold {
  readonly longestMs: number;
  readonly p99Ms: number;
  readonly longestCpuMs: number;
}

const LOOK_MS = 2;

/** Watches until the function that it returns is called. */
export function watchHolds(): () => LoopHold {
  const delays = monitorEventLoopDelay({ resolution: 5 });
  delays.enable();
  let longestCpuMs = 0;
  let before = process.threadCpuUsage();
  const timer = setInterval(() => {
    const now = process.threadCpuUsage();
    longestCpuMs = Math.max(longestCpuMs, (now.user - before.user + now.system - before.system) / 1e3);
    before = now;
  }, LOOK_MS);
  return () => {
    clearInterval(timer);
    delays.disable();
    return { longestMs: delays.max / 1e6, p99Ms: delays.percentile(99) / 1e6, longestCpuMs };
  };
}
