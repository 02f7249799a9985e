// A stop that interrupts no answer: there are no new connections, busy ones finish, idle ones are told or
// closed.

import type { Server } from 'node:http';
import { Server as NetServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** How long answers may take to finish, in milliseconds. */
export const STOP_TIMEOUT_MS = 10_000;
const SWEEP_MS = 25;
/**
 * For this many sweeps, an idle connection may still send a request that crossed our decision; its answer
 * says `Connection: close`. Counted in sweeps, not by the clock, so that a process that was not scheduled for
 * a while reads what has arrived before it closes anything.
 */
const IDLE_SWEEPS = 10;

/**
 * Stops listening, and resolves when every connection is closed: those with a request under way after its
 * answer, all others after IDLE_SWEEPS, any that remain after STOP_TIMEOUT_MS. The server must send
 * `Connection: close` by now.
 */
export async function drain(server: Server): Promise<void> {
  if (!server.listening) return;
  let isOpen = true;
  // @NOTE http.Server's own close() would end idle connections at once, and a request on its way with them.
  NetServer.prototype.close.call(server, () => {
    isOpen = false;
  });
  const start = performance.now();
  for (let sweep = 1; isOpen; sweep++) {
    await sleep(SWEEP_MS);
    if (performance.now() - start >= STOP_TIMEOUT_MS) server.closeAllConnections();
    else if (sweep >= IDLE_SWEEPS) server.closeIdleConnections();
  }
}
