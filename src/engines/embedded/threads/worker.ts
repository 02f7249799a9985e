// The entry of a worker thread: takes calls for an EngineThread, one after the other, and posts what comes of them.

import { parentPort, type Transferable, workerData } from 'node:worker_threads';
import type { Answer } from '../../../model/engine.ts';
import type { PrintRecords } from '../../../model/printed-records.ts';
import { standBack } from '../../../niceness.ts';
import type { Reply } from '../../threads/worker-calls.ts';
import { EngineThread, type ThreadCalls, type ThreadOptions } from './engine-thread.ts';
import { sentOf } from './result-messages.ts';
import { packError } from './thread-errors.ts';
import type { Message } from './thread-handle.ts';

/**
 * Of 0 to 19: how far threads that answer stand back behind the event loop, which takes and refuses requests, and those
 * that write behind both. A spare one goes before the others that answer: it takes what is short while they are at long
 * work, of which whoever asks it would notice every slice.
 */
const SPARE_NICENESS = 1;
const ANSWERING_NICENESS = 5;
const WRITING_NICENESS = 10;

const port = parentPort!;
const options = workerData as ThreadOptions;
standBack(nicenessOf(options));
const thread = new EngineThread(options, await printerOf(options));

port.on('message', (message: Message) => {
  if (message.kind === 'view') thread.show(message.view);
  else if (message.kind === 'peer') thread.meet(message.number, message.port);
  else if (message.kind === 'call') port.postMessage(...answer(message));
  else {
    thread.close();
    port.close();
  }
});

port.postMessage({ started: true } satisfies Reply);

function nicenessOf({ reader }: ThreadOptions): number {
  if (reader === undefined) return WRITING_NICENESS;
  return reader.isSpare ? SPARE_NICENESS : ANSWERING_NICENESS;
}

function answer({ id, method, values }: Message & { kind: 'call' }): [Reply, Transferable[]] {
  try {
    const run = thread[method] as (...args: readonly unknown[]) => unknown;
    const result = run.apply(thread, values as unknown[]);
    return [{ id, value: sentOf(method, result) }, handedOver(method, result)];
  } catch (error) {
    return [{ id, error: packError(error) }, []];
  }
}

/** What of a result goes with the message instead of being copied. */
function handedOver(method: keyof ThreadCalls, result: unknown): Transferable[] {
  if (method !== 'ask') return [];
  const { printed } = result as Answer;
  return printed === undefined ? [] : [printed.bytes.buffer];
}

/** Only threads that answer print. */
async function printerOf({ printer, reader }: ThreadOptions): Promise<PrintRecords | null> {
  if (printer === undefined || reader === undefined) return null;
  const { printRecords } = (await import(printer)) as { readonly printRecords: PrintRecords };
  return printRecords;
}
