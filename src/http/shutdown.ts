// A stop that cuts no answer: no new connections, those at work finish, idle ones are told or closed.

import type { Server } from 'node:http';
import { Server as NetServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** Answers may take this long to finish. */
export const STOP_TIMEOUT_MS = 10_000;
/** So long an idle connection may still send the request that crossed our decision; its answer says `Connection: close`. */
const IDLE_GRACE_MS = 250;
const SWEEP_MS = 25;

/**
 * Stops listening, and resolves when every connection is gone: those with a request under way after its answer, all
 * others after IDLE_GRACE_MS, whatever is left after STOP_TIMEOUT_MS. The server must send `Connection: close` by now.
 */
export async function drain(server: Server): Promise<void> {
  if (!server.listening) return;
  let isOpen = true;
  // @NOTE http.Server's own close() would end idle connections at once, and a request on its way with them.
  NetServer.prototype.close.call(server, () => {
    isOpen = false;
  });
  const start = performance.now();
  while (isOpen) {
    await sleep(SWEEP_MS);
    const waited = performance.now() - start;
    if (waited >= STOP_TIMEOUT_MS) server.closeAllConnections();
    else if (waited >= IDLE_GRACE_MS) server.closeIdleConnections();
  }
}
