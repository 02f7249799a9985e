// Worker threads as they are started.

import { readdirSync, readFileSync } from 'node:fs';
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

/** Of each thread of this process, the event loop among them; on Linux. */
export function nicenessOfThreads(): number[] {
  return readdirSync('/proc/self/task').map((task) => {
    // Behind the name, which may hold spaces and brackets.
    const [, fields] = /^.*\) (.*)$/s.exec(readFileSync(`/proc/self/task/${task}/stat`, 'utf8'))!;
    return Number(fields!.split(' ')[16]);
  });
}
