// Long work on the event loop is done in pieces: each piece waits for its turn, and all work there is gets one turn each
// time around the loop, so that many large answers at once hold it up no longer than one.

import { setImmediate as nextRound } from 'node:timers/promises';

let last: Promise<unknown> = Promise.resolve();

/** Resolves when others had their turn; first come, first served. */
export function turn(): Promise<unknown> {
  last = last.then(() => nextRound());
  return last;
}
