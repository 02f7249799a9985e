// Checks before anything else about a request is read: one host that is ours, an address and a body within the
// limits, and for forms the origin.

import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import type { FastifyRequest } from 'fastify';
import { ServiceError } from '../errors.ts';
import { quoted } from '../text/quoted.ts';
import { HOST, headerValues } from './requests/caller.ts';

/**
 * Bytes of an address (path and query string). A canonical query of 4,096 characters is at most 49,152 bytes in
 * percent-encoding (4 bytes of UTF-8 each, 3 characters a byte); the path and the other parameters fit in the rest.
 */
export const MAX_ADDRESS_BYTES = 65_536;

/** Bytes of the address and of the names and values of all headers together. */
export const MAX_HEAD_BYTES = 98_304;

/** No endpoint takes a body: a small one is ignored, a larger one refused. */
export const MAX_BODY_BYTES = 65_536;

/** Throws `malformed_request` (RFC 9112, 3.2: exactly one valid `Host`; 6.1: a known coding) and `uri_too_long`. */
export function checkHead(request: IncomingMessage): void {
  const hosts = headerValues(request.rawHeaders, 'host');
  const isOld = request.httpVersion === '1.0';
  if (hosts.length !== 1 && !(isOld && hosts.length === 0)) {
    throw new ServiceError(
      'malformed_request',
      `header \`Host\`: expected it once, found it ${hosts.length} times`,
    );
  }
  const { host } = request.headers;
  if (host !== undefined && !HOST.test(host)) {
    throw new ServiceError(
      'malformed_request',
      'header `Host`: expected a host, with or without a port, found something else',
    );
  }
  const coding = request.headers['transfer-encoding'];
  if (coding !== undefined && coding.toLowerCase() !== 'chunked') {
    throw new ServiceError(
      'malformed_request',
      'header `Transfer-Encoding`: expected `chunked`, found another coding',
    );
  }
  const length = request.url?.length ?? 0;
  if (length > MAX_ADDRESS_BYTES) {
    throw new ServiceError(
      'uri_too_long',
      `address: expected at most ${MAX_ADDRESS_BYTES} bytes, found ${length}`,
    );
  }
}

/**
 * True if the body is so long, or its length so uncertain, that closing the connection is better than reading
 * it to the end.
 */
export function hasLongBody(request: IncomingMessage): boolean {
  return request.headers['transfer-encoding'] !== undefined || announcedBytes(request) > MAX_BODY_BYTES;
}

/** False where there is nothing to pass over. */
export function hasBody({ headers }: IncomingMessage): boolean {
  return headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;
}

/** Reads a body and ignores it. Throws `body_too_large`, at once if the length is announced. */
export async function passOverBody(request: IncomingMessage): Promise<void> {
  if (announcedBytes(request) > MAX_BODY_BYTES) throw tooLarge(`${announcedBytes(request)}`);
  if (request.headers['transfer-encoding'] === undefined) return;
  if (await isLongerThan(request, MAX_BODY_BYTES)) throw tooLarge('more');
}

async function isLongerThan(request: IncomingMessage, limit: number): Promise<boolean> {
  let bytes = 0;
  try {
    for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes > limit) return true;
    }
    return false;
  } catch (cause) {
    throw new ServiceError('malformed_request', 'body: expected its end, found a closed connection', {
      cause,
    });
  }
}

function announcedBytes(request: IncomingMessage): number {
  return Number(request.headers['content-length'] ?? 0);
}

function tooLarge(found: string): ServiceError {
  return new ServiceError(
    'body_too_large',
    `body: expected none, or at most ${MAX_BODY_BYTES} bytes, found ${found}`,
  );
}

export interface HostSettings {
  /** `COLLOQUY_PUBLIC_URL`; null: none. */
  readonly publicUrl: string | null;
  /** `COLLOQUY_ALLOWED_HOSTS`: names without a port, in lower case; `*`: any. Absent or empty: none. */
  readonly allowedHosts?: readonly string[];
}

/**
 * Which names this server answers to. A page of somebody else's whose name was made to lead here (DNS rebinding)
 * would otherwise be let in by the browser as if it were ours.
 */
export class AllowedHosts {
  /** null: any. */
  readonly #names: ReadonlySet<string> | null;

  constructor({ publicUrl, allowedHosts = [] }: HostSettings) {
    const own = publicUrl === null ? [] : [nameOf(new URL(publicUrl).host)];
    const names = [...own, ...allowedHosts];
    this.#names = names.length === 0 || names.includes('*') ? null : new Set(names);
  }

  /**
   * Throws `misdirected_request`. Addresses and `localhost` are always allowed, since no name server decides where
   * they lead; so is a request that names no host, which no browser sends.
   */
  check(host: string | undefined): void {
    if (this.#names === null || host === undefined || host === '') return;
    const name = nameOf(host);
    if (this.#names.has(name) || name === 'localhost' || isIP(name.replace(/^\[(.*)\]$/, '$1')) !== 0) return;
    throw new ServiceError(
      'misdirected_request',
      `header \`Host\`: expected a name that this server answers to, found ${quoted(name)}; ` +
        'its operator lists them in `COLLOQUY_ALLOWED_HOSTS`',
    );
  }
}

/** Without the port and a final dot, in lower case. */
function nameOf(host: string): string {
  return host.replace(/:\d*$/, '').replace(/\.$/, '').toLowerCase();
}

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
