// Worker threads as they are started.

import { syncBuiltinESMExports } from 'node:module';
import workerThreads, { type Worker } from 'node:worker_threads';

/** Every worker that is started from now on with a module of this name. */
export function watchWorkers(file: string): { readonly started: Worker[] } & Disposable {
  const started: Worker[] = [];
  const { Worker: Original } = workerThreads;
  workerThreads.Worker = class extends Original {
    constructor(...values: ConstructorParameters<typeof Original>) {
      super(...values);
      if (String(values[0]).endsWith(`/${file}`)) started.push(this);
    }
  };
  syncBuiltinESMExports();
  return {
    started,
    [Symbol.dispose]: () => {
      workerThreads.Worker = Original;
      syncBuiltinESMExports();
    },
  };
}
