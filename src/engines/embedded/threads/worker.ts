// The entry of a worker thread: takes calls for an EngineThread, one after the other, and posts what comes of them.

import { parentPort, workerData } from 'node:worker_threads';
import { standBack } from '../../threads/niceness.ts';
import type { Reply } from '../../threads/worker-calls.ts';
import { EngineThread, type ThreadOptions } from './engine-thread.ts';
import { sentOf } from './result-messages.ts';
import { packError } from './thread-errors.ts';
import type { Message } from './thread-handle.ts';

/**
 * Of 0 to 19: how far threads that answer stand back behind the event loop, which takes and refuses requests, and those
 * that write behind both.
 */
const ANSWERING_NICENESS = 5;
const WRITING_NICENESS = 10;

const port = parentPort!;
const options = workerData as ThreadOptions;
standBack(options.reader === undefined ? WRITING_NICENESS : ANSWERING_NICENESS);
const thread = new EngineThread(options);

port.on('message', (message: Message) => {
  if (message.kind === 'view') thread.show(message.view);
  else if (message.kind === 'peer') thread.meet(message.number, message.port);
  else if (message.kind === 'call') port.postMessage(answer(message));
  else {
    thread.close();
    port.close();
  }
});

port.postMessage({ started: true } satisfies Reply);

function answer({ id, method, values }: Message & { kind: 'call' }): Reply {
  try {
    const run = thread[method] as (...args: readonly unknown[]) => unknown;
    return { id, value: sentOf(method, run.apply(thread, values as unknown[])) };
  } catch (error) {
    return { id, error: packError(error) };
  }
}
