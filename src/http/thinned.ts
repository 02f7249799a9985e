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

/** How many names are remembered; the one that was first asked for makes way. */
const MAX_NAMES = 10_000;

/** The same for each name, so that one with many events hides no other. */
export class ThinnedByName {
  readonly #everyMs: number;
  readonly #names = new Map<string, Thinned>();

  constructor(everyMs: number) {
    this.#everyMs = everyMs;
  }

  next(name: string): number | null {
    const known = this.#names.get(name);
    if (known !== undefined) return known.next();
    const [first] = this.#names.keys();
    if (this.#names.size >= MAX_NAMES) this.#names.delete(first!);
    const thinned = new Thinned(this.#everyMs);
    this.#names.set(name, thinned);
    return thinned.next();
  }
}
