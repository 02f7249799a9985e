// The clocks of this process: `Date.now` and `performance.now` stand still until a test moves them.

import { mock } from 'node:test';

class Clock {
  ms: number;

  constructor(seconds: number) {
    this.ms = seconds * 1000;
  }

  /** Unix time. */
  get seconds(): number {
    return Math.floor(this.ms / 1000);
  }

  set seconds(seconds: number) {
    this.ms = seconds * 1000;
  }
}

export type { Clock };

const REAL = Date.now;
let stopped: Clock | undefined;

/** Stops both at this Unix time; where they stand already, they stay as they are. */
export function stopClock(seconds = 0): Clock {
  if (stopped !== undefined && Date.now !== REAL) return stopped;
  const clock = new Clock(seconds);
  mock.method(Date, 'now', () => clock.ms);
  mock.method(performance, 'now', () => clock.ms);
  stopped = clock;
  return clock;
}

/** What `make` returns where it is so many seconds earlier. */
export function earlier<T>(seconds: number, make: () => T): T {
  const now = Date.now();
  const { mock: moved } = mock.method(Date, 'now', () => now - seconds * 1000);
  try {
    return make();
  } finally {
    moved.restore();
  }
}
