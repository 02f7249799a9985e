// Device cookies: a signed cookie marks a browser that has signed in to an account, and wrong passwords from elsewhere
// never lock it out. After A. Dedov, "Slow Down Online Guessing Attacks with Device Cookies", OWASP
// (https://owasp.org/www-community/Slow_Down_Online_Guessing_Attacks_with_Device_Cookies).
// Below: their precedence in the queue for password hashes, and the brake for all other browsers.

import { createHmac, hash, randomBytes } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { comparableEmail } from '../../accounts/accounts.ts';
import type { Visitors } from '../../http/requests/caller.ts';
import { WindowLimit } from '../../http/requests/limits.ts';
import { cookiesOf, hostCookieName, isSame, setCookie } from '../../http/session.ts';
import { CLOCK_PUT_BACK, DAY, unixNow } from '../../model/time.ts';
import type { Attempt } from './attempts.ts';
import type { Credentials } from './credentials.ts';
import type { Lane } from './password.ts';

/** `colloquy_browser_7=<number>.<made>.<signature>` for account 7. */
const COOKIE = 'colloquy_browser_';
/** Seconds that a cookie is valid after the last sign-in. */
export const BROWSER_AGE = 365 * DAY;
/** Most cookies of a request that are checked, so that a long header costs no more. */
const MAX_COOKIES = 8;

const VALUE = /^([\w-]{22})\.(\d{1,12})\.([\w-]{43})$/;

export class KnownBrowsers {
  readonly #keys: Pick<Credentials, 'signingKey' | 'makeSigningKey'>;
  readonly #visitors: Visitors;

  constructor(keys: Pick<Credentials, 'signingKey' | 'makeSigningKey'>, visitors: Visitors) {
    this.#keys = keys;
    this.#visitors = visitors;
  }

  /** The valid cookies of a request, one for each account; empty for strangers. `number`: has a limit of its own. */
  of(request: FastifyRequest) {
    const prefix = hostCookieName(COOKIE, this.#visitors.of(request).isTls);
    const cookies = cookiesOf(request).filter(([name]) => name.startsWith(prefix));
    const key = cookies.length === 0 ? null : this.#keys.signingKey();
    if (key === null) return [];
    return cookies.slice(0, MAX_COOKIES).flatMap(([name, value]) => {
      const rest = name.slice(prefix.length);
      const [, number = '', made = '', signature = ''] = VALUE.exec(value) ?? [];
      const isSigned = isSame(signature, signatureOf(key, rest, number, made));
      const age = unixNow() - Number(made);
      const isYoung = age < BROWSER_AGE && age >= -CLOCK_PUT_BACK;
      return isSigned && isYoung ? [{ accountId: Number(rest), number }] : [];
    });
  }

  /** Sets the cookie; a known browser keeps its number. */
  remember(request: FastifyRequest, reply: FastifyReply, accountId: number): void {
    const known = this.of(request).find((browser) => browser.accountId === accountId);
    const number = known?.number ?? randomBytes(16).toString('base64url');
    const made = String(unixNow());
    const signature = signatureOf(this.#keys.makeSigningKey(), String(accountId), number, made);
    this.#set(request, reply, accountId, `${number}.${made}.${signature}`, BROWSER_AGE);
  }

  forget(request: FastifyRequest, reply: FastifyReply, accountId: number): void {
    this.#set(request, reply, accountId, '', 0);
  }

  #set(request: FastifyRequest, reply: FastifyReply, accountId: number, value: string, maxAge: number): void {
    const { isTls } = this.#visitors.of(request);
    setCookie(reply, { name: `${COOKIE}${accountId}`, value, maxAge }, isTls);
  }
}

/** None of the parts contains a space. */
function signatureOf(key: Uint8Array, accountId: string, number: string, made: string): string {
  return createHmac('sha256', key)
    .update(`colloquy browser ${accountId} ${number} ${made}`)
    .digest('base64url');
}

/** Password hashes of one account with precedence, in TURNS_WINDOW_MS. */
export const MAX_KNOWN_TURNS = 20;
export const TURNS_WINDOW_MS = 15 * 60_000;

/** Grants precedence over strangers, limited for each account, so that no account can fill the queue. */
export class KnownTurns extends WindowLimit {
  constructor() {
    super(MAX_KNOWN_TURNS, TURNS_WINDOW_MS);
  }

  laneOf(accountId: number): Lane {
    return this.take(String(accountId)) === 0 ? 'known' : 'strangers';
  }
}

/** Wrong passwords for one account, from all networks together, before waits begin. */
export const MAX_FAILED_OF_ACCOUNT = 30;
/** Doubles with each further failure, up to MAX_ACCOUNT_WAIT_MS. */
export const FIRST_ACCOUNT_WAIT_MS = 1_000;
export const MAX_ACCOUNT_WAIT_MS = 15 * 60_000;
/** Failures are forgotten this long after the last one. */
export const ACCOUNT_WINDOW_MS = 24 * 60 * 60_000;

/** A fixed table: a flood of names evicts nobody. A keyed hash assigns places, so that nobody can choose one. */
const PLACES = 65_536;

/**
 * Slows down guessing the password of one account from many networks. Applies to unknown browsers, and to every email
 * address, with or without an account. Contract 16.2.
 */
export class AccountBrake {
  readonly #key = randomBytes(32).toString('base64url');
  readonly #failures = new Uint32Array(PLACES);
  readonly #lastAt = new Float64Array(PLACES);
  /** No attempt is let through before this time. */
  readonly #until = new Float64Array(PLACES);

  /**
   * Makes the attempt unless the account has to wait. An attempt counts as failed from its start, so that parallel ones
   * gain nothing. If it was right or throws, only its own failure is taken back.
   */
  async run<T>(email: string, attempt: () => Promise<Attempt<T>>): Promise<Attempt<T>> {
    const place = this.#placeOf(email);
    const now = performance.now();
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
        return { kind: 'wrong', waitMs: Math.max(outcome.waitMs, until - performance.now()) };
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

function waitAfter(failures: number): number {
  if (failures < MAX_FAILED_OF_ACCOUNT) return 0;
  return Math.min(FIRST_ACCOUNT_WAIT_MS * 2 ** (failures - MAX_FAILED_OF_ACCOUNT), MAX_ACCOUNT_WAIT_MS);
}
