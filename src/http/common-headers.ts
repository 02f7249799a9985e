// The headers of every answer.

import { CORS_HEADERS } from './cors.ts';

/** RFC 6797. Its subdomains may belong to others: whoever wants them in adds `includeSubDomains` at the proxy. */
const TRANSPORT_SECURITY = { 'Strict-Transport-Security': 'max-age=31536000' };

/** `address`: as the request line has it. `isPublicTls`: the public address begins with https. */
export function commonHeaders(
  requestId: string,
  address: string,
  isPublicTls: boolean,
): Record<string, string> {
  return {
    'X-Request-Id': requestId,
    'X-Content-Type-Options': 'nosniff',
    'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
    'Referrer-Policy': 'no-referrer',
    ...(isPublicTls ? TRANSPORT_SECURITY : {}),
    ...(address.startsWith('/api/') ? CORS_HEADERS : {}),
  };
}
