// Who sends a request, and at which address they reach this server: read once for each request, believing
// trusted proxies. Rate limits, cookies, the check of `Origin` and every address in an answer follow from
// this.

import type { IncomingMessage } from 'node:http';
import { BlockList, isIP } from 'node:net';
import type { FastifyRequest } from 'fastify';
import { log as defaultLog, type Logger } from '../log.ts';
import { isLoopback } from './limits/request-limits.ts';
import { HOST } from './request-checks.ts';
import { addressGroup, plainAddress } from './requests/networks.ts';

export interface Visitor {
  /** The last address on the way here that is not a trusted proxy. */
  readonly address: string;
  /** What shares one limit: the address, of IPv6 its /64. */
  readonly network: string;
  /** The address at which the visitor reaches this server, with its scheme and without a final slash. */
  readonly ownAddress: string;
  /** Whether the visitor's connection is encrypted, according to the setting or a trusted proxy. */
  readonly isTls: boolean;
}

export interface VisitorSettings {
  /** `COLLOQUY_PUBLIC_URL`; null: the host that the request names. */
  readonly publicUrl: string | null;
  /** Addresses and networks (`10.0.0.0/8`, `::1`) of proxies whose `X-Forwarded-…` headers are believed. */
  readonly trustedProxies: readonly string[];
  /**
   * The server listens at a unix socket: whoever may open its file is believed like a trusted proxy. Absent:
   * at a port.
   */
  readonly isAtSocket?: boolean;
}

/** The address of a caller at a unix socket for whom no proxy names another. */
const AT_SOCKET = 'unix';

export class Visitors {
  readonly #publicUrl: string | null;
  readonly #proxies: BlockList;
  readonly #isAtSocket: boolean;
  readonly #log: Logger;
  readonly #known = new WeakMap<IncomingMessage, Visitor>();
  /** From where requests came by proxies that are not trusted. */
  readonly #told = new Set<string>();
  /** A proxy speaks TLS for this server, and the settings do not say which. */
  readonly #isProxyUnnamed: boolean;

  constructor(settings: VisitorSettings, log: Logger = defaultLog) {
    const { publicUrl, trustedProxies, isAtSocket = false } = settings;
    this.#publicUrl = publicUrl;
    this.#proxies = networkList(trustedProxies);
    this.#isAtSocket = isAtSocket;
    this.#isProxyUnnamed = this.isPublicTls && !isAtSocket && trustedProxies.length === 0;
    this.#log = log;
  }

  /** Whether requests of this machine may be those of strangers: a proxy that is not trusted brings them. */
  get hasStrangeProxy(): boolean {
    return this.#isProxyUnnamed || this.#told.has(sortOf('127.0.0.1'));
  }

  /**
   * For the framework's `trustProxy`, which reads the headers of trusted proxies. Undefined: a peer at a unix
   * socket, or a caller at a port who hung up.
   */
  trusts(address: string | undefined): boolean {
    if (address === undefined) return this.#isAtSocket;
    const bare = plainAddress(address);
    const family = isIP(bare);
    return family !== 0 && this.#proxies.check(bare, family === 6 ? 'ipv6' : 'ipv4');
  }

  of(request: FastifyRequest): Visitor {
    let visitor = this.#known.get(request.raw);
    if (visitor === undefined) {
      visitor = this.#read(request);
      this.#known.set(request.raw, visitor);
    }
    return visitor;
  }

  /** Of a visitor, as `of` gives it, before the framework has read the request. */
  networkOf(request: IncomingMessage): string {
    return addressGroup(this.#addressOf(request));
  }

  /** The last address from this server outwards that a trusted proxy, or the connection, tells. */
  #addressOf({ headers, socket }: IncomingMessage): string {
    const told = `${headers['x-forwarded-for'] ?? ''}`.split(',').map((part) => part.trim());
    const way = [socket.remoteAddress, ...told.filter((part) => part !== '').reverse()];
    const end = way.findIndex((step) => !this.trusts(step));
    const believed = (end === -1 ? way : way.slice(0, end + 1)).map(plainAddress);
    // A proxy that gives no address stands for whoever is behind it.
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

  /** The host that the visitor asked for; undefined if none was named. */
  hostOf(request: FastifyRequest): string | undefined {
    return HOST.test(request.host) ? request.host : request.headers.host;
  }

  /**
   * Once for each sort of peer: everybody behind a proxy that is not trusted counts as one. One on this machine that
   * adds no header may pass on the name that was asked for.
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

/** RFC 1918 and 4193, and those of one link. */
const PRIVATE = networkList(['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7', 'fe80::/10']);

/** Where an address is, in words for the log, which holds no address. */
function sortOf(address: string): string {
  if (isLoopback(address)) return 'this machine';
  const isPrivate = isIP(address) !== 0 && PRIVATE.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');
  return isPrivate ? 'a private network' : 'elsewhere';
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
