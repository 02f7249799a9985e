// Reads the cookies of a request, and sets ours.

import type { FastifyReply, FastifyRequest } from 'fastify';

/** The value of the first cookie with this name, as sent; null if there is none. */
export function readCookie(request: FastifyRequest, name: string): string | null {
  for (const pair of (request.headers.cookie ?? '').split(';')) {
    const equals = pair.indexOf('=');
    if (equals !== -1 && pair.slice(0, equals).trim() === name) return pair.slice(equals + 1).trim();
  }
  return null;
}

/** A cookie whose name begins with a prefix. */
export interface NamedCookie {
  /** What follows the prefix. */
  readonly rest: string;
  readonly value: string;
}

/** The first `max` cookies whose names begin so, as sent. */
export function cookiesNamed(request: FastifyRequest, prefix: string, max: number): NamedCookie[] {
  const found: NamedCookie[] = [];
  for (const pair of (request.headers.cookie ?? '').split(';')) {
    const [name = '', value = ''] = pair.trim().split('=', 2);
    if (name.startsWith(prefix)) found.push({ rest: name.slice(prefix.length), value });
    if (found.length === max) break;
  }
  return found;
}

/**
 * `__Host-` keeps other hosts of the domain from setting it (RFC 6265bis, 4.1.3.2); browsers accept it only over
 * TLS.
 */
export function hostCookieName(name: string, isTls: boolean): string {
  return isTls ? `__Host-${name}` : name;
}

export interface CookieOptions {
  /** Sent only over TLS. */
  readonly secure: boolean;
  /** Seconds; 0 removes the cookie. */
  readonly maxAge: number;
}

/** Sets a cookie for the whole site, which scripts cannot read and other sites cannot send. */
export function setCookie(
  reply: FastifyReply,
  name: string,
  value: string,
  { secure, maxAge }: CookieOptions,
): void {
  const cookie = `${name}=${value}; Path=/; Max-Age=${maxAge}; HttpOnly; SameSite=Lax`;
  reply.header('Set-Cookie', secure ? `${cookie}; Secure` : cookie);
}
