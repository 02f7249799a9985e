// What a running server does besides answering: completes removals that a process left unfinished, erases
// texts that are due, merges.

import { log } from '../../log.ts';

const EVERY_MS = 300_000;

/**
 * `what` names the work, for the log. Works at once and then every five minutes, never twice at a time. Disposing waits
 * for the work under way.
 */
export function startUpkeep(what: string, work: () => Promise<void>): AsyncDisposable {
  let underWay = Promise.resolve();
  let isIdle = true;
  const turn = () => {
    if (!isIdle) return;
    isIdle = false;
    underWay = work()
      // Failed work is tried again next time; the server goes on answering.
      .catch((error: unknown) => log.error({ err: error }, `${what} failed`))
      .finally(() => {
        isIdle = true;
      });
  };
  turn();
  const timer = setInterval(turn, EVERY_MS);
  timer.unref();
  return {
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      await underWay;
    },
  };
}
