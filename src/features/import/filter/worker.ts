// The worker thread of `colloquy filter`: gets blocks, returns the bytes to write. Modules are found as in a command.

import { parentPort, workerData } from 'node:worker_threads';
import '../../../own-modules.ts';
import type { Block } from '../../../ingest/formats/block.ts';
import type { FilterOptions } from './work.ts';

if (parentPort !== null) {
  const port = parentPort;
  const { filterWork } = await import('./work.ts');
  const work = filterWork(workerData as FilterOptions);
  port.on('message', (block: Block) => {
    const result = work(block);
    port.postMessage(result, [result.bytes.buffer]);
  });
}
