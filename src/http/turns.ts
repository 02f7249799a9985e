// Long work in small steps: between two of them, other requests get their turn on the event loop.

import { setImmediate } from 'node:timers/promises';

/** Milliseconds that work holds the event loop before it gives it away. */
const TURN_MS = 4;

/** Counts from when it is made. For one piece of work: those that go on at the same time have one each. */
export class Turns {
  #began = performance.now();

  /** Between two steps, each of which should take no more than some milliseconds. */
  async next(): Promise<void> {
    if (performance.now() - this.#began < TURN_MS) return;
    await setImmediate();
    this.#began = performance.now();
  }
}
