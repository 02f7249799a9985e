// What a running server does for data sets: those that were withdrawn, or whose removals were undone, are made anew,
// one after the other, each in a thread of its own, so that no answer waits for it.

import { Worker } from 'node:worker_threads';
import type { App } from '../app.ts';
import type { DatasetTask } from './dataset-worker.ts';
import { startUpkeep } from './upkeep.ts';

/** Disposing stops what is under way; what was read so far is gone on with the next time. */
export function startDatasetUpkeep({ config, datasets }: Pick<App, 'config' | 'datasets'>): AsyncDisposable {
  const stop = new AbortController();
  const upkeep = startUpkeep('making data sets anew', async () => {
    for (const name of datasets.due()) {
      if (!stop.signal.aborted) await makeInThread({ config, name }, stop.signal);
    }
  });
  return {
    async [Symbol.asyncDispose]() {
      stop.abort();
      await upkeep[Symbol.asyncDispose]();
    },
  };
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
