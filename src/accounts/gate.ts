// A gate that lets a few pieces of work through at once and queues the rest.

import { ServiceError } from '../errors.ts';

export class Gate {
  readonly #atOnce: number;
  readonly #maxWaiting: number;
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  constructor(atOnce: number, maxWaiting: number) {
    this.#atOnce = atOnce;
    this.#maxWaiting = maxWaiting;
  }

  /**
   * Runs `work` in its turn, first come, first served. Throws `busy` if `maxWaiting` others are already
   * waiting.
   */
  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#running < this.#atOnce) this.#running++;
    else await this.#place();
    try {
      return await work();
    } finally {
      // The place is handed on, not given back, so that nobody slips in between.
      const next = this.#waiting.shift();
      if (next === undefined) this.#running--;
      else next();
    }
  }

  #place(): Promise<void> {
    if (this.#waiting.length >= this.#maxWaiting) {
      throw new ServiceError(
        'busy',
        `expected at most ${this.#maxWaiting} callers in the queue, found more`,
        {
          retryAfter: 1,
        },
      );
    }
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
    });
  }
}
