// Cookies of a request, and how ours are set.

import type { FastifyReply, FastifyRequest } from 'fastify';

/** The value of the first cookie of this name, as sent; null where there is none. */
export function readCookie(request: FastifyRequest, name: string): string | null {
  for (const pair of (request.headers.cookie ?? '').split(';')) {
    const equals = pair.indexOf('=');
    if (equals !== -1 && pair.slice(0, equals).trim() === name) return pair.slice(equals + 1).trim();
  }
  return null;
}

export interface CookieOptions {
  /** Sent over TLS alone. */
  readonly secure: boolean;
  /** Seconds; 0 takes the cookie away. */
  readonly maxAge: number;
}

/** Sets a cookie for the whole site, not readable by scripts, not sent along by other sites. */
export function setCookie(
  reply: FastifyReply,
  name: string,
  value: string,
  { secure, maxAge }: CookieOptions,
): void {
  const cookie = `${name}=${value}; Path=/; Max-Age=${maxAge}; HttpOnly; SameSite=Lax`;
  reply.header('Set-Cookie', secure ? `${cookie}; Secure` : cookie);
}
