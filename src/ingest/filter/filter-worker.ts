// The worker thread of `colloquy filter`: gets blocks, gives back what is to be written of them.

import { parentPort, workerData } from 'node:worker_threads';
import type { Block } from '../formats/block.ts';
import { type FilterOptions, filterWork } from './filter-work.ts';

if (parentPort !== null) {
  const port = parentPort;
  const work = filterWork(workerData as FilterOptions);
  port.on('message', (block: Block) => {
    const result = work(block);
    port.postMessage(result, [result.bytes.buffer]);
  });
}
