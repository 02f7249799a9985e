// Connections of the server: a limit for each network, idle connections, and a graceful stop (contract 13.3 and 13.5).
//
// On Linux, several sockets listen at the same port. In each turn the event loop accepts one connection from each
// listening socket (libuv since 1.45, pull request 3696). A busy loop makes at most a thousand turns a second: with one
// socket, some connections of a burst got no answer in five seconds.

import { once } from 'node:events';
import type { Server as HttpServer, ServerResponse } from 'node:http';
import { type AddressInfo, createServer, Server, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { ServiceError } from '../errors.ts';
import { refuseConnection } from './framework.ts';
import { addressGroup, isLoopback, plainAddress, type Visitors } from './requests/caller.ts';

/** Seconds after which a caller with too many connections may open another. */
const RETRY_AFTER = 10;

/** Since the server started, but for `open`, which is now. */
export type ConnectionFigures = ReturnType<Connections['figures']>;

interface Counts {
  open: number;
  /** Being answered with 429. These take sockets too, so they have the same limit. */
  refused: number;
}

interface Watched {
  readonly underWay: Set<ServerResponse>;
  /** Bytes read when the last answer was sent; if the socket has read more, a request has begun. */
  bytesRead: number;
  /** When the last answer was sent, by performance.now; null: never. */
  answeredAt: number | null;
  /** Longest time between an answer and the next request, in milliseconds; 0: only one request so far. */
  longestPauseMs: number;
}

/** Never limits this machine or trusted proxies. A browser opens six, and a few people may share an address. */
export const CONNECTIONS_PER_ADDRESS = 20;

export class Connections {
  readonly #visitors: Visitors;
  readonly #open = new Map<Socket, Watched>();
  readonly #counts = new Map<string, Counts>();
  #accepted = 0;
  #refused = 0;

  constructor(visitors: Visitors) {
    this.#visitors = visitors;
  }

  watch(server: HttpServer): void {
    server.on('connection', (socket: Socket) => this.#add(socket));
    server.prependListener('request', ({ socket }, response) => {
      const watched = this.#open.get(socket);
      if (watched === undefined) return;
      const { answeredAt, longestPauseMs } = watched;
      if (answeredAt !== null) {
        watched.longestPauseMs = Math.max(longestPauseMs, performance.now() - answeredAt);
      }
      watched.underWay.add(response);
      response.once('close', () => {
        watched.underWay.delete(response);
        watched.bytesRead = socket.bytesRead;
        watched.answeredAt = performance.now();
      });
    });
  }

  figures() {
    return { open: this.#open.size, accepted: this.#accepted, refused: this.#refused };
  }

  /** Connections without an unfinished answer or a begun request. */
  idle() {
    const isIdle = ([socket, { underWay, bytesRead }]: [Socket, Watched]) =>
      underWay.size === 0 && socket.bytesRead === bytesRead;
    return [...this.#open].filter(isIdle).map(([socket, { longestPauseMs }]) => ({ socket, longestPauseMs }));
  }

  /** Adds `Connection: close` to answers whose headers are not sent yet. */
  closeBehindAnswers(): void {
    for (const { underWay } of this.#open.values()) {
      for (const answer of underWay) if (!answer.headersSent) answer.setHeader('Connection', 'close');
    }
  }

  #add(socket: Socket): void {
    this.#accepted++;
    this.#open.set(socket, { underWay: new Set(), bytesRead: 0, answeredAt: null, longestPauseMs: 0 });
    socket.once('close', () => this.#open.delete(socket));
    const network = this.#countedNetwork(socket);
    if (network === null) return;
    const counts = this.#counts.get(network) ?? { open: 0, refused: 0 };
    const isAllowed = counts.open < CONNECTIONS_PER_ADDRESS;
    if (!isAllowed) this.#refused++;
    if (!isAllowed && counts.refused >= CONNECTIONS_PER_ADDRESS) {
      socket.destroy();
      return;
    }
    const place = isAllowed ? 'open' : 'refused';
    counts[place]++;
    this.#counts.set(network, counts);
    socket.once('close', () => {
      counts[place]--;
      if (counts.open + counts.refused === 0) this.#counts.delete(network);
    });
    if (isAllowed) return;
    const message = `expected at most ${CONNECTIONS_PER_ADDRESS} connections from one network, found one more`;
    const error = new ServiceError('too_many_requests', message, { retryAfter: RETRY_AFTER });
    refuseConnection(socket, error);
  }

  /** null: not limited. */
  #countedNetwork({ remoteAddress }: Socket): string | null {
    const address = plainAddress(remoteAddress);
    // A Unix socket has no address.
    if (address === '' || isLoopback(address) || this.#visitors.trusts(address)) return null;
    return addressGroup(address);
  }
}

/** Longest stop, in milliseconds: answers that are unfinished then are cut. */
export const STOP_TIMEOUT_MS = 10_000;
const SWEEP_MS = 25;
/**
 * Idle sweeps before a connection is closed. A request that arrives meanwhile is answered with `Connection: close`.
 * Counted in sweeps, so that a process that was suspended reads what has arrived before it closes anything.
 */
const IDLE_SWEEPS = 20;
/** A busy caller gets twice its longest pause, at most this many sweeps: its next request is probably on the way. */
const MOST_IDLE_SWEEPS = 80;

/**
 * Stops listening and resolves when every connection is closed. A connection with an unfinished answer closes after
 * that answer, an idle one after some sweeps, and the rest after STOP_TIMEOUT_MS. The framework must answer later
 * requests with `Connection: close`.
 */
export async function drain(server: HttpServer, connections: Connections): Promise<void> {
  if (!server.listening) return;
  connections.closeBehindAnswers();
  const listening = [server, ...acceptorsOf(server)];
  let open = listening.length;
  // @NOTE http.Server.close() would close idle connections at once and lose requests that are on their way.
  for (const one of listening) Server.prototype.close.call(one, () => open--);
  const start = performance.now();
  let idle = new Map<Socket, number>();
  while (open > 0) {
    await sleep(SWEEP_MS);
    if (performance.now() - start >= STOP_TIMEOUT_MS) server.closeAllConnections();
    const before = idle;
    idle = new Map();
    for (const { socket, longestPauseMs } of connections.idle()) {
      const sweeps = (before.get(socket) ?? 0) + 1;
      if (sweeps >= patience(longestPauseMs)) socket.destroy();
      else idle.set(socket, sweeps);
    }
  }
}

/** In sweeps. */
function patience(longestPauseMs: number): number {
  const wanted = Math.ceil((2 * longestPauseMs) / SWEEP_MS);
  return Math.min(MOST_IDLE_SWEEPS, Math.max(IDLE_SWEEPS, wanted));
}

/** Listening sockets besides the server's own. */
const ACCEPTORS = 15;
const CAN_SHARE = process.platform === 'linux';

const acceptors = new WeakMap<HttpServer, Server[]>();

/**
 * Options for `listen` that let `addAcceptors` share the port. Rejects as `listen` does if the port is taken: with
 * `reusePort`, another server of the same user would go unnoticed. Two servers that start at the same moment can still
 * miss each other.
 */
export async function shared<At extends { readonly host: string; readonly port: number }>(
  at: At,
): Promise<At & { readonly reusePort: boolean }> {
  if (CAN_SHARE && at.port !== 0) {
    const looking = createServer();
    looking.listen({ host: at.host, port: at.port });
    await once(looking, 'listening');
    looking.close();
    await once(looking, 'close');
  }
  return { ...at, reusePort: CAN_SHARE };
}

/** Opens more sockets at the `shared` port of `server`, which gets all their connections. */
export async function addAcceptors(server: HttpServer): Promise<void> {
  if (!CAN_SHARE) return;
  const { address, port } = server.address() as AddressInfo;
  const all: Server[] = [];
  acceptors.set(server, all);
  for (let i = 0; i < ACCEPTORS; i++) {
    // The options of node:http servers.
    const acceptor = createServer({ allowHalfOpen: true, noDelay: true });
    acceptor.on('connection', (socket: Socket) => server.emit('connection', socket));
    all.push(acceptor);
    acceptor.listen({ host: address, port, reusePort: true });
    await once(acceptor, 'listening');
  }
}

export function acceptorsOf(server: HttpServer): readonly Server[] {
  return acceptors.get(server) ?? [];
}
