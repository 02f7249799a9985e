// Metrics of the process: CPU, memory, files, the event loop. Dashboards for Node know these names.

import { readdir, readFile } from 'node:fs/promises';
import { type EventLoopUtilization, monitorEventLoopDelay, performance } from 'node:perf_hooks';
import type { Family } from '../../metrics/families.ts';
import { gauge } from './exposition.ts';

/** The event loop's delay is measured over windows of this length. */
const LAG_WINDOW_MS = 10_000;
/** How often a timer's delay is measured; shorter blocks go unnoticed. */
const LAG_RESOLUTION_MS = 10;
const LAG_FIGURES = [
  { name: 'nodejs_eventloop_lag_p50_seconds', words: 'half of the time at most', percent: 50 },
  { name: 'nodejs_eventloop_lag_p99_seconds', words: '99 % of the time at most', percent: 99 },
  { name: 'nodejs_eventloop_lag_max_seconds', words: 'at the longest', percent: 100 },
] as const;
const WINDOW_WORDS = `the last ${LAG_WINDOW_MS / 1000} seconds`;

interface Lag {
  /** Seconds, in the order of LAG_FIGURES. */
  readonly seconds: readonly number[];
  readonly utilization: number;
}

export class ProcessWatch {
  readonly #delays = monitorEventLoopDelay({ resolution: LAG_RESOLUTION_MS });
  #window: EventLoopUtilization = performance.eventLoopUtilization();
  /** The last complete window; null: the first is not over. */
  #last: Lag | null = null;

  constructor() {
    this.#delays.enable();
    setInterval(() => {
      this.#last = this.#lag();
      this.#delays.reset();
      this.#window = performance.eventLoopUtilization();
    }, LAG_WINDOW_MS).unref();
  }

  async families(): Promise<readonly Family[]> {
    const { user, system } = process.cpuUsage();
    const cpuSeconds = (user + system) / 1e6;
    const { rss, heapUsed, heapTotal, external } = process.memoryUsage();
    const lag = this.#last ?? this.#lag();
    return [
      {
        ...gauge('process_cpu_seconds_total', 'Seconds of processor time, of all threads.', cpuSeconds),
        type: 'counter',
      },
      gauge(
        'process_start_time_seconds',
        'When the process started, in seconds since 1970 UTC.',
        Math.round(performance.timeOrigin / 1000),
      ),
      gauge('process_resident_memory_bytes', 'Memory that the process holds, of all threads.', rss),
      gauge('nodejs_heap_size_used_bytes', 'Memory in use by the heap of the main thread.', heapUsed),
      gauge('nodejs_heap_size_total_bytes', 'Memory held for the heap of the main thread.', heapTotal),
      gauge('nodejs_external_memory_bytes', 'Memory outside the heap that the main thread holds.', external),
      ...(await fileFamilies()),
      ...LAG_FIGURES.map(({ name, words }, at) =>
        gauge(name, `How late the event loop was in ${WINDOW_WORDS}: ${words}.`, lag.seconds[at]!),
      ),
      gauge(
        'nodejs_eventloop_utilization',
        `Share of ${WINDOW_WORDS} in which the event loop was at work, 0 to 1.`,
        lag.utilization,
      ),
    ];
  }

  #lag(): Lag {
    const { utilization } = performance.eventLoopUtilization(this.#window);
    // A timer that is not late measures its interval.
    const late = (nanoseconds: number) => Math.max(0, nanoseconds / 1e9 - LAG_RESOLUTION_MS / 1000);
    const of = (percent: number) => (percent === 100 ? this.#delays.max : this.#delays.percentile(percent));
    const seconds = LAG_FIGURES.map(({ percent }) => (this.#delays.count === 0 ? 0 : late(of(percent))));
    return { seconds, utilization };
  }
}

/** Empty on systems without `/proc`. */
async function fileFamilies(): Promise<Family[]> {
  try {
    const [files, limits] = await Promise.all([
      readdir('/proc/self/fd'),
      readFile('/proc/self/limits', 'utf8'),
    ]);
    const most = /^Max open files\s+(\d+)/m.exec(limits)?.[1];
    return [
      // Minus the descriptor of the folder being read.
      gauge('process_open_fds', 'Open files and connections.', files.length - 1),
      ...(most === undefined ? [] : [gauge('process_max_fds', 'Limit of open files.', Number(most))]),
    ];
  } catch {
    // uncovered: another system than Linux
    return [];
  }
}
