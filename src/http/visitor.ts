// Who sends a request, and at which address they reach this server: read once for each request, believing
// trusted proxies. Rate limits, cookies, the check of `Origin` and every address in an answer follow from
// this.

import type { IncomingMessage } from 'node:http';
import { BlockList, isIP } from 'node:net';
import type { FastifyRequest } from 'fastify';
import { addressGroup, plainAddress } from './networks.ts';
import { HOST } from './request-checks.ts';

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
export const AT_SOCKET = 'unix';

export class Visitors {
  readonly #publicUrl: string | null;
  readonly #proxies: BlockList;
  readonly #isAtSocket: boolean;
  readonly #known = new WeakMap<IncomingMessage, Visitor>();

  constructor({ publicUrl, trustedProxies, isAtSocket = false }: VisitorSettings) {
    this.#publicUrl = publicUrl;
    this.#proxies = networkList(trustedProxies);
    this.#isAtSocket = isAtSocket;
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

  #read(request: FastifyRequest): Visitor {
    // From this server outwards; a proxy that gives no address stands for whoever is behind it.
    const way = (request.ips ?? [request.socket.remoteAddress ?? '']).map(plainAddress);
    const address = way.findLast((step) => isIP(step) !== 0) ?? (this.#isAtSocket ? AT_SOCKET : way[0]) ?? '';
    const isForwardedTls = `${request.protocol}`.toLowerCase() === 'https';
    const named = HOST.test(request.host) ? request.host : request.headers.host;
    const scheme = isForwardedTls ? 'https' : 'http';
    return {
      address,
      network: addressGroup(address),
      ownAddress: this.#publicUrl ?? `${scheme}://${named || 'localhost'}`,
      isTls: (this.#publicUrl?.startsWith('https:') ?? false) || isForwardedTls,
    };
  }
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
