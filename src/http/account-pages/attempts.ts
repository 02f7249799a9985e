// How often something may be tried: a number of times in a window, and with growing waits for passwords.
// Contract 7.4.

import { comparableEmail } from '../../accounts/email.ts';

const MINUTE = 60_000;

/**
 * How many wrong passwords for one account from one network within SIGN_IN_WINDOW_MS; the next attempt has to
 * wait.
 */
export const MAX_FAILED_SIGN_INS = 5;
/** How many wrong passwords from one network, for all accounts together. */
export const MAX_FAILED_OF_NETWORK = 20;
export const SIGN_IN_WINDOW_MS = 15 * MINUTE;
/** Doubles with each further failure, up to the window. */
export const FIRST_WAIT_MS = MINUTE;

export const MAX_REGISTRATIONS = 10;
export const REGISTRATION_WINDOW_MS = 60 * MINUTE;

export const MAX_NEW_KEYS = 60;
export const NEW_KEY_WINDOW_MS = 60 * MINUTE;

/** How many names are kept. Names with a count of nothing are forgotten first, then the oldest. */
const MAX_ENTRIES = 10_000;
/** How far the limit may be exceeded before all names are checked, so that adding one costs little. */
const SPARE_ENTRIES = 500;

/** No account has a longer address. */
const MAX_ADDRESS_LENGTH = 254;

/** Milliseconds, never going back. */
export type Clock = () => number;

/** A limit on the number within any window. */
export class WindowLimit {
  readonly #max: number;
  readonly #windowMs: number;
  readonly #now: Clock;
  readonly #times = new Map<string, number[]>();

  constructor(max: number, windowMs: number, now: Clock) {
    this.#max = max;
    this.#windowMs = windowMs;
    this.#now = now;
  }

  /**
   * Counts one and returns 0; or, if it is one too many, does not count it and returns the milliseconds to
   * wait.
   */
  take(name: string): number {
    const now = this.#now();
    const times = this.#recent(name, now);
    if (times.length >= this.#max) return times[0]! + this.#windowMs - now;
    times.push(now);
    this.#times.delete(name);
    this.#times.set(name, times);
    dropOldest(this.#times, (_, known) => this.#recent(known, now).length === 0);
    return 0;
  }

  /** Takes back what was counted last. */
  giveBack(name: string): void {
    this.#times.get(name)?.pop();
  }

  #recent(name: string, now: number): number[] {
    return (this.#times.get(name) ?? []).filter((time) => now - time < this.#windowMs);
  }
}

/** The outcome of an attempt at a password. */
export type Attempt<T> =
  | { readonly kind: 'right'; readonly value: T }
  /** `waitMs`: milliseconds until another attempt is checked; 0: now. */
  | { readonly kind: 'wrong'; readonly waitMs: number }
  /** The attempt was not checked. */
  | { readonly kind: 'too many'; readonly waitMs: number };

interface Failures {
  /** Failures within the window, or since the waits began. */
  readonly times: number[];
  waits: number;
  /** No attempt is checked before this time. */
  until: number;
}

/** Counts attempts at passwords by account and network, so that the owner elsewhere is never locked out. */
export class PasswordAttempts {
  readonly #now: Clock;
  readonly #failures = new Map<string, Failures>();
  readonly #networks: WindowLimit;

  constructor(now: Clock) {
    this.#now = now;
    this.#networks = new WindowLimit(MAX_FAILED_OF_NETWORK, SIGN_IN_WINDOW_MS, now);
  }

  /**
   * Runs `check` (null: wrong) if another attempt is allowed. The attempt counts as failed from its start, so
   * that many at once gain nothing. A right one takes itself and all earlier failures back, one that throws
   * only itself.
   */
  async run<T>(email: string, network: string, check: () => Promise<T | null>): Promise<Attempt<T>> {
    const name = `${network} ${comparableEmail(email).slice(0, MAX_ADDRESS_LENGTH)}`;
    const failures = this.#failuresOf(name);
    const now = this.#now();
    if (now < failures.until) return { kind: 'too many', waitMs: failures.until - now };
    const waitMs = this.#networks.take(network);
    if (waitMs > 0) return { kind: 'too many', waitMs };
    const before = { waits: failures.waits, until: failures.until };
    this.#count(name, failures, now);
    try {
      const value = await check();
      if (value === null) return { kind: 'wrong', waitMs: Math.max(0, failures.until - this.#now()) };
      this.#failures.delete(name);
      this.#networks.giveBack(network);
      return { kind: 'right', value };
    } catch (error) {
      failures.times.pop();
      Object.assign(failures, before);
      this.#networks.giveBack(network);
      throw error;
    }
  }

  #failuresOf(name: string): Failures {
    const now = this.#now();
    const known = this.#failures.get(name);
    if (known === undefined || this.#isPast(known, now)) return { times: [], waits: 0, until: now };
    return known;
  }

  #count(name: string, failures: Failures, now: number): void {
    const { times } = failures;
    while (failures.waits === 0 && times.length > 0 && now - times[0]! >= SIGN_IN_WINDOW_MS) times.shift();
    times.push(now);
    if (times.length >= MAX_FAILED_SIGN_INS) {
      failures.until = now + Math.min(FIRST_WAIT_MS * 2 ** failures.waits, SIGN_IN_WINDOW_MS);
      failures.waits++;
    }
    this.#failures.delete(name);
    this.#failures.set(name, failures);
    dropOldest(this.#failures, (known) => this.#isPast(known, now));
  }

  /** A window after the last failure and its wait, everything is forgotten. */
  #isPast({ times, until }: Failures, now: number): boolean {
    return now - Math.max(until, times.at(-1) ?? 0) >= SIGN_IN_WINDOW_MS;
  }
}

/** Whole seconds, for `Retry-After` and for people. */
export function seconds(ms: number): number {
  return Math.max(1, Math.ceil(ms / 1000));
}

/** Cuts a map, in the order of last use, down to MAX_ENTRIES once it is over that by SPARE_ENTRIES. */
function dropOldest<T>(map: Map<string, T>, isPast: (value: T, name: string) => boolean): void {
  if (map.size <= MAX_ENTRIES + SPARE_ENTRIES) return;
  for (const [name, value] of map) if (isPast(value, name)) map.delete(name);
  for (const name of map.keys()) {
    if (map.size <= MAX_ENTRIES) break;
    map.delete(name);
  }
}
