// Half sessions: the state between the right password and the code of the second factor. They live in memory for a few
// minutes and are bound to the browser by a cookie. Also the secrets of second factors that are not turned on yet.
// Contract 19.1 and 19.2.

import type { FastifyReply, FastifyRequest } from 'fastify';
import { hashSecret, newToken } from '../../accounts/secrets.ts';
import type { Visitors } from '../../http/requests/caller.ts';
import type { Clock } from '../../http/requests/limits.ts';
import { readCookie, setCookie } from '../../http/session.ts';
import { newTotpSecret } from './second-factors.ts';

export const HALF_SESSION_AGE = 5 * 60;
export const MAX_WRONG_CODES = 5;
/** Of one account, and of all; the oldest is evicted. */
const MAX_OF_ACCOUNT = 20;
const MAX_HALVES = 10_000;

const COOKIE = 'colloquy_half';

export interface HalfEntry {
  readonly accountId: number;
  /** Detects a change of password (`Credentials.passwordMark`). */
  readonly passwordMark: string | null;
  /** A path of this site. */
  readonly returnTo: string;
}

interface Half extends HalfEntry {
  wrong: number;
  readonly until: number;
}

export class HalfSessions {
  readonly #visitors: Visitors;
  readonly #now: Clock;
  /** By the hash of the cookie, the oldest first. */
  readonly #halves = new Map<string, Half>();

  constructor(visitors: Visitors, now: Clock) {
    this.#visitors = visitors;
    this.#now = now;
  }

  start(request: FastifyRequest, reply: FastifyReply, entry: HalfEntry): void {
    this.#halves.delete(this.#nameOf(request));
    this.#makeRoom(entry.accountId);
    const token = newToken();
    this.#halves.set(nameOf(token), { ...entry, wrong: 0, until: this.#now() + HALF_SESSION_AGE * 1000 });
    const cookie = { name: COOKIE, value: token, maxAge: HALF_SESSION_AGE };
    setCookie(reply, cookie, this.#visitors.of(request).isTls);
  }

  /** null: none, or expired. */
  of(request: FastifyRequest): HalfEntry | null {
    const half = this.#halves.get(this.#nameOf(request));
    return half === undefined || this.#now() >= half.until ? null : half;
  }

  /** Counts a wrong code. False: the half session has ended. */
  noteWrong(request: FastifyRequest): boolean {
    const name = this.#nameOf(request);
    const half = this.#halves.get(name);
    if (half !== undefined && ++half.wrong < MAX_WRONG_CODES) return true;
    this.#halves.delete(name);
    return false;
  }

  end(request: FastifyRequest, reply: FastifyReply): void {
    const name = this.#nameOf(request);
    if (name === '') return;
    this.#halves.delete(name);
    setCookie(reply, { name: COOKIE, value: '', maxAge: 0 }, this.#visitors.of(request).isTls);
  }

  #makeRoom(accountId: number): void {
    const ofAccount: string[] = [];
    for (const [name, half] of this.#halves) {
      if (this.#now() >= half.until) this.#halves.delete(name);
      else if (half.accountId === accountId) ofAccount.push(name);
    }
    const [oldest] = ofAccount.length >= MAX_OF_ACCOUNT ? ofAccount : this.#halves.keys();
    if (ofAccount.length >= MAX_OF_ACCOUNT || this.#halves.size >= MAX_HALVES) this.#halves.delete(oldest!);
  }

  /** Empty: the browser has no such cookie. */
  #nameOf(request: FastifyRequest): string {
    const token = readCookie(request, COOKIE, this.#visitors.of(request).isTls);
    return token === null || token === '' ? '' : nameOf(token);
  }
}

function nameOf(token: string): string {
  return Buffer.from(hashSecret(token)).toString('base64url');
}

/** Milliseconds in which an offered secret can be turned on, and most offers in memory. */
export const OFFER_AGE_MS = 3_600_000;
const MAX_OFFERS = 10_000;

/** Secrets that sessions were shown. Kept here, since the form must not send them. */
export class OfferedSecrets {
  readonly #now: Clock;
  /** By the form token of the session, the oldest first. */
  readonly #offers = new Map<string, { readonly secret: Uint8Array; readonly until: number }>();

  constructor(now: Clock) {
    this.#now = now;
  }

  /** null: none, or expired. */
  of(session: string): Uint8Array | null {
    const offer = this.#offers.get(session);
    return offer === undefined || this.#now() >= offer.until ? null : offer.secret;
  }

  make(session: string): Uint8Array {
    const secret = newTotpSecret();
    this.end(session);
    this.#offers.set(session, { secret, until: this.#now() + OFFER_AGE_MS });
    const [oldest] = this.#offers.keys();
    if (this.#offers.size > MAX_OFFERS) this.#offers.delete(oldest!);
    return secret;
  }

  end(session: string): void {
    this.#offers.delete(session);
  }
}
