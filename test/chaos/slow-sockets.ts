// Connections that are as slow as a server lets them be, and users beside them.

import { readFileSync } from 'node:fs';
import { Agent, get } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

export interface SlowTarget {
  readonly port: number;
  readonly key: string;
  /** A path whose answer is larger than what a system keeps of a connection that nobody reads. */
  readonly largePath: string;
}

type SlowKind = 'silent' | 'slow head' | 'slow body' | 'slow reader';

const KINDS: readonly SlowKind[] = ['silent', 'slow head', 'slow body', 'slow reader'];
/** Between two bytes, in milliseconds. */
const PACE_MS = 500;

/** So many connections, of each kind in turn. They do nothing but what makes them slow. */
export class SlowSockets implements Disposable {
  readonly #sockets: readonly Socket[];
  readonly #pace: NodeJS.Timeout;

  constructor({ port, key, largePath }: SlowTarget, count: number) {
    const slow: Socket[] = [];
    this.#sockets = Array.from({ length: count }, (_, i) => {
      const kind = KINDS[i % KINDS.length]!;
      const socket = connect(port, '127.0.0.1', () => socket.write(BEGINNINGS[kind](largePath, key)));
      socket.on('error', () => undefined);
      if (kind === 'slow reader') socket.pause();
      else socket.resume();
      if (kind === 'slow head' || kind === 'slow body') slow.push(socket);
      return socket;
    });
    this.#pace = setInterval(() => {
      for (const socket of slow) if (socket.writable) socket.write('a');
    }, PACE_MS);
  }

  [Symbol.dispose](): void {
    clearInterval(this.#pace);
    for (const socket of this.#sockets) socket.destroy();
  }
}

/** How many connections a server on this port of this machine has open, as the system knows it (Linux). */
export function openConnections(port: number): number {
  const ESTABLISHED = '01';
  const local = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  const rows = readFileSync('/proc/net/tcp', 'utf8').split('\n');
  const isOpen = (row: string) => {
    const [, from = '', , state] = row.trim().split(/\s+/);
    return from.endsWith(local) && state === ESTABLISHED;
  };
  return rows.filter(isOpen).length;
}

const BEGINNINGS: Readonly<Record<SlowKind, (path: string, key: string) => string>> = {
  silent: () => '',
  'slow head': () => 'GET / HTTP/1.1\r\nHost: localhost\r\nX: ',
  'slow body': () => 'POST /sign-in HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n',
  'slow reader': (path, key) =>
    `GET ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${key}\r\nConnection: close\r\n\r\n`,
};

export interface UserReport {
  /** Milliseconds, one an answer. */
  readonly ms: readonly number[];
  /** Other than 200, or none. */
  readonly failed: number;
}

/** So many users, each with a connection of its own and a pause behind each answer, for so long. */
export async function users(
  { port, key }: SlowTarget,
  paths: readonly string[],
  count: number,
  { seconds, pauseMs }: { readonly seconds: number; readonly pauseMs: number },
): Promise<UserReport> {
  const until = performance.now() + seconds * 1000;
  const ms: number[] = [];
  let failed = 0;
  const all = Array.from({ length: count }, async (_, user) => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    for (let at = user * 13; performance.now() < until; at++) {
      const began = performance.now();
      const status = await statusOf(port, paths[at % paths.length]!, key, agent);
      if (status === 200) ms.push(performance.now() - began);
      else failed++;
      await sleep(pauseMs);
    }
    agent.destroy();
  });
  await Promise.all(all);
  return { ms, failed };
}

/** 0: there was no answer. */
function statusOf(port: number, path: string, key: string, agent: Agent): Promise<number> {
  return new Promise((resolve) => {
    const headers = { authorization: `Bearer ${key}` };
    const asked = get({ host: '127.0.0.1', port, path, headers, agent }, (response) => {
      response.resume();
      response.on('end', () => resolve(response.statusCode ?? 0));
      response.on('error', () => resolve(0));
    });
    asked.on('error', () => resolve(0));
  });
}
