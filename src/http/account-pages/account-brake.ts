// A brake on guessing the password of one account from many networks. It holds for browsers that are not known
// (known-browsers.ts), and for every address alike, whether or not it has an account. Contract 16.2.

import { hash, randomBytes } from 'node:crypto';
import { comparableEmail } from '../../accounts/email.ts';
import type { Attempt, Clock } from './attempts.ts';

/** How many wrong passwords for one account, from all networks together, before each further one makes a wait. */
export const MAX_FAILED_OF_ACCOUNT = 30;
/** Doubles with each further failure, up to MAX_ACCOUNT_WAIT_MS. */
export const FIRST_ACCOUNT_WAIT_MS = 1_000;
export const MAX_ACCOUNT_WAIT_MS = 15 * 60_000;
/** So long after the last failure all is forgotten. */
export const ACCOUNT_WINDOW_MS = 24 * 60 * 60_000;

/**
 * Every name has one of so many places, so that memory and time are the same for any number of names, and no flood of
 * names makes others forgotten. Two names share a place once in so many; nobody can choose which do.
 */
const PLACES = 65_536;

export class AccountBrake {
  readonly #now: Clock;
  readonly #key = randomBytes(32).toString('base64url');
  readonly #failures = new Uint32Array(PLACES);
  readonly #lastAt = new Float64Array(PLACES);
  /** No attempt is let through before this time. */
  readonly #until = new Float64Array(PLACES);

  constructor(now: Clock) {
    this.#now = now;
  }

  /**
   * Makes the attempt unless the account has to wait. It counts as failed from its start, so that many at once gain
   * nothing; if it was not wrong, or throws, this is taken back, but no earlier failure.
   */
  async run<T>(email: string, attempt: () => Promise<Attempt<T>>): Promise<Attempt<T>> {
    const place = this.#placeOf(email);
    const now = this.#now();
    const before = this.#until[place]!;
    if (now < before) return { kind: 'too many', waitMs: before - now };
    if (now - this.#lastAt[place]! >= ACCOUNT_WINDOW_MS) this.#failures[place] = 0;
    this.#lastAt[place] = now;
    const until = now + waitAfter(++this.#failures[place]!);
    this.#until[place] = until;
    const takeBack = () => {
      this.#failures[place]!--;
      if (this.#until[place] === until) this.#until[place] = before;
    };
    try {
      const outcome = await attempt();
      if (outcome.kind === 'wrong')
        return { kind: 'wrong', waitMs: Math.max(outcome.waitMs, until - this.#now()) };
      takeBack();
      return outcome;
    } catch (error) {
      takeBack();
      throw error;
    }
  }

  #placeOf(email: string): number {
    return hash('sha256', this.#key + comparableEmail(email), 'buffer').readUInt16LE(0);
  }
}

/** Milliseconds. */
function waitAfter(failures: number): number {
  if (failures < MAX_FAILED_OF_ACCOUNT) return 0;
  return Math.min(FIRST_ACCOUNT_WAIT_MS * 2 ** (failures - MAX_FAILED_OF_ACCOUNT), MAX_ACCOUNT_WAIT_MS);
}
