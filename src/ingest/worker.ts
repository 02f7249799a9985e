// The worker thread of an import: gets blocks, gives back what they came to.

import { parentPort, workerData } from 'node:worker_threads';
import type { Block } from './formats/block.ts';
import { importWork, type WorkOptions } from './work.ts';

if (parentPort !== null) {
  const port = parentPort;
  const work = importWork(workerData as WorkOptions);
  port.on('message', (block: Block) => port.postMessage(work(block)));
}
