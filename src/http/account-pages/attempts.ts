// How often something may be tried: a number of times in a window, and with growing waits for passwords.
// Contract 7.4.

import { comparableEmail } from '../../accounts/email.ts';
import type { Clock, LimitFigures } from '../limit.ts';
import { type NetworkLimit, networkWindow } from '../network-limit.ts';
import { WindowLimit } from '../window-limit.ts';
import { Failures } from './failures.ts';

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

/** How many accounts of which networks may be waiting at once: 10 MB. Each has cost a hash of a password. */
const PLACES = 2 ** 17;

/** No account has a longer address. */
const MAX_ADDRESS_LENGTH = 254;

/** Registrations of a network. */
export function registrationLimit(now: Clock): NetworkLimit {
  return networkWindow(MAX_REGISTRATIONS, REGISTRATION_WINDOW_MS, now);
}

/** New keys of an account. */
export function newKeyLimit(now: Clock): WindowLimit {
  return new WindowLimit(MAX_NEW_KEYS, NEW_KEY_WINDOW_MS, now);
}

/** The outcome of an attempt at a password or a code. */
export type Attempt<T> =
  | { readonly kind: 'right'; readonly value: T }
  /** `waitMs`: milliseconds until another attempt is checked; 0: now. */
  | { readonly kind: 'wrong'; readonly waitMs: number }
  /** The attempt was not checked. */
  | { readonly kind: 'too many'; readonly waitMs: number };

/**
 * Counts attempts at passwords by account and network, so that the owner elsewhere is never locked out. An
 * account and network for which there is no room count by the network alone.
 */
export class PasswordAttempts {
  readonly #failures: Failures;
  readonly #networks: NetworkLimit;
  #refused = 0;

  constructor(now: Clock) {
    const rules = { max: MAX_FAILED_SIGN_INS, windowMs: SIGN_IN_WINDOW_MS, firstWaitMs: FIRST_WAIT_MS };
    this.#failures = new Failures(rules, PLACES, now);
    this.#networks = networkWindow(MAX_FAILED_OF_NETWORK, SIGN_IN_WINDOW_MS, now);
  }

  /**
   * Runs `check` (null: wrong) if another attempt is allowed. The attempt counts as failed from its start, so
   * that many at once gain nothing. A right one takes itself and all earlier failures back, one that throws
   * only itself.
   */
  async run<T>(email: string, network: string, check: () => Promise<T | null>): Promise<Attempt<T>> {
    const name = `${network} ${comparableEmail(email).slice(0, MAX_ADDRESS_LENGTH)}`;
    const waitMs = this.#failures.waitMs(name) || this.#networks.take(network);
    if (waitMs > 0) {
      this.#refused++;
      return { kind: 'too many', waitMs };
    }
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

  figures(): LimitFigures {
    const withoutRoom = this.#failures.withoutRoom + this.#networks.figures().withoutRoom;
    return { refused: this.#refused, withoutRoom };
  }
}
