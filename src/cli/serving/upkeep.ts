// What a running server does besides answering: completes removals that a process left unfinished, erases
// texts that are due, merges.
//
// What a running server does for data sets: those that were withdrawn, or whose removals were undone, are made anew,
// one after the other, each in a thread of its own, so that no answer waits for it.

import { Worker } from 'node:worker_threads';
import type { App } from '../../app.ts';
import { log } from '../../log.ts';
import type { DatasetTask } from './dataset-worker.ts';

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

type Deps = Pick<App, 'config' | 'datasets'>;

/** Disposing stops what is under way; what was read so far is gone on with the next time. */
export function startDatasetUpkeep(deps: Deps): AsyncDisposable {
  const stop = new AbortController();
  const upkeep = startUpkeep('rebuilding data sets', () => makeDue(deps, stop.signal));
  return {
    async [Symbol.asyncDispose]() {
      stop.abort();
      await upkeep[Symbol.asyncDispose]();
    },
  };
}

/** One that cannot be made is told in the log, and is due again the next time. */
export async function makeDue({ config, datasets }: Deps, signal: AbortSignal): Promise<void> {
  for (const name of datasets.due()) {
    if (signal.aborted) return;
    try {
      await makeInThread({ config, name }, signal);
    } catch (error) {
      log.error({ err: error, dataset: name }, 'a data set cannot be rebuilt');
    }
  }
}

/** Rejects with what went wrong there. */
async function makeInThread(task: DatasetTask, signal: AbortSignal): Promise<void> {
  const worker = new Worker(new URL('./dataset-worker.ts', import.meta.url), { workerData: task });
  const onStop = () => worker.postMessage('stop');
  signal.addEventListener('abort', onStop);
  try {
    await new Promise<void>((resolve, reject) => {
      worker.once('error', reject);
      worker.once('exit', () => resolve());
    });
  } finally {
    signal.removeEventListener('abort', onStop);
  }
}
