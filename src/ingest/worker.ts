// The worker thread of an import or a filter: gets blocks, returns results. Modules are found as in a command.

import { parentPort, workerData } from 'node:worker_threads';
import '../own-modules.ts';
import type { Block } from './formats/block.ts';
import type { BlockWork } from './pool.ts';

if (parentPort !== null) {
  const port = parentPort;
  const { loadWork } = await import('./pool.ts');
  const work = await loadWork(workerData as BlockWork);
  port.on('message', (block: Block) => port.postMessage(work(block)));
}
