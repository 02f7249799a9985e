// A stop that cuts no answer: no new connections, those at work finish, idle ones are told or closed.

import type { Server } from 'node:http';
import { Server as NetServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** Answers may take this long to finish. */
export const STOP_TIMEOUT_MS = 10_000;
const SWEEP_MS = 25;
/**
 * So many sweeps long an idle connection may still send the request that crossed our decision; its answer says
 * `Connection: close`. Counted in sweeps, not by the clock: a process that is not scheduled for a while reads what has
 * come in before it closes anything.
 */
const IDLE_SWEEPS = 10;

/**
 * Stops listening, and resolves when every connection is gone: those with a request under way after its answer, all
 * others after IDLE_SWEEPS, whatever is left after STOP_TIMEOUT_MS. The server must send `Connection: close` by now.
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
