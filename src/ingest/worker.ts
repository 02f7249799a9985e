// The worker thread of an import or a filter: gets blocks, returns results. Modules are found as in a command.
// Like every module of a thread, it awaits only inside functions: ending a thread during an await outside of them may
// take the whole process with it (nodejs/node issue 62114).

import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import '../own-modules.ts';
import type { Block } from './formats/block.ts';
import type { BlockWork } from './pool.ts';

if (parentPort !== null) void takeBlocks(parentPort);

async function takeBlocks(port: MessagePort): Promise<void> {
  const { loadWork } = await import('./pool.ts');
  const work = await loadWork(workerData as BlockWork);
  port.on('message', (block: Block) => port.postMessage(work(block)));
}
