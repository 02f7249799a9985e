// Whether a request comes from one of our pages, and whether an address leads to one.

import type { FastifyRequest } from 'fastify';
import { ServiceError } from '../errors.ts';

/**
 * Whether a request that changes something may come from the origin it names: browsers send `Origin` with
 * each POST, other programs need not. `ownAddress` is that of visitor.ts. Contract 8.6.
 */
export function isFromOurPage(request: FastifyRequest, ownAddress: string): boolean {
  const { origin, 'sec-fetch-site': site } = request.headers;
  if (typeof site === 'string' && site !== 'same-origin' && site !== 'none') return false;
  if (origin === undefined) return true;
  if (!URL.canParse(origin) || !URL.canParse(ownAddress)) return false;
  return new URL(origin).origin === new URL(ownAddress).origin;
}

/** Throws `forbidden` if the request says that it comes from somebody else's page. */
export function checkOrigin(request: FastifyRequest, ownAddress: string): void {
  if (isFromOurPage(request, ownAddress)) return;
  throw new ServiceError(
    'forbidden',
    'expected a form from this site, found one from another; if this server is behind a proxy, its operator ' +
      'has to set `COLLOQUY_PUBLIC_URL`',
  );
}

/** The text if it is a path of this site (`/search?query=a`), otherwise `/`: nobody is sent elsewhere. */
export function ownPath(text: string | null | undefined): string {
  if (text === null || text === undefined || !/^\/(?![/\\])[\x21-\x5b\x5d-\x7e]*$/.test(text)) return '/';
  const here = 'http://here.invalid';
  return URL.canParse(text, here) && new URL(text, here).origin === here ? text : '/';
}
