// The headers of every answer.

import { CORS_HEADERS } from './cors.ts';

/** What browsers are told to reach by https alone for a year (RFC 6797); null: they are told nothing. */
export type TransportSecurity = 'host' | 'subdomains' | null;

const YEAR = 'max-age=31536000';

/**
 * They keep what we send from being taken for anything else, also where it answers what cannot be read as a request.
 * Pages replace some of them by their own.
 */
export const SAFE_HEADERS = {
  'X-Content-Type-Options': 'nosniff',
  'Content-Security-Policy':
    "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'Referrer-Policy': 'no-referrer',
} as const;

/** `address`: as the request line has it. */
export function commonHeaders(
  requestId: string,
  address: string,
  transportSecurity: TransportSecurity,
): Record<string, string> {
  return {
    'X-Request-Id': requestId,
    ...SAFE_HEADERS,
    ...(transportSecurity !== null && {
      'Strict-Transport-Security': transportSecurity === 'host' ? YEAR : `${YEAR}; includeSubDomains`,
    }),
    ...(address.startsWith('/api/') ? CORS_HEADERS : {}),
  };
}
