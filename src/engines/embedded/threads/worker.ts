// The entry of a worker thread: loads what its role needs. Modules are found as in a command.

import { workerData } from 'node:worker_threads';
import '../../../own-modules.ts';
import type { PrintRecords } from '../../../model/export.ts';
import type { ThreadOptions } from './thread.ts';

/**
 * Of 0 to 19: how far threads stand back behind the event loop, which takes and refuses requests. A spare reader goes
 * before the others: it takes short questions while they are busy with long ones. Writers stand back behind all
 * readers.
 */
const SPARE_NICENESS = 1;
const ANSWERING_NICENESS = 5;
const WRITING_NICENESS = 10;

void takeOwnCalls(workerData as ThreadOptions);

async function takeOwnCalls(options: ThreadOptions): Promise<void> {
  const { standBack } = await import('../../../model/waiting.ts');
  const { run } = await import('../../shared/worker-calls.ts');
  const { ThreadState } = await import('../index/view.ts');
  const { takeCalls } = await import('./thread.ts');
  if (options.reader === undefined) {
    standBack(WRITING_NICENESS);
    const { WritingCalls } = await import('../writing/writer.ts');
    const state = new ThreadState(options);
    const calls = new WritingCalls(state);
    takeCalls(state, { call: (method, values) => [run(calls, method, values), []] });
  } else {
    standBack(options.reader.isSpare ? SPARE_NICENESS : ANSWERING_NICENESS);
    const { AnsweringCalls } = await import('./answering-calls.ts');
    const { sentOf } = await import('./result-messages.ts');
    const state = new ThreadState(options);
    const calls = new AnsweringCalls(state, options, await printerOf(options));
    takeCalls(state, {
      call: (method, values) => sentOf(method, run(calls, method, values)),
      meet: (number, port) => calls.meet(number, port),
      close: () => calls.close(),
    });
  }
}

async function printerOf({ printer }: ThreadOptions): Promise<PrintRecords | null> {
  if (printer === undefined) return null;
  const { printRecords } = (await import(printer)) as { readonly printRecords: PrintRecords };
  return printRecords;
}
