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

const { now } = Date;
let stopped: Clock | undefined;

/** Stops both at this Unix time; where they stand already, they stay as they are. */
export function stopClock(seconds = 0): Clock {
  if (stopped !== undefined) return stopped;
  const clock = new Clock(seconds);
  stopped = clock;
  // `mock.method` would keep each call, with where it came from.
  Date.now = () => clock.ms;
  performance.now = () => clock.ms;
  return clock;
}

/** Both go on. */
export function startClock(): void {
  Date.now = now;
  Reflect.deleteProperty(performance, 'now');
  stopped = undefined;
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
