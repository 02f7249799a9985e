// The thread in which a server rebuilds a data set: it opens the data folder itself, and ends with the work. Modules
// are found as in a command.

import { parentPort, workerData } from 'node:worker_threads';
import type { Config } from '../../../config.ts';
import { UsageError } from '../../../errors.ts';
import '../../../own-modules.ts';

export interface DatasetTask {
  readonly config: Config;
  readonly name: string;
}

void make(workerData as DatasetTask);

async function make({ config, name }: DatasetTask): Promise<void> {
  const { openApp } = await import('../../../app.ts');
  const { makeDataset } = await import('./maker.ts');
  const stop = new AbortController();
  parentPort!.once('message', () => stop.abort());
  try {
    // This thread also does the engine's work: it has no other task.
    await using app = await openApp({ ...config, threads: 0 });
    await makeDataset(app, name, { signal: stop.signal, onProgress: () => {} });
  } catch (error) {
    // Stopped; or a command is making the data set, or has removed it.
    if (!stop.signal.aborted && !(error instanceof UsageError)) throw error;
  } finally {
    parentPort!.close();
  }
}
