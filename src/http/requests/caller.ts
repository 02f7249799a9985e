// The caller of a request: name for limits and queues, API key, address, network, and the address under which the
// caller reaches this server. Headers of trusted proxies are believed. Then the checks that come first: host, size of
// address and body, and the origin of forms.

import type { IncomingMessage } from 'node:http';
import { BlockList, isIP, SocketAddress } from 'node:net';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { KeyOwner, KeyStore } from '../../accounts/secrets.ts';
import { ServiceError } from '../../errors.ts';
import { log as defaultLog, type Logger } from '../../log.ts';
import { quoted } from '../../text/quoted.ts';

/** Milliseconds. */
const ASKED_AGAIN_EVERY = 1000;

/**
 * For long answers: closes the connection within seconds once `mayAsk` says that the key or session is no longer valid,
 * or fails.
 */
export function breakOffUnless(mayAsk: () => boolean, { raw }: FastifyReply): void {
  const timer = setInterval(() => {
    try {
      if (mayAsk()) return;
    } catch {}
    raw.destroy();
  }, ASKED_AGAIN_EVERY).unref();
  raw.once('close', () => clearInterval(timer));
}

/** Aborted when the connection closes before the answer is complete. */
export function callerSignal(reply: FastifyReply): AbortSignal {
  const controller = new AbortController();
  reply.raw.once('close', () => {
    if (reply.raw.writableEnded) return;
    const words = 'expected a caller that waits for the answer, found the connection closed';
    controller.abort(new ServiceError('malformed_request', words));
  });
  return controller.signal;
}

/**
 * The name of a caller in limits and queues. All keys and sessions of an account share a name; so do all visitors from
 * one network.
 */
export type CallerName = `account:${number}` | `network:${string}`;

export function callerName(
  caller: { readonly accountId: number } | { readonly network: string },
): CallerName {
  return 'accountId' in caller ? `account:${caller.accountId}` : `network:${caller.network}`;
}

export type KeyChecker = Pick<KeyStore, 'check' | 'isLive'>;

export const CHALLENGE = 'Bearer';

/** The challenge for a caller whose key is not valid (RFC 6750, 3.1). */
export const INVALID_TOKEN = 'Bearer error="invalid_token", error_description="the API key is not valid"';

/**
 * The owner of the key in the `Authorization` header, of which there must be one. Keys in an address are ignored.
 * Throws `missing_key` (no header, another scheme, or a scheme without a key) and `invalid_key`. Contract 7.1 and 7.2.
 */
export function authenticate(headers: readonly string[], keys: KeyChecker): KeyOwner {
  const bearers = headers.map((header) => /^bearer(?:[ \t]+(.*))?$/is.exec(header.trim())?.[1]?.trim() ?? '');
  const presented = bearers.filter((key) => key !== '');
  if (presented.length === 0) {
    throw new ServiceError(
      'missing_key',
      'expected the header `Authorization: Bearer <API key>`, found no key',
    );
  }
  const [key, ...others] = presented;
  const owner = headers.length === 1 && others.length === 0 ? keys.check(key!) : null;
  if (owner === null) {
    throw new ServiceError(
      'invalid_key',
      'header `Authorization`: expected a known API key that is not expired or revoked, found a different one',
    );
  }
  return owner;
}

/** The values of a header, which may occur several times in Node's flat list of names and values. */
export function headerValues(rawHeaders: readonly string[], name: string): string[] {
  return rawHeaders.filter((_, at) => at % 2 === 1 && rawHeaders[at - 1]!.toLowerCase() === name);
}

/**
 * Without brackets and port, which some proxies add; IPv4-mapped IPv6 addresses (`::ffff:10.0.0.1`, `::ffff:a00:1`) as
 * IPv4. Empty: no address, as for a caller who hung up.
 */
export function plainAddress(address: string | undefined): string {
  const bare = (address ?? '')
    .trim()
    .replace(/^\[([^\]]*)\](?::\d+)?$/, '$1')
    .replace(/^([\d.]+):\d+$/, '$1');
  if (isIP(bare) !== 6) return bare;
  // RFC 4291, 2.5.5.2.
  return /^::ffff:([\d.]+)$/.exec(canonical(bare))?.[1] ?? bare;
}

/** As the system writes a valid IPv6 address, without its zone: the longest run of zeros is `::` (RFC 5952). */
function canonical(address: string): string {
  return new SocketAddress({ address: address.split('%')[0]!, family: 'ipv6' }).address;
}

/** The network that shares a limit: an IPv4 address, or the /64 of an IPv6 address. */
export function addressGroup(address: string): string {
  return isIP(address) === 6 ? nameOf(groupsOf(address), 64) : address;
}

/** The /56 and the /48 around a /64; empty for IPv4. */
export function widerNetworks(network: string): readonly string[] {
  if (!network.endsWith('::/64')) return [];
  const groups = groupsOf(network.slice(0, -'/64'.length));
  return [nameOf(groups, 56), nameOf(groups, 48)];
}

/** `2001:db8:1:2::/64`: always four groups; groups beyond the prefix are 0. */
function nameOf([a, b, c, d]: readonly number[], bits: 64 | 56 | 48): string {
  const last = { 64: d!, 56: d! & 0xff00, 48: 0 }[bits];
  return `${[a!, b!, c!, last].map((group) => group.toString(16)).join(':')}::/${bits}`;
}

/** The first groups of a valid IPv6 address, four at least. */
function groupsOf(address: string): readonly number[] {
  const [before = [], after = []] = canonical(address)
    .split('::')
    .map((part) => part.split(':').filter((group) => group !== ''));
  const zeros = Array.from({ length: Math.max(0, 8 - before.length - after.length) }, () => '0');
  return [...before, ...zeros, ...after].map((group) => Number.parseInt(group, 16));
}

export interface Visitor {
  /** The nearest address that is not a trusted proxy. */
  readonly address: string;
  /** The network that shares a limit: `addressGroup`. */
  readonly network: string;
  /** The address of this server for the visitor, with its scheme and without a final slash. */
  readonly ownAddress: string;
  /** Whether the visitor uses https, according to the setting or a trusted proxy. */
  readonly isTls: boolean;
}

export interface VisitorSettings {
  /** `COLLOQUY_PUBLIC_URL`; null: the `Host` of the request. */
  readonly publicUrl: string | null;
  /** Addresses and networks (`10.0.0.0/8`, `::1`) of proxies whose `X-Forwarded-…` headers are believed. */
  readonly trustedProxies: readonly string[];
  /** The server listens at a Unix socket: peers are trusted like a trusted proxy. Absent: it listens at a port. */
  readonly isAtSocket?: boolean;
}

/** The address of a caller at a Unix socket without `X-Forwarded-For`. */
const AT_SOCKET = 'unix';

export class Visitors {
  readonly #publicUrl: string | null;
  readonly #proxies: BlockList;
  readonly #isAtSocket: boolean;
  readonly #log: Logger;
  readonly #known = new WeakMap<IncomingMessage, Visitor>();
  /** Sorts of peers that have been warned about. */
  readonly #told = new Set<string>();
  /** A proxy must terminate TLS for this server, but the settings name none. */
  readonly #isProxyUnnamed: boolean;

  constructor(settings: VisitorSettings, log: Logger = defaultLog) {
    const { publicUrl, trustedProxies, isAtSocket = false } = settings;
    this.#publicUrl = publicUrl;
    this.#proxies = networkList(trustedProxies);
    this.#isAtSocket = isAtSocket;
    this.#isProxyUnnamed = this.isPublicTls && !isAtSocket && trustedProxies.length === 0;
    this.#log = log;
  }

  /** Whether requests from this machine may come through a proxy that is not trusted. */
  get hasStrangeProxy(): boolean {
    return this.#isProxyUnnamed || this.#told.has(sortOf('127.0.0.1'));
  }

  /** Also Fastify's `trustProxy`. Undefined: a peer at a Unix socket, or a caller who hung up. */
  trusts(address: string | undefined): boolean {
    if (address === undefined) return this.#isAtSocket;
    return isIn(this.#proxies, plainAddress(address));
  }

  of(request: FastifyRequest): Visitor {
    return this.#known.getOrInsertComputed(request.raw, () => this.#read(request));
  }

  /** The same as `of(…).network`, for requests that Fastify has not read. */
  networkOf(request: IncomingMessage): string {
    return addressGroup(this.#addressOf(request));
  }

  /** The first address outwards from this server that is not a trusted proxy. */
  #addressOf({ headers, socket }: IncomingMessage): string {
    const told = `${headers['x-forwarded-for'] ?? ''}`.split(',').map((part) => part.trim());
    const way = [socket.remoteAddress, ...told.filter((part) => part !== '').reverse()];
    const end = way.findIndex((step) => !this.trusts(step));
    const believed = (end === -1 ? way : way.slice(0, end + 1)).map(plainAddress);
    // A proxy that forwards no valid address counts as the caller.
    return believed.findLast((step) => isIP(step) !== 0) ?? (this.#isAtSocket ? AT_SOCKET : believed[0]!);
  }

  get isPublicTls(): boolean {
    return this.#publicUrl?.startsWith('https:') ?? false;
  }

  #read(request: FastifyRequest): Visitor {
    const address = this.#addressOf(request.raw);
    const isForwardedTls = `${request.protocol}`.toLowerCase() === 'https';
    const named = this.hostOf(request);
    this.#tellOfStrangeProxy(request);
    const scheme = isForwardedTls ? 'https' : 'http';
    return {
      address,
      network: addressGroup(address),
      ownAddress: this.#publicUrl ?? `${scheme}://${named || 'localhost'}`,
      isTls: this.isPublicTls || isForwardedTls,
    };
  }

  /** The host that the visitor asked for; undefined: none. */
  hostOf(request: FastifyRequest): string | undefined {
    return HOST.test(request.host) ? request.host : request.headers.host;
  }

  /**
   * Warns once for each sort of peer: all callers behind an untrusted proxy share one limit. A proxy on this machine
   * that adds no header is recognised by a `Host` that is not local.
   */
  #tellOfStrangeProxy({ headers, socket }: FastifyRequest): void {
    if (this.trusts(socket.remoteAddress)) return;
    const address = plainAddress(socket.remoteAddress);
    const peer = sortOf(address);
    if (this.#told.has(peer)) return;
    const { host = '' } = headers;
    const isOther = isLoopback(address) && host !== '' && !isLoopback(host.replace(/:\d*$/, ''));
    const header =
      PROXY_HEADERS.find((name) => headers[name] !== undefined) ?? (isOther ? 'host' : undefined);
    if (header === undefined) return;
    this.#told.add(peer);
    this.#log.warn(
      { header, peer },
      'a header that is not believed: COLLOQUY_TRUSTED_PROXIES does not list this proxy. If it is yours, list its ' +
        'address. Otherwise limits count everybody behind it as one, and if it is on this machine, `/metrics` is ' +
        'closed unless it has a token (told once)',
    );
  }
}

const PROXY_HEADERS = ['x-forwarded-for', 'x-forwarded-proto', 'x-forwarded-host', 'forwarded'];

/** RFC 1918, RFC 4193, and link-local addresses. */
const PRIVATE = networkList(['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7', 'fe80::/10']);

/** Where an address is, for the log, which must not contain addresses. */
function sortOf(address: string): string {
  if (isLoopback(address)) return 'this machine';
  return isIn(PRIVATE, address) ? 'a private network' : 'elsewhere';
}

function networkList(networks: readonly string[]): BlockList {
  const list = new BlockList();
  for (const network of networks) {
    const [address = '', bits] = network.split('/');
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
    if (bits === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(bits), family);
  }
  return list;
}

function isIn(list: BlockList, address: string): boolean {
  const family = isIP(address);
  return family !== 0 && list.check(address, family === 6 ? 'ipv6' : 'ipv4');
}

/** Whether only this machine can reach the address. */
export function isLoopback(host: string): boolean {
  const bare = host.replace(/^\[|\]$/g, '');
  if (isIP(bare) === 4) return bare.startsWith('127.');
  return bare === '::1' || bare.toLowerCase() === 'localhost';
}

/** RFC 9110, 7.2: name, address, or address in brackets, with or without a port; may be empty. */
export const HOST = /^(?:[\w.~%!$&'()*+,;=-]*|\[[\da-f:.]+\])(?::\d*)?$/i;

/**
 * Bytes of path and query string. A query of 4,096 characters takes at most 49,152 bytes in percent-encoding (4 bytes
 * of UTF-8 each, 3 characters a byte); path and other parameters fit in the rest.
 */
export const MAX_ADDRESS_BYTES = 65_536;

/** Bytes of the address and of all headers together. */
export const MAX_HEAD_BYTES = 98_304;

/** Endpoints take no body: smaller ones are ignored, larger ones refused. */
export const MAX_BODY_BYTES = 65_536;

/** Throws `malformed_request` (RFC 9112, 3.2: exactly one valid `Host`; 6.1: a known coding) and `uri_too_long`. */
export function checkHead(request: IncomingMessage): void {
  const hosts = headerValues(request.rawHeaders, 'host');
  const isOld = request.httpVersion === '1.0';
  if (hosts.length !== 1 && !(isOld && hosts.length === 0)) {
    throw malformed(`header \`Host\`: expected it once, found it ${hosts.length} times`);
  }
  const { host } = request.headers;
  if (host !== undefined && !HOST.test(host)) {
    throw malformed('header `Host`: expected a host, with or without a port, found something else');
  }
  const coding = request.headers['transfer-encoding'];
  if (coding !== undefined && coding.toLowerCase() !== 'chunked') {
    throw malformed('header `Transfer-Encoding`: expected `chunked`, found another coding');
  }
  const length = request.url?.length ?? 0;
  if (length > MAX_ADDRESS_BYTES) {
    throw new ServiceError(
      'uri_too_long',
      `address: expected at most ${MAX_ADDRESS_BYTES} bytes, found ${length}`,
    );
  }
}

/** Whether to close the connection in place of reading the body: it is long, or its length is unknown. */
export function hasLongBody(request: IncomingMessage): boolean {
  return request.headers['transfer-encoding'] !== undefined || announcedBytes(request) > MAX_BODY_BYTES;
}

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
    throw malformed('body: expected its end, found a closed connection', cause);
  }
}

function malformed(words: string, cause?: unknown): ServiceError {
  return new ServiceError('malformed_request', words, { cause });
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

/** The host names of this server. Refusing others prevents DNS rebinding. */
export class AllowedHosts {
  /** null: any. */
  readonly #names: ReadonlySet<string> | null;

  constructor({ publicUrl, allowedHosts = [] }: HostSettings) {
    const own = publicUrl === null ? [] : [hostName(new URL(publicUrl).host)];
    const names = [...own, ...allowedHosts];
    this.#names = names.length === 0 || names.includes('*') ? null : new Set(names);
  }

  /**
   * Throws `misdirected_request`. Always allows addresses and `localhost`, which need no name server, and requests
   * without a host, which no browser sends.
   */
  check(host: string | undefined): void {
    if (this.#names === null || host === undefined || host === '') return;
    const name = hostName(host);
    if (this.#names.has(name) || name === 'localhost' || isIP(name.replace(/^\[(.*)\]$/, '$1')) !== 0) return;
    throw new ServiceError(
      'misdirected_request',
      `header \`Host\`: expected a name that this server answers to, found ${quoted(name)}; ` +
        'its operator lists them in `COLLOQUY_ALLOWED_HOSTS`',
    );
  }
}

/** Without the port and a final dot, in lower case. */
function hostName(host: string): string {
  return host.replace(/:\d*$/, '').replace(/\.$/, '').toLowerCase();
}

/**
 * Whether a request comes from a page of this server. Browsers send `Origin` with each POST; requests without it come
 * from other programs and are allowed. `ownAddress`: of the Visitor. Contract 8.6.
 */
export function isFromOurPage(request: FastifyRequest, ownAddress: string): boolean {
  const { origin, 'sec-fetch-site': site } = request.headers;
  if (typeof site === 'string' && site !== 'same-origin' && site !== 'none') return false;
  if (origin === undefined) return true;
  if (!URL.canParse(origin) || !URL.canParse(ownAddress)) return false;
  return new URL(origin).origin === new URL(ownAddress).origin;
}

/** Throws `forbidden` if the request comes from a page of another site. */
export function checkOrigin(request: FastifyRequest, ownAddress: string): void {
  if (isFromOurPage(request, ownAddress)) return;
  throw new ServiceError(
    'forbidden',
    'expected a form from this site, found one from another; if this server is behind a proxy, its operator ' +
      'has to set `COLLOQUY_PUBLIC_URL`',
  );
}

/** The text if it is a path of this site (`/search?query=a`), else `/`. Prevents open redirects. */
export function ownPath(text: string | null | undefined): string {
  if (text === null || text === undefined || !/^\/(?![/\\])[\x21-\x5b\x5d-\x7e]*$/.test(text)) return '/';
  const here = 'http://here.invalid';
  return URL.canParse(text, here) && new URL(text, here).origin === here ? text : '/';
}
