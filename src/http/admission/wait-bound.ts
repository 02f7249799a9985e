// From what expected wait on a request is refused at once. What waits in vain was refused too late, so the bound moves
// until almost no expectation is broken, whatever share of the load is long, and however well it is expected.
// A quantile that is followed step by step: Robbins and Monro, Annals of Mathematical Statistics 22, 1951.

/** Shares of the wait that is allowed. */
const MOST = 0.6;
const LEAST = 0.15;
/** One wait in a thousand may become too long. */
const MAY_BREAK = 1 / 1_000;
const STEP = 0.04;

export class WaitBound {
  readonly #allowedMs: number;
  #share = MOST;

  /** Milliseconds that a request may wait; Infinity: any wait is expected to be kept. */
  constructor(allowedMs: number) {
    this.#allowedMs = allowedMs;
  }

  /** Milliseconds: what is expected to wait longer may wait too long. */
  get ms(): number {
    return this.#allowedMs * this.#share;
  }

  /** The most that it is ever. */
  get mostMs(): number {
    return this.#allowedMs * MOST;
  }

  /** A request was refused at once, or began before it was too late. */
  kept(): void {
    this.#share = Math.min(MOST, this.#share + STEP * MAY_BREAK);
  }

  /** One has waited longer than it may. */
  broken(): void {
    this.#share = Math.max(LEAST, this.#share - STEP);
  }
}
