// The connections of a server: how many each network may have, and which of them are idle. Contract 13.3 and 13.5.

import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { ServiceError } from '../errors.ts';
import { addressGroup, plainAddress } from './networks.ts';
import { isLoopback } from './rate-limit.ts';
import type { Visitors } from './visitor.ts';

/** Seconds after which a caller with too many connections may open another. */
const RETRY_AFTER = 10;

export interface ConnectionSettings {
  /** 0: any number. Not of this machine, and not of trusted proxies. */
  readonly perNetwork: number;
  readonly visitors: Visitors;
  /** Sends the error and closes the connection. */
  readonly refuse: (socket: Socket, error: ServiceError) => void;
}

export interface ConnectionFigures {
  readonly open: number;
  /** Since the server started. */
  readonly accepted: number;
  /** Connections that were one too many of their network, since the server started. */
  readonly refused: number;
}

/** How many connections a network has. */
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
export interface IdleConnection {
  readonly socket: Socket;
  /** The longest time that its caller has left between an answer and the next request; 0: there was only one. */
  readonly longestPauseMs: number;
}

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
  watch(server: Server): void {
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

  figures(): ConnectionFigures {
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
    if (!isAllowed) refuse(socket, tooMany(perNetwork));
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
