// Limits of registrations, new keys and wrong passwords, with growing waits for passwords. Contract 7.4.

import { comparableEmail } from '../../accounts/accounts.ts';
import { LimitTable, type NetworkLimit, networkWindow, WindowLimit } from '../../http/requests/limits.ts';

const MINUTE = 60_000;

/** Wrong passwords for one account from one network within SIGN_IN_WINDOW_MS; then further attempts must wait. */
export const MAX_FAILED_SIGN_INS = 5;
/** Wrong passwords from one network, for all accounts together, within SIGN_IN_WINDOW_MS. */
export const MAX_FAILED_OF_NETWORK = 20;
export const SIGN_IN_WINDOW_MS = 15 * MINUTE;
/** Doubles with each further failure, up to the window. */
export const FIRST_WAIT_MS = MINUTE;

export const MAX_REGISTRATIONS = 10;
export const REGISTRATION_WINDOW_MS = 60 * MINUTE;

export const MAX_NEW_KEYS = 60;
export const NEW_KEY_WINDOW_MS = 60 * MINUTE;

/** A wait begins at `max` failures within a window, and doubles with each further one, up to the window. */
const RULES = { max: MAX_FAILED_SIGN_INS, windowMs: SIGN_IN_WINDOW_MS, firstWaitMs: FIRST_WAIT_MS };

/** Pairs of account and network in the table: 10 MB. Each has cost a password hash. */
const PLACES = 2 ** 17;

const MAX_ADDRESS_LENGTH = 254;

export function registrationLimit(): NetworkLimit {
  return networkWindow(MAX_REGISTRATIONS, REGISTRATION_WINDOW_MS);
}

export function newKeyLimit(): WindowLimit {
  return new WindowLimit(MAX_NEW_KEYS, NEW_KEY_WINDOW_MS);
}

export type Attempt<T> =
  | { readonly kind: 'right'; readonly value: T }
  /** `waitMs`: milliseconds until another attempt is checked; 0: now. */
  | { readonly kind: 'wrong'; readonly waitMs: number }
  | { readonly kind: 'too many'; readonly waitMs: number };

/**
 * Counts wrong passwords by account and network, so that attackers elsewhere never lock the owner out. If the table is
 * full, only the network counts.
 */
export class PasswordAttempts {
  readonly #failures = new Failures(RULES, PLACES);
  readonly #networks = networkWindow(MAX_FAILED_OF_NETWORK, SIGN_IN_WINDOW_MS);

  /**
   * Runs `check` (null: wrong) if another attempt is allowed. An attempt counts as failed from its start, so that
   * parallel attempts gain nothing. A right password clears all failures; an error takes back only its own.
   */
  async run<T>(email: string, network: string, check: () => Promise<T | null>): Promise<Attempt<T>> {
    const name = `${network} ${comparableEmail(email).slice(0, MAX_ADDRESS_LENGTH)}`;
    const waitMs = this.#failures.waitMs(name) || this.#networks.take(network);
    if (waitMs > 0) return { kind: 'too many', waitMs };
    this.#failures.count(name);
    try {
      const value = await check();
      if (value === null) return { kind: 'wrong', waitMs: this.#failures.waitMs(name) };
      this.#failures.forget(name);
      this.#networks.giveBack(network);
      return { kind: 'right', value };
    } catch (error) {
      this.#failures.takeBack(name);
      this.#networks.giveBack(network);
      throw error;
    }
  }
}

/** Indexes in the numbers of a name. From ENDS on: the times at which its last failures leave the window. */
const [WAITS, LOCKED_UNTIL, ENDS] = [0, 1, 2];

/**
 * Failures by name, and the waits that grow with them. All is forgotten a window after the last failure and its wait.
 * If the table is full, failures of new names do not count; other names keep theirs.
 */
export class Failures {
  readonly #rules: typeof RULES;
  readonly #names: LimitTable;

  constructor(rules: typeof RULES, places: number) {
    this.#rules = rules;
    this.#names = new LimitTable({ places, width: ENDS + rules.max }, 'no place');
  }

  /** Milliseconds until an attempt is allowed; 0: now. */
  waitMs(name: string): number {
    const now = performance.now();
    const place = this.#names.find(name, now);
    return place === -1 ? 0 : Math.max(0, this.#names.numbers(place)[LOCKED_UNTIL]! - now);
  }

  count(name: string): void {
    const now = performance.now();
    const place = this.#names.claim(name, now);
    if (place === -1) return;
    const { windowMs, firstWaitMs } = this.#rules;
    const numbers = this.#names.numbers(place);
    const ends = numbers.subarray(ENDS);
    const waits = numbers[WAITS]!;
    if (waits === 0) ends[ends.indexOf(Math.min(...ends))] = now + windowMs;
    if (Math.min(...ends) > now || waits > 0) {
      numbers[LOCKED_UNTIL] = now + Math.min(firstWaitMs * 2 ** waits, windowMs);
      numbers[WAITS] = waits + 1;
    }
    this.#settle(place);
  }

  takeBack(name: string): void {
    const now = performance.now();
    const place = this.#names.find(name, now);
    if (place === -1) return;
    const numbers = this.#names.numbers(place);
    const ends = numbers.subarray(ENDS);
    if (numbers[WAITS]! > 0) {
      numbers[WAITS]! -= 1;
      numbers[LOCKED_UNTIL] = Math.min(numbers[LOCKED_UNTIL]!, now);
    }
    if (numbers[WAITS] === 0) ends[ends.indexOf(Math.max(...ends))] = 0;
    this.#settle(place);
  }

  forget(name: string): void {
    const place = this.#names.find(name, performance.now());
    if (place !== -1) this.#names.setUntil(place, 0);
  }

  #settle(place: number): void {
    const numbers = this.#names.numbers(place);
    const until =
      numbers[WAITS]! > 0
        ? numbers[LOCKED_UNTIL]! + this.#rules.windowMs
        : Math.max(...numbers.subarray(ENDS));
    this.#names.setUntil(place, until);
  }
}
