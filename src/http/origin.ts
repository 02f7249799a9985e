// Where people reach this server, and whether a request comes from a page of ours.

import type { FastifyRequest } from 'fastify';

/**
 * The address at which people reach the server, without a slash at its end: the setting, else the host that the
 * request names (checked by request-checks.ts).
 */
export function publicAddress(request: FastifyRequest, publicUrl: string | null): string {
  return publicUrl ?? `http://${request.headers.host || 'localhost'}`;
}

/**
 * Whether a change may come from where the request says it comes from: a browser sends `Origin` with each POST, and
 * other programs need not. Contract 8.6.
 */
export function isFromOurPage(request: FastifyRequest, publicUrl: string | null): boolean {
  const { origin, 'sec-fetch-site': site } = request.headers;
  if (typeof site === 'string' && site !== 'same-origin' && site !== 'none') return false;
  if (origin === undefined) return true;
  const own = publicAddress(request, publicUrl);
  return URL.canParse(origin) && URL.canParse(own) && new URL(origin).origin === new URL(own).origin;
}

/** The text where it is a path of this site (`/search?query=a`), else `/`: nobody is sent elsewhere. */
export function ownPath(text: string | null | undefined): string {
  if (text === null || text === undefined || !/^\/(?![/\\])[\x21-\x5b\x5d-\x7e]*$/.test(text)) return '/';
  const here = 'http://here.invalid';
  return URL.canParse(text, here) && new URL(text, here).origin === here ? text : '/';
}
