// Long work on the event loop is done in pieces. Each piece waits for its turn, and all pending work gets
// only one turn each time around the loop, so many large answers at once delay it no longer than one.

import { setImmediate as nextRound } from 'node:timers/promises';

/** Milliseconds that work may hold the event loop before it lets others have it. */
const TURN_MS = 4;

let last: Promise<unknown> = Promise.resolve();

/** Resolves once others have had their turn; first come, first served. */
export function turn(): Promise<unknown> {
  last = last.then(() => nextRound());
  return last;
}

/** Turns by the clock, counted from when it is made. Serves one piece of work: concurrent ones each have their own. */
export class Turns {
  readonly #turnMs: number;
  #began = performance.now();

  /** `turnMs`: milliseconds of work between two turns; 0: a turn after each step. */
  constructor(turnMs = TURN_MS) {
    this.#turnMs = turnMs;
  }

  /** Call it between two steps, each of which should take some milliseconds at most. */
  async next(): Promise<void> {
    if (performance.now() - this.#began < this.#turnMs) return;
    await turn();
    this.#began = performance.now();
  }
}

/** Runs as much work at once as it has places, in the order in which it is asked for. */
export class AtOnce {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(places: number) {
    this.#free = places;
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free--;
    else await new Promise<void>((enter) => this.#waiting.push(enter));
    try {
      return await work();
    } finally {
      const enter = this.#waiting.shift();
      if (enter === undefined) this.#free++;
      else enter();
    }
  }
}
