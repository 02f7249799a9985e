// How long a request will be at work: the moving mean of what those of its sort took, for this caller, else for all.

/** By sort, in milliseconds. */
export type Means = Map<string, number>;

/** Milliseconds, for a sort of which none has been answered yet. */
const FIRST_GUESS_MS = 20;
/** How much the last request of a caller counts in its mean: some eight are remembered. */
const OWN_WEIGHT = 1 / 8;
const WEIGHT_OF_ALL = 1 / 64;

export function newMeans(): Means {
  return new Map();
}

export class ServiceTimes {
  readonly #ofAll = newMeans();

  /** Milliseconds. */
  expected(own: Means, sort: string): number {
    return own.get(sort) ?? this.#ofAll.get(sort) ?? FIRST_GUESS_MS;
  }

  note(own: Means, sort: string, tookMs: number): void {
    move(own, sort, tookMs, OWN_WEIGHT);
    move(this.#ofAll, sort, tookMs, WEIGHT_OF_ALL);
  }
}

function move(means: Means, sort: string, tookMs: number, weight: number): void {
  const before = means.get(sort) ?? tookMs;
  means.set(sort, before + (tookMs - before) * weight);
}
