// What all limits have in common: something may be done so often under a name.

/** Milliseconds, 0 or more, never going back. */
export type Clock = () => number;

export interface Limit {
  /** Milliseconds until one more is allowed; 0: now. Counts nothing. */
  waitMs(name: string): number;
  /** Counts one, which `waitMs` has just allowed. */
  count(name: string): void;
  /** Takes back what was counted last. */
  giveBack(name: string): void;
  /** How often a use found no room to be counted by itself. */
  readonly withoutRoom: number;
}

/** What a limit counts of itself since the start of the process. */
export interface LimitFigures {
  /** Uses beyond the limit. */
  readonly refused: number;
  /** Uses that were counted together with those of another name, because there was no room. */
  readonly withoutRoom: number;
}

/** One use, as one of several limits counts it. */
export interface Use {
  readonly limit: Limit;
  readonly name: string;
}

/**
 * Counts one everywhere, or nowhere: who is refused by one limit does not use up another. Returns 0, or the
 * milliseconds to wait.
 */
export function take(uses: readonly Use[]): number {
  const wait = Math.max(...uses.map(({ limit, name }) => limit.waitMs(name)));
  if (wait === 0) for (const { limit, name } of uses) limit.count(name);
  return wait;
}

/** Whole seconds, for `Retry-After` and for people. */
export function seconds(ms: number): number {
  return Math.max(1, Math.ceil(ms / 1000));
}
