// Upkeep of data sets in a running server: those withdrawn, or whose removals were undone, are rebuilt one by one. Each
// has its own thread, so that no response waits for it.

import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { startUpkeep } from '../../../cli/serving/waiting.ts';
import { log } from '../../../log.ts';
import type { Archive } from '../../../operation/operation.ts';
import { shelfOf } from './shelf.ts';
import type { DatasetTask } from './worker.ts';

/** Disposing stops the current one; the next start resumes it. */
export function startRebuilding(archive: Archive): AsyncDisposable {
  const stop = new AbortController();
  const upkeep = new AsyncDisposableStack();
  upkeep.use(startUpkeep('rebuilding data sets', () => makeDue(archive, stop.signal)));
  upkeep.defer(() => stop.abort());
  return upkeep;
}

/** A failure is logged, and the data set stays due. */
export async function makeDue(archive: Archive, signal: AbortSignal): Promise<void> {
  for (const name of shelfOf(archive).due()) {
    if (signal.aborted) return;
    try {
      await makeInThread({ config: archive.config, name }, signal);
    } catch (error) {
      log.error({ err: error, dataset: name }, 'a data set cannot be rebuilt');
    }
  }
}

/** Rejects with the error of the thread. */
async function makeInThread(task: DatasetTask, signal: AbortSignal): Promise<void> {
  const worker = new Worker(new URL('./worker.ts', import.meta.url), { workerData: task });
  const onStop = () => worker.postMessage('stop');
  signal.addEventListener('abort', onStop);
  try {
    await once(worker, 'exit');
  } finally {
    signal.removeEventListener('abort', onStop);
  }
}
