// Browsers that have signed in before, told by a signed cookie for each account: wrong passwords from elsewhere never
// lock them out. After A. Dedov, "Slow Down Online Guessing Attacks with Device Cookies", OWASP
// (https://owasp.org/www-community/Slow_Down_Online_Guessing_Attacks_with_Device_Cookies).
//
// Below: how often they go before strangers in the line of passwords, and the brake for all others.

import { createHmac, hash, randomBytes } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { comparableEmail } from '../../accounts/accounts.ts';
import type { Visitors } from '../../http/requests/caller.ts';
import { type Clock, WindowLimit } from '../../http/requests/limits.ts';
import { hostCookieName, isSame, setCookie } from '../../http/session.ts';
import { CLOCK_PUT_BACK, DAY } from '../../model/time.ts';
import type { Attempt } from './attempts.ts';
import type { Lane } from './hashing.ts';

interface KnownBrowser {
  readonly accountId: number;
  /** Its own, for this account; each cookie is limited by itself. */
  readonly number: string;
}

interface SigningKeys {
  /** null: there is none yet, so nothing was signed. */
  signingKey(): Uint8Array | null;
  makeSigningKey(): Uint8Array;
}

/** `colloquy_browser_7=<number>.<made>.<signature>`: of account 7. */
const COOKIE = 'colloquy_browser_';
/** How long a browser is known after it has signed in last, in seconds. */
export const BROWSER_AGE = 365 * DAY;
/** How many cookies of a request are looked at, so that a long header costs no more. */
const MAX_COOKIES = 8;

const VALUE = /^([\w-]{22})\.(\d{1,12})\.([\w-]{43})$/;

export class KnownBrowsers {
  readonly #keys: SigningKeys;
  readonly #visitors: Visitors;
  readonly #time: () => number;

  /** `time` gives Unix seconds. */
  constructor(keys: SigningKeys, visitors: Visitors, time: () => number) {
    this.#keys = keys;
    this.#visitors = visitors;
    this.#time = time;
  }

  /** For each account that has signed in with the browser of this request; usually one, none for strangers. */
  of(request: FastifyRequest): KnownBrowser[] {
    const { isTls } = this.#visitors.of(request);
    const cookies = cookiesNamed(request, hostCookieName(COOKIE, isTls), MAX_COOKIES);
    const key = cookies.length === 0 ? null : this.#keys.signingKey();
    if (key === null) return [];
    return cookies.flatMap(({ rest, value }) => {
      const [, number = '', made = '', signature = ''] = VALUE.exec(value) ?? [];
      const isSigned = isSame(signature, signatureOf(key, rest, number, made));
      const age = this.#time() - Number(made);
      const isYoung = age < BROWSER_AGE && age >= -CLOCK_PUT_BACK;
      return isSigned && isYoung ? [{ accountId: Number(rest), number }] : [];
    });
  }

  /** Remembers the browser, which keeps its number if it was known. */
  remember(request: FastifyRequest, reply: FastifyReply, accountId: number): void {
    const known = this.of(request).find((browser) => browser.accountId === accountId);
    const number = known?.number ?? randomBytes(16).toString('base64url');
    const made = String(this.#time());
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

/** A cookie whose name begins with a prefix. */
interface NamedCookie {
  /** What follows the prefix. */
  readonly rest: string;
  readonly value: string;
}

/** The first `max` cookies whose names begin so, as sent. */
function cookiesNamed(request: FastifyRequest, prefix: string, max: number): NamedCookie[] {
  const found: NamedCookie[] = [];
  for (const pair of (request.headers.cookie ?? '').split(';')) {
    const [name = '', value = ''] = pair.trim().split('=', 2);
    if (name.startsWith(prefix)) found.push({ rest: name.slice(prefix.length), value });
    if (found.length === max) break;
  }
  return found;
}

/** None of the parts contains a space. */
function signatureOf(key: Uint8Array, accountId: string, number: string, made: string): string {
  return createHmac('sha256', key)
    .update(`colloquy browser ${accountId} ${number} ${made}`)
    .digest('base64url');
}

/** Hashes of one account that go before those of strangers, in TURNS_WINDOW_MS. */
export const MAX_KNOWN_TURNS = 20;
export const TURNS_WINDOW_MS = 15 * 60_000;

/** The right to go before strangers: limited for each account, so that nobody who has one can fill the line. */
export class KnownTurns extends WindowLimit {
  constructor(now: () => number) {
    super(MAX_KNOWN_TURNS, TURNS_WINDOW_MS, now);
  }

  laneOf(accountId: number): Lane {
    return this.take(String(accountId)) === 0 ? 'known' : 'strangers';
  }
}

/** How many wrong passwords for one account, from all networks together, before each further one makes a wait. */
export const MAX_FAILED_OF_ACCOUNT = 30;
/** Doubles with each further failure, up to MAX_ACCOUNT_WAIT_MS. */
export const FIRST_ACCOUNT_WAIT_MS = 1_000;
export const MAX_ACCOUNT_WAIT_MS = 15 * 60_000;
/** All is forgotten this long after the last failure. */
export const ACCOUNT_WINDOW_MS = 24 * 60 * 60_000;

/**
 * Every name has one of these places, so that memory and time are the same for any number of names, and no flood of
 * names makes others forgotten. Few names share a place; nobody can choose which.
 */
const PLACES = 65_536;

/**
 * A brake on guessing the password of one account from many networks. It holds for browsers that are not known, and
 * for every address alike, whether or not it has an account. Contract 16.2.
 */
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

function waitAfter(failures: number): number {
  if (failures < MAX_FAILED_OF_ACCOUNT) return 0;
  return Math.min(FIRST_ACCOUNT_WAIT_MS * 2 ** (failures - MAX_FAILED_OF_ACCOUNT), MAX_ACCOUNT_WAIT_MS);
}
