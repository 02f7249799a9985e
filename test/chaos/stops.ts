// One stop by SIGTERM under load, with callers that keep their connections and ask nothing twice.

import { Agent, request } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { serve } from '../processes.ts';
import { fillFolder, makeKey } from './served-folder.ts';

/** A folder that is served and stopped over and over. */
export interface StoppedFolder {
  readonly path: string;
  readonly key: string;
  /** Of another account. */
  readonly otherKey: string;
}

/** Questions of several kinds, with small and large answers. */
export const PATHS: readonly string[] = [
  ...['newest', 'oldest', 'top'].map((order) => `/api/v1/search/comments?query=&order_by=${order}`),
  ...['score:10', '-score', 'after:2010-01-01', 'th*'].map(
    (query) => `/api/v1/search/comments?query=${query}`,
  ),
  '/api/v1/breakdown/comments?query=&field=subreddit',
  '/api/v1/search/comments?query=&limit=1000',
];

export async function fillStopped(path: string, records: number): Promise<StoppedFolder> {
  await fillFolder(path, records);
  const [key, otherKey] = [
    await makeKey(path, 'caller@example.org'),
    await makeKey(path, 'other@example.org'),
  ];
  return { path, key, otherKey };
}

export interface StopReport {
  readonly answered: number;
  /** A line for each request that was not answered whole, with 200. */
  readonly failures: readonly string[];
  /** From the signal to the end of the process. */
  readonly stopMs: number;
  readonly exitCode: number | null;
}

interface Outcome {
  readonly status: number;
  readonly isLast: boolean;
  readonly socket: Socket;
}

/** What is refused because too much is asked is no failure of a stop: everything waits. */
const PATIENT = { COLLOQUY_QUERY_TIMEOUT_MS: '240000' };

/**
 * How long every other caller pauses between two questions at the most, in milliseconds: half of what every connection
 * is given, however few of its pauses are known. A request that is sent while its connection is being closed for being
 * idle is lost with any server that ever closes one.
 */
const PAUSE_MS = 250;

/**
 * Each caller asks one question behind the other on one connection, and ends where an answer says `Connection: close`,
 * or its connection is closed while it has no request on it. The signal comes `beforeMs` after each has its first
 * answer.
 */
export async function stopUnderLoad(
  { path, key }: StoppedFolder,
  paths: readonly string[],
  { callers, beforeMs }: { readonly callers: number; readonly beforeMs: number },
): Promise<StopReport> {
  await using server = await serve(['--data', path], PATIENT);
  const failures: string[] = [];
  let answered = 0;
  const first = Array.from({ length: callers }, () => Promise.withResolvers<void>());
  const all = first.map(async ({ resolve }, caller) => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    try {
      for (let at = caller * 7; ; at++) {
        const asked = paths[at % paths.length]!;
        const { status, isLast, socket } = await ask(server.address + asked, key, agent);
        if (status === 200) answered++;
        else failures.push(`${asked}: ${status}`);
        resolve();
        if (isLast) return;
        if (caller % 2 === 0) await sleep(Math.random() * PAUSE_MS);
        if (socket.destroyed || socket.readableEnded) return;
      }
    } catch (error) {
      failures.push(String(error));
      resolve();
    } finally {
      agent.destroy();
    }
  });
  // A connection that the system has taken and nobody has accepted goes with the socket that listens.
  await Promise.all(first.map(({ promise }) => promise));
  await sleep(beforeMs);
  const began = performance.now();
  const exitCode = await server.kill('SIGTERM');
  const stopMs = performance.now() - began;
  await Promise.all(all);
  return { answered, failures, stopMs, exitCode };
}

function ask(address: string, key: string, agent: Agent): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    const sent = request(address, { agent, headers: { authorization: `Bearer ${key}` } }, (response) => {
      response.resume();
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          isLast: response.headers.connection === 'close',
          socket: sent.socket!,
        }),
      );
      response.on('error', reject);
    });
    sent.on('error', (cause) => reject(new Error(`${new URL(address).pathname}: ${cause.message}`)));
    sent.end();
  });
}
