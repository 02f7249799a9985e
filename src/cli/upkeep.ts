// What a running server does beside its answers: removals that a process left unfinished, texts that are due to be
// erased, merges.

import { log } from '../log.ts';

const EVERY_MS = 300_000;

/** Does the work at once and every five minutes, never twice at a time. Disposing waits for what is under way. */
export function startUpkeep(work: () => Promise<void>): AsyncDisposable {
  let underWay = Promise.resolve();
  let isIdle = true;
  const turn = () => {
    if (!isIdle) return;
    isIdle = false;
    underWay = work()
      // What failed is tried again next time; answers go on.
      .catch((error: unknown) => log.error({ err: error }, 'upkeep of the index failed'))
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
