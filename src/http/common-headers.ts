// The headers of every answer.

import { CORS_HEADERS } from './cors.ts';

/** RFC 6797. Its subdomains may belong to others: whoever wants them in adds `includeSubDomains` at the proxy. */
const TRANSPORT_SECURITY = { 'Strict-Transport-Security': 'max-age=31536000' };

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

/** `address`: as the request line has it. `isPublicTls`: the public address begins with https. */
export function commonHeaders(
  requestId: string,
  address: string,
  isPublicTls: boolean,
): Record<string, string> {
  return {
    'X-Request-Id': requestId,
    ...SAFE_HEADERS,
    ...(isPublicTls ? TRANSPORT_SECURITY : {}),
    ...(address.startsWith('/api/') ? CORS_HEADERS : {}),
  };
}
