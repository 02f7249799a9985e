// The worker thread of an import: gets blocks, gives back what they came to.

import { parentPort, workerData } from 'node:worker_threads';
import type { Block } from './formats/block.ts';
import type { NormaliseOptions } from './normalise/normalise.ts';
import { packed, workOn } from './work.ts';

if (parentPort !== null) {
  const port = parentPort;
  const options = workerData as NormaliseOptions;
  port.on('message', (block: Block) => port.postMessage(packed(workOn(block, options))));
}
