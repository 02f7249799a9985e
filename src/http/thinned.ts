// For events that may come thousands of times a second, of which the log tells some.

export class Thinned {
  readonly #everyMs: number;
  readonly #now: () => number;
  #toldMs = -Infinity;
  #passedOver = 0;

  /** `everyMs`: between two that are told; `now` gives milliseconds and never goes back. */
  constructor(everyMs: number, now: () => number = () => performance.now()) {
    this.#everyMs = everyMs;
    this.#now = now;
  }

  /** How many have been passed over since the last one that was told; null: this one is passed over too. */
  next(): number | null {
    const now = this.#now();
    if (now - this.#toldMs < this.#everyMs) {
      this.#passedOver++;
      return null;
    }
    const passedOver = this.#passedOver;
    this.#toldMs = now;
    this.#passedOver = 0;
    return passedOver;
  }
}
