// A caller that costs little: connections that are kept, requests as bytes, and of answers nothing but the status, the
// head and the number of bytes is read. It shares the processors with the server that it measures.

import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

export interface Answered {
  /** 0: the connection broke, or nothing came in time. */
  readonly status: number;
  /** Milliseconds from when the request was due, and from when it was sent. */
  readonly ms: number;
  readonly sentMs: number;
  readonly hasRetryAfter: boolean;
  /** Of an error of the API: its code in the body. */
  readonly code: string | null;
  readonly isPage: boolean;
}

/** Beyond so many connections, a request is not sent: it counts as one that got nothing. */
const MAX_CONNECTIONS = 2_000;
/** Callers give up after this many milliseconds. */
const PATIENCE_MS = 5_000;
const END_OF_HEAD = Buffer.from('\r\n\r\n');

/** The bytes of a GET. */
export function requestBytes(path: string, key: string): string {
  return `GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\nAccept: application/json\r\n\r\n`;
}

/** The same of a visitor, as a proxy hands it on. */
export function pageBytes(path: string, address: string): string {
  return `GET ${path} HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: ${address}\r\nAccept: text/html\r\n\r\n`;
}

/** Connections to a server; one more is opened where all have a request under way. */
export class Connections implements Disposable {
  readonly #port: number;
  readonly #idle: Socket[] = [];
  readonly #all = new Set<Socket>();

  constructor(port: number) {
    this.#port = port;
  }

  get size(): number {
    return this.#all.size;
  }

  /** `due`: when it should have been sent, on the clock of performance.now(). `signal`: closes the connection. */
  async ask(request: string, due = performance.now(), signal?: AbortSignal): Promise<Answered> {
    const isPage = !request.startsWith('GET /api/');
    if (this.#idle.length === 0 && this.#all.size >= MAX_CONNECTIONS)
      return { ...NOTHING, isPage, ms: 0, sentMs: 0 };
    const socket = this.#idle.pop() ?? this.#open();
    const sent = performance.now();
    const answer = await exchange(socket, request, signal);
    if (answer.status === 0 || socket.destroyed) {
      socket.destroy();
      this.#all.delete(socket);
    } else this.#idle.push(socket);
    const now = performance.now();
    return { ...answer, isPage, ms: now - due, sentMs: now - sent };
  }

  [Symbol.dispose](): void {
    for (const socket of this.#all) socket.destroy();
  }

  #open(): Socket {
    const socket = connect({ port: this.#port, host: '127.0.0.1', noDelay: true });
    socket.on('error', () => undefined);
    this.#all.add(socket);
    return socket;
  }
}

type Exchanged = Omit<Answered, 'ms' | 'sentMs' | 'isPage'>;

const NOTHING: Exchanged = { status: 0, hasRetryAfter: false, code: null };

function exchange(socket: Socket, request: string, signal?: AbortSignal): Promise<Exchanged> {
  return new Promise((resolve) => {
    let head = '';
    let missing = 0;
    let before: Buffer | null = null;
    let body = '';
    const end = (answer: Exchanged) => {
      clearTimeout(timer);
      socket.off('data', onData).off('close', onClose);
      signal?.removeEventListener('abort', onAbort);
      resolve(answer);
    };
    const onData = (chunk: Buffer) => {
      if (head === '') {
        const bytes: Buffer = before === null ? chunk : Buffer.concat([before, chunk]);
        const at = bytes.indexOf(END_OF_HEAD);
        if (at === -1) {
          before = bytes;
          return;
        }
        head = bytes.toString('latin1', 0, at);
        missing = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0) - (bytes.length - at - 4);
        if (!head.startsWith('HTTP/1.1 200')) body = bytes.toString('latin1', at + 4);
      } else missing -= chunk.length;
      if (missing <= 0) end(read(head, body));
    };
    const onClose = () => end(NOTHING);
    const onAbort = () => {
      socket.destroy();
      end(NOTHING);
    };
    const timer = setTimeout(onClose, PATIENCE_MS);
    socket.on('data', onData).on('close', onClose);
    signal?.addEventListener('abort', onAbort);
    socket.write(request);
  });
}

function read(head: string, body: string): Exchanged {
  return {
    status: Number(head.slice(9, 12)),
    hasRetryAfter: /\r\nretry-after:/i.test(head),
    code: /"code":"(\w+)"/.exec(body)?.[1] ?? null,
  };
}

export interface Load {
  readonly answers: readonly Answered[];
  readonly seconds: number;
  /** How late the requests of a schedule were sent, each in milliseconds. */
  readonly late: readonly number[];
  /** Processor time of the callers, in milliseconds. */
  readonly cpu: number;
}

/** As many callers as there are lists of requests, each with one request under way. */
export async function closedLoop(
  connections: Connections,
  callers: readonly (() => string)[],
  seconds: number,
): Promise<Load> {
  const answers: Answered[] = [];
  const usage = process.cpuUsage();
  const began = performance.now();
  const until = began + seconds * 1000;
  await Promise.all(
    callers.map(async (next) => {
      while (performance.now() < until) answers.push(await connections.ask(next()));
    }),
  );
  return { answers, seconds: (performance.now() - began) / 1000, late: [], cpu: cpuSince(usage) };
}

/** So many requests a second, whether or not earlier ones are answered. */
export async function openLoop(
  connections: Connections,
  next: () => string,
  aSecond: number,
  seconds: number,
): Promise<Load> {
  const answers: Answered[] = [];
  const underWay = new Set<Promise<void>>();
  const late: number[] = [];
  const usage = process.cpuUsage();
  const began = performance.now();
  const total = Math.round(aSecond * seconds);
  for (let number = 0; number < total; ) {
    const now = performance.now();
    for (; number < total; number++) {
      const due = began + (number * 1000) / aSecond;
      if (due > now) break;
      late.push(performance.now() - due);
      const asked = connections.ask(next(), due).then((answer) => {
        answers.push(answer);
        underWay.delete(asked);
      });
      underWay.add(asked);
    }
    await sleep(1);
  }
  const over = performance.now();
  await Promise.all(underWay);
  return { answers, seconds: (over - began) / 1000, late, cpu: cpuSince(usage) };
}

function cpuSince(before: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
