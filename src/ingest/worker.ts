// The worker thread of an import: gets blocks, returns results. Modules are found as in a command.

import { parentPort, workerData } from 'node:worker_threads';
import '../own-modules.ts';
import type { Block } from './formats/block.ts';
import type { WorkOptions } from './work.ts';

if (parentPort !== null) {
  const port = parentPort;
  const { importWork } = await import('./work.ts');
  const work = importWork(workerData as WorkOptions);
  port.on('message', (block: Block) => port.postMessage(work(block)));
}
