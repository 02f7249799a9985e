// A server whose engine is out of reach when it starts: it listens, refuses what it is asked, and says when it is
// ready.

import type { App } from '../app.ts';
import { EngineUnavailable } from '../model/engine-errors.ts';

const EVERY_MS = 1_000;

/** Why nothing can be answered yet; null: it can. Throws where the index is in the folder, and cannot be read. */
export async function whyNotReady({
  search,
  isElsewhere,
}: Pick<App, 'search' | 'isElsewhere'>): Promise<string | null> {
  try {
    await search.readiness();
    return null;
  } catch (error) {
    if (isElsewhere && error instanceof EngineUnavailable) return error.message;
    throw error;
  }
}

/** Looks once a second, and calls `tell` when the engine answers. Disposing ends it. */
export function tellOnceReady(search: App['search'], tell: () => void): AsyncDisposable {
  let underWay = Promise.resolve();
  let isIdle = true;
  const timer = setInterval(() => {
    if (!isIdle) return;
    isIdle = false;
    underWay = search
      .readiness()
      .then(() => {
        clearInterval(timer);
        tell();
      })
      // What is in the way is in the log: the engine tells it once.
      .catch(() => undefined)
      .finally(() => {
        isIdle = true;
      });
  }, EVERY_MS);
  return {
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      await underWay;
    },
  };
}
