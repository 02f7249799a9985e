// The headers of every answer.

import { CORS_HEADERS } from './cors.ts';

/** `address`: as the request line has it. */
export function commonHeaders(requestId: string, address: string): Record<string, string> {
  return {
    'X-Request-Id': requestId,
    'X-Content-Type-Options': 'nosniff',
    'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
    'Referrer-Policy': 'no-referrer',
    ...(address.startsWith('/api/') ? CORS_HEADERS : {}),
  };
}
