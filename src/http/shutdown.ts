// A stop that interrupts no answer: there are no new connections, busy ones finish, idle ones are told or closed.

import type { Server } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { acceptorsOf } from './acceptors.ts';
import type { Connections } from './connections.ts';

/** How long answers may take to finish, in milliseconds. */
export const STOP_TIMEOUT_MS = 10_000;
const SWEEP_MS = 25;
/**
 * A connection that was idle at so many sweeps in a row is closed. Until then its caller may send another request, one
 * that crossed our decision, or because the answer before it had been begun when nobody knew of the stop; the answer to
 * that says `Connection: close`. Counted in sweeps, not by the clock, so that a process that was not scheduled for a
 * while reads what has arrived before it closes anything.
 */
const IDLE_SWEEPS = 20;
/**
 * A caller who asks again and again is given twice its longest pause so far, up to these sweeps: it is the one whose
 * next request would meet a connection that is just being closed.
 */
const MOST_IDLE_SWEEPS = 80;

/**
 * Stops listening, and resolves when every connection is closed: those with a request under way after its answer, all
 * others after some time without a request, any that remain after STOP_TIMEOUT_MS. The server must send
 * `Connection: close` in answers to requests that come from now on.
 */
export async function drain(server: Server, connections: Connections): Promise<void> {
  if (!server.listening) return;
  // The framework says so in answers to requests that come from now on.
  connections.closeBehindAnswers();
  const listening = [server, ...acceptorsOf(server)];
  let open = listening.length;
  // @NOTE http.Server's own close() would end idle connections at once, and a request on its way with them.
  for (const one of listening) NetServer.prototype.close.call(one, () => open--);
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
