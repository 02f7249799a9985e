// Loaded into a server by `--import`: tells its parent how late its event loop was, and how much memory it took, since
// it was last asked.

import { monitorEventLoopDelay } from 'node:perf_hooks';

/** Milliseconds and bytes. */
export interface LoopFigures {
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
  /** The most processor time that the loop took between two looks: what holds it, whatever else the machine does. */
  readonly maxHold: number;
  /** Processor time of all threads. */
  readonly cpu: number;
  /** Of the thread with the event loop. */
  readonly ownCpu: number;
  readonly memory: number;
  readonly peakMemory: number;
}

const RESOLUTION_MS = 10;
const MEMORY_EVERY_MS = 50;
const LOOK_MS = 2;

const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
let peakMemory = 0;
let usage = process.cpuUsage();
let ownUsage = process.threadCpuUsage();
let lookUsage = ownUsage;
let maxHold = 0;
const ms = ({ user, system }: NodeJS.CpuUsage) => (user + system) / 1000;
const late = (nanoseconds: number) => Math.max(0, nanoseconds / 1e6 - RESOLUTION_MS);

delay.enable();
setInterval(() => {
  peakMemory = Math.max(peakMemory, process.memoryUsage.rss());
}, MEMORY_EVERY_MS).unref();
setInterval(() => {
  maxHold = Math.max(maxHold, ms(process.threadCpuUsage(lookUsage)));
  lookUsage = process.threadCpuUsage();
}, LOOK_MS).unref();
process.on('message', () => {
  const figures: LoopFigures = {
    p50: late(delay.percentile(50)),
    p99: late(delay.percentile(99)),
    max: late(delay.max),
    maxHold,
    cpu: ms(process.cpuUsage(usage)),
    ownCpu: ms(process.threadCpuUsage(ownUsage)),
    memory: process.memoryUsage.rss(),
    peakMemory,
  };
  delay.reset();
  peakMemory = 0;
  maxHold = 0;
  usage = process.cpuUsage();
  ownUsage = process.threadCpuUsage();
  process.send?.(figures);
});
process.channel?.unref();
