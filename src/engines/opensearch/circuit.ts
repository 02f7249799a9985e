// Keeps questions from a cluster that does not answer: each would wait for all of its time budget, and hold a place for
// as long. Where several requests in a row got no answer, one is sent every few seconds until one is answered (the
// circuit breaker of Nygard, Release It!, 2007, 5.2).

/** So many requests in a row that were given up, tries again included. */
export const UNANSWERED = 5;

export class Circuit {
  readonly #pauseMs: number;
  readonly #now: () => number;
  #unanswered = 0;
  #nextMs = 0;

  /** `pauseMs`: between two requests that are sent meanwhile. `now` gives milliseconds and never goes back. */
  constructor(pauseMs: number, now: () => number = () => performance.now()) {
    this.#pauseMs = pauseMs;
    this.#now = now;
  }

  /** Milliseconds until a request may be sent; 0: this one, and none besides until a pause later or an answer. */
  waitMs(): number {
    if (this.#unanswered < UNANSWERED) return 0;
    const now = this.#now();
    if (now < this.#nextMs) return this.#nextMs - now;
    this.#nextMs = now + this.#pauseMs;
    return 0;
  }

  /** Of a request that got one, a refusal included. */
  answered(): void {
    this.#unanswered = 0;
  }

  /** Of a request that was given up. */
  unanswered(): void {
    this.#unanswered++;
    if (this.#unanswered === UNANSWERED) this.#nextMs = this.#now() + this.#pauseMs;
  }
}
