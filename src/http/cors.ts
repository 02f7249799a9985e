// Scripts of other sites may use the API: a key is sent in a header of its own, never in a cookie, so every
// origin can be allowed. Contract 7.7.

import { DAY } from '../model/time.ts';

/** On every answer under /api/. */
export const CORS_HEADERS = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers':
    'Accept-Ranges, Allow, Colloquy-Arrival, Colloquy-Dropped, Colloquy-Implied, Colloquy-Index, Colloquy-Matches, Colloquy-Page, ' +
    'Colloquy-Total-Count, Content-Disposition, Content-Range, ETag, Link, RateLimit, RateLimit-Policy, ' +
    'Repr-Digest, Retry-After, WWW-Authenticate, X-Request-Id',
} as const;

/** On the answer to a preflight; a browser may cache it for a day. */
export const PREFLIGHT_HEADERS = {
  'Access-Control-Allow-Methods': 'GET, HEAD, OPTIONS',
  'Access-Control-Allow-Headers': 'Authorization, If-None-Match, If-Range, Range',
  'Access-Control-Max-Age': String(DAY),
} as const;
