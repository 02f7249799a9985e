// Browsers that have signed in before, told by a signed cookie for each account: wrong passwords from elsewhere never
// lock them out. After A. Dedov, "Slow Down Online Guessing Attacks with Device Cookies", OWASP
// (https://owasp.org/www-community/Slow_Down_Online_Guessing_Attacks_with_Device_Cookies).

import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { CLOCK_PUT_BACK, DAY } from '../../model/time.ts';
import { cookiesNamed, hostCookieName, setCookie } from '../cookies.ts';
import type { Visitors } from '../visitor.ts';

export interface KnownBrowser {
  readonly accountId: number;
  /** Its own, for this account; each cookie is limited by itself. */
  readonly number: string;
}

/** The store of the signing key (accounts/). */
export interface SigningKeys {
  /** null: none was made yet, so nothing was signed. */
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

  /** From now on the browser is known; it keeps its number if it was already. */
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
    setCookie(reply, hostCookieName(`${COOKIE}${accountId}`, isTls), value, { secure: isTls, maxAge });
  }
}

/** None of the parts contains a space. */
function signatureOf(key: Uint8Array, accountId: string, number: string, made: string): string {
  return createHmac('sha256', key)
    .update(`colloquy browser ${accountId} ${number} ${made}`)
    .digest('base64url');
}

function isSame(presented: string, expected: string): boolean {
  const [one, other] = [Buffer.from(presented), Buffer.from(expected)];
  return one.length === other.length && timingSafeEqual(one, other);
}
