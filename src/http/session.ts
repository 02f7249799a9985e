// Sessions of the pages: the signed-in account, the CSRF token of forms, and the cookies of both. Contract 8.6.

import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { SESSION_AGE, type SessionOwner, type SessionStore } from '../accounts/secrets.ts';
import { ServiceError } from '../errors.ts';
import { DAY } from '../model/time.ts';
import type { Visitors } from './requests/caller.ts';

export interface SignedIn extends SessionOwner {
  readonly formToken: string;
}

/** `hostCookieName` adds a prefix over TLS. */
export const SESSION_COOKIE = 'colloquy_session';
/** Holds the secret behind the form token of a visitor, who has no session. */
const VISITOR_COOKIE = 'colloquy_visitor';
/** Seconds that a visitor's form stays valid. */
const VISITOR_AGE = DAY;

/** The value of both cookies: 256 bits in base64url. */
const SECRET_SHAPE = /^[\w-]{43}$/;

export class Sessions {
  readonly #keeper: SessionStore;
  readonly #visitors: Visitors;

  constructor(keeper: SessionStore, visitors: Visitors) {
    this.#keeper = keeper;
    this.#visitors = visitors;
  }

  /** null: a visitor. */
  signedIn(request: FastifyRequest): SignedIn | null {
    const token = this.#secret(request, SESSION_COOKIE);
    const owner = token === null ? null : this.#keeper.check(token);
    return owner === null ? null : { ...owner, formToken: formTokenOf(token!) };
  }

  /** Signs in with a new token, and ends the session that this browser had before. */
  start(request: FastifyRequest, reply: FastifyReply, accountId: number): void {
    const before = this.signedIn(request);
    if (before !== null) this.#keeper.end(before.sessionId, before.accountId);
    const value = this.#keeper.start(accountId, request.headers['user-agent'] ?? '');
    setCookie(reply, { name: SESSION_COOKIE, value, maxAge: SESSION_AGE }, this.#isTls(request));
  }

  /** Removes the session cookie and the browser's cache of pages. The session itself ends by `SessionStore.end`. */
  forget(request: FastifyRequest, reply: FastifyReply): void {
    reply.header('Clear-Site-Data', '"cache"');
    setCookie(reply, { name: SESSION_COOKIE, value: '', maxAge: 0 }, this.#isTls(request));
  }

  /** The form token of a visitor. Sets or renews its cookie. */
  visitorToken(request: FastifyRequest, reply: FastifyReply): string {
    const value = this.#secret(request, VISITOR_COOKIE) ?? randomBytes(32).toString('base64url');
    setCookie(reply, { name: VISITOR_COOKIE, value, maxAge: VISITOR_AGE }, this.#isTls(request));
    return formTokenOf(value);
  }

  /** Throws `forbidden` if the form does not contain this session's token. */
  checkToken({ formToken }: SignedIn, presented: string): void {
    if (!isSame(presented, formToken)) throw staleForm();
  }

  /** Throws `forbidden` if the form does not contain this visitor's token. */
  checkVisitorToken(request: FastifyRequest, presented: string): void {
    const secret = this.#secret(request, VISITOR_COOKIE);
    if (secret === null) {
      throw new ServiceError(
        'forbidden',
        'expected the cookie that came with the form, found none; allow cookies for this site and ' +
          'open the form again',
      );
    }
    if (!isSame(presented, formTokenOf(secret))) throw staleForm();
  }

  #secret(request: FastifyRequest, name: string): string | null {
    const value = readCookie(request, name, this.#isTls(request));
    return value !== null && SECRET_SHAPE.test(value) ? value : null;
  }

  #isTls(request: FastifyRequest): boolean {
    return this.#visitors.of(request).isTls;
  }
}

/** A token seen in a page is no use for signing in: the secret cannot be derived from it. */
function formTokenOf(secret: string): string {
  return createHmac('sha256', secret).update('colloquy form').digest('base64url');
}

/** Compares in a time that does not depend on where the texts differ. */
export function isSame(presented: string, expected: string): boolean {
  const [one, other] = [Buffer.from(presented), Buffer.from(expected)];
  return one.length === other.length && timingSafeEqual(one, other);
}

function staleForm(): ServiceError {
  return new ServiceError(
    'forbidden',
    'expected the token of this session in the form, found another one; go back, reload the page and ' +
      'send the form again',
  );
}

/** Names and values of the cookies of a request, as sent. */
export function cookiesOf({ headers }: FastifyRequest): (readonly [name: string, value: string])[] {
  const pairs = (headers.cookie ?? '').split(';').map((pair) => pair.split(/=(.*)/s));
  return pairs.flatMap(([name = '', value]) => (value === undefined ? [] : [[name.trim(), value.trim()]]));
}

/** Value of the first cookie that `setCookie` set under this name, as sent; null: the browser sent none. */
export function readCookie(request: FastifyRequest, name: string, isTls: boolean): string | null {
  const sentName = hostCookieName(name, isTls);
  return cookiesOf(request).find(([sent]) => sent === sentName)?.[1] ?? null;
}

/**
 * `__Host-` keeps other hosts of the domain from setting it (RFC 6265bis, 4.1.3.2); browsers accept it only over TLS.
 */
export function hostCookieName(name: string, isTls: boolean): string {
  return isTls ? `__Host-${name}` : name;
}

export interface Cookie {
  readonly name: string;
  readonly value: string;
  /** Seconds; 0 removes the cookie. */
  readonly maxAge: number;
}

/** Sets a cookie for the whole site. Scripts cannot read it, and other sites cannot send it. */
export function setCookie(reply: FastifyReply, { name, value, maxAge }: Cookie, isTls: boolean): void {
  const cookie = `${hostCookieName(name, isTls)}=${value}; Path=/; Max-Age=${maxAge}; HttpOnly; SameSite=Lax`;
  reply.header('Set-Cookie', isTls ? `${cookie}; Secure` : cookie);
}
