// The headers of every answer and of those under /api/, and two of our own: what came in last, and what a query
// dropped.

import { Buffer } from 'node:buffer';
import { DAY } from '../../model/time.ts';
import type { Dropped } from '../../search/language/dropped.ts';

/** RFC 6797. Without subdomains, which may belong to others: a proxy can say more. */
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

/** Nothing of what a page may ask a browser for. */
const PERMISSIONS = [
  ...['accelerometer', 'camera', 'display-capture', 'geolocation', 'gyroscope'],
  ...['magnetometer', 'microphone', 'midi', 'payment', 'usb'],
]
  .map((feature) => `${feature}=()`)
  .join(', ');

/**
 * Of every page and redirect, beside a policy. The referrer stays on this site: with `no-referrer` a browser would send
 * `Origin: null` with our own forms (https://fetch.spec.whatwg.org/#append-a-request-origin-header).
 */
export const PAGE_HEADERS = {
  'Referrer-Policy': 'same-origin',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'X-Frame-Options': 'DENY',
  'Permissions-Policy': PERMISSIONS,
} as const;

/** `address`: as the request line has it. `isTls`: people reach this server by https. */
export function commonHeaders(requestId: string, address: string, isTls: boolean): Record<string, string> {
  return {
    'X-Request-Id': requestId,
    ...SAFE_HEADERS,
    ...(isTls && { 'Strict-Transport-Security': YEAR }),
    ...(address.startsWith('/api/') ? CORS_HEADERS : {}),
  };
}

/**
 * On every answer under /api/, for scripts of other sites: a key is sent in a header of its own, never in a cookie,
 * so every origin can be allowed. Contract 7.7.
 */
const CORS_HEADERS = {
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

/** How far what came in is in an answer, in words for OpenAPI. */
export const ARRIVAL_HEADER = {
  'Colloquy-Arrival':
    'The last arrival in the view that answered, a whole number. As `since` it asks for later arrivals; of several ' +
    'pages, take that of the first.',
} as const;

/** As `LastArrival` of the engine tells it. */
export function arrivalHeader(arrival: number): Record<keyof typeof ARRIVAL_HEADER, string> {
  return { 'Colloquy-Arrival': String(arrival) };
}

/** How many texts the header lists at most, and after how many characters each is cut. */
const MAX_TOLD = 20;
const MAX_CHARACTERS = 60;

/**
 * The value of `Colloquy-Dropped`: display strings (RFC 9651, 3.3.8), which can contain any text, each as it was
 * written: `%"C++", %"caf%c3%a9#"`. null if nothing was dropped.
 */
export function droppedHeader(dropped: readonly Dropped[]): string | null {
  if (dropped.length === 0) return null;
  return dropped
    .slice(0, MAX_TOLD)
    .map(({ written }) => displayString([...written].slice(0, MAX_CHARACTERS).join('')))
    .join(', ');
}

function displayString(text: string): string {
  const bytes = [...Buffer.from(text.toWellFormed())].map((byte) => {
    const isPlain = byte >= 0x20 && byte <= 0x7e && byte !== 0x22 && byte !== 0x25;
    return isPlain ? String.fromCharCode(byte) : `%${byte.toString(16).padStart(2, '0')}`;
  });
  return `%"${bytes.join('')}"`;
}

/** Of rows for spreadsheets. */
export const CUT_CELLS_HEADER = {
  'Colloquy-Cut-Cells': 'with `csv-excel`, how many cells were cut because a sheet cannot hold more',
} as const;
