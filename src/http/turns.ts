// Long work on the event loop is done in pieces: each piece waits for its turn, and all work there is gets one turn
// each time around the loop, so that many large answers at once hold it up no longer than one.

import { setImmediate as nextRound } from 'node:timers/promises';

/** Milliseconds that work holds the event loop before it gives it away. */
const TURN_MS = 4;

let last: Promise<unknown> = Promise.resolve();

/** Resolves when others had their turn; first come, first served. */
export function turn(): Promise<unknown> {
  last = last.then(() => nextRound());
  return last;
}

/**
 * Turns by the clock. Counts from when it is made; for one piece of work: those that go on at the same time have one
 * each.
 */
export class Turns {
  readonly #turnMs: number;
  #began = performance.now();

  /** `turnMs`: milliseconds of work between two turns; 0: a turn at each step. */
  constructor(turnMs = TURN_MS) {
    this.#turnMs = turnMs;
  }

  /** Between two steps, each of which should take no more than some milliseconds. */
  async next(): Promise<void> {
    if (performance.now() - this.#began < this.#turnMs) return;
    await turn();
    this.#began = performance.now();
  }
}
