// The connections of a server: how many each network may have, which of them are idle, and a stop that interrupts no
// answer (contract 13.3 and 13.5). More sockets that listen where it listens: each time around, the event loop accepts
// one connection of each listening socket (libuv since 1.45, pull request 3696), and a loop that is busy with requests
// goes around a thousand times a second at best: in a burst of connections, some got no answer in five seconds. On
// Linux alone, which hands new connections out among sockets that share a port.

import { once } from 'node:events';
import type { Server as HttpServer, ServerResponse } from 'node:http';
import { type AddressInfo, createServer, Server, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { ServiceError } from '../errors.ts';
import { addressGroup, isLoopback, plainAddress, type Visitors } from './requests/caller.ts';

/** Seconds after which a caller with too many connections may open another. */
const RETRY_AFTER = 10;

interface ConnectionSettings {
  /** 0: any number. Not of this machine, and not of trusted proxies. */
  readonly perNetwork: number;
  readonly visitors: Visitors;
  /** Sends the error and closes the connection. */
  readonly refuse: (socket: Socket, refusal: { readonly error: ServiceError }) => void;
}

/** Since the server started, but for `open`, which is now. */
export type ConnectionFigures = ReturnType<Connections['figures']>;

interface Counts {
  open: number;
  /** That are told that they are too many: as many as may be open, since these take sockets too. */
  refused: number;
}

interface Watched {
  /** Answers that are being made or sent. */
  readonly underWay: Set<ServerResponse>;
  /** What had been read when the last answer was sent: more is the beginning of a request. */
  bytesRead: number;
  /** When the last answer was sent; null: there was none. Milliseconds of performance.now. */
  answeredAt: number | null;
  /** The longest time between an answer and the next request, in milliseconds; 0: there was only one. */
  longestPauseMs: number;
}

/** A connection on which nothing is being answered, and nothing of a request has come. */
interface IdleConnection {
  readonly socket: Socket;
  /** The longest time that its caller has left between an answer and the next request; 0: there was only one. */
  readonly longestPauseMs: number;
}

/** Of one address: a browser opens six, and a few people may share one. */
export const CONNECTIONS_PER_ADDRESS = 20;

export class Connections {
  readonly #settings: ConnectionSettings;
  readonly #open = new Map<Socket, Watched>();
  readonly #counts = new Map<string, Counts>();
  #accepted = 0;
  #refused = 0;

  constructor(settings: ConnectionSettings) {
    this.#settings = settings;
  }

  /** From now on. */
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

  idle(): readonly IdleConnection[] {
    const isIdle = ([socket, { underWay, bytesRead }]: [Socket, Watched]) =>
      underWay.size === 0 && socket.bytesRead === bytesRead;
    return [...this.#open].filter(isIdle).map(([socket, { longestPauseMs }]) => ({ socket, longestPauseMs }));
  }

  /** Answers that have not been begun say `Connection: close`. */
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
    const { perNetwork, refuse } = this.#settings;
    const counts = this.#counts.get(network) ?? { open: 0, refused: 0 };
    const isAllowed = counts.open < perNetwork;
    if (!isAllowed) this.#refused++;
    if (!isAllowed && counts.refused >= perNetwork) {
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
    if (!isAllowed) refuse(socket, { error: tooMany(perNetwork) });
  }

  /** null: it may have any number. */
  #countedNetwork({ remoteAddress }: Socket): string | null {
    const { perNetwork, visitors } = this.#settings;
    const address = plainAddress(remoteAddress);
    // A socket of the system's files has no address.
    if (perNetwork === 0 || address === '' || isLoopback(address) || visitors.trusts(address)) return null;
    return addressGroup(address);
  }
}

function tooMany(limit: number): ServiceError {
  const message = `expected at most ${limit} connections from one network, found one more`;
  return new ServiceError('too_many_requests', message, { retryAfter: RETRY_AFTER });
}

/** How long answers may take to finish, in milliseconds. */
export const STOP_TIMEOUT_MS = 10_000;
const SWEEP_MS = 25;
/**
 * Idle sweeps after which a connection is closed. Until then its caller may send a request that crossed our decision;
 * its answer says `Connection: close`. Sweeps, not seconds, so that a suspended process first reads what has arrived.
 */
const IDLE_SWEEPS = 20;
/**
 * Most idle sweeps: a busy caller gets twice its longest pause, since its next request could meet a closing connection.
 */
const MOST_IDLE_SWEEPS = 80;

/**
 * Stops listening, and resolves when every connection is closed: those with a request under way after its answer, all
 * others after some time without a request, any that remain after STOP_TIMEOUT_MS. The server must send
 * `Connection: close` in answers to requests that come from now on.
 */
export async function drain(server: HttpServer, connections: Connections): Promise<void> {
  if (!server.listening) return;
  // The framework says so in answers to requests that come from now on.
  connections.closeBehindAnswers();
  const listening = [server, ...acceptorsOf(server)];
  let open = listening.length;
  // @NOTE http.Server's own close() would end idle connections at once, and a request on its way with them.
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

/** Beside the server's own. */
const ACCEPTORS = 15;
const CAN_SHARE = process.platform === 'linux';

const acceptors = new WeakMap<HttpServer, Server[]>();

/**
 * What to listen at in place of this, so that `addAcceptors` can listen there too. Rejects as `listen` does where
 * somebody else listens there: sockets that share a port would not notice other servers of the same user. Two servers
 * that look at the same moment see nothing of each other.
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

/** Connections come to `server`, which listens at a `shared` port, whichever socket took them. */
export async function addAcceptors(server: HttpServer): Promise<void> {
  if (!CAN_SHARE) return;
  const { address, port } = server.address() as AddressInfo;
  const all: Server[] = [];
  acceptors.set(server, all);
  for (let i = 0; i < ACCEPTORS; i++) {
    // As servers of HTTP have it.
    const acceptor = createServer({ allowHalfOpen: true, noDelay: true });
    acceptor.on('connection', (socket: Socket) => server.emit('connection', socket));
    all.push(acceptor);
    acceptor.listen({ host: address, port, reusePort: true });
    await once(acceptor, 'listening');
  }
}

/** The sockets that listen beside this server. */
export function acceptorsOf(server: HttpServer): readonly Server[] {
  return acceptors.get(server) ?? [];
}
