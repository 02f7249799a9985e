// What a worker thread runs that answers.

import { type Transferable, workerData } from 'node:worker_threads';
import type { Answer } from '../../../model/engine.ts';
import type { PrintRecords } from '../../../model/export.ts';
import { standBack } from '../../../niceness.ts';
import { AnsweringCalls } from './answering-calls.ts';
import { sentOf } from './result-messages.ts';
import { run, takeCalls } from './thread-port.ts';
import { type ThreadOptions, ThreadState } from './thread-state.ts';

/**
 * Of 0 to 19: how far threads that answer stand back behind the event loop, which takes and refuses requests. A spare
 * one goes before the others that answer: it takes what is short while they are at long work, of which whoever asks it
 * would notice every slice.
 */
const SPARE_NICENESS = 1;
const ANSWERING_NICENESS = 5;

const options = workerData as ThreadOptions;
standBack(options.reader?.isSpare === true ? SPARE_NICENESS : ANSWERING_NICENESS);
const state = new ThreadState(options);
const calls = new AnsweringCalls(state, options, await printerOf(options));
takeCalls(state, {
  call: (method, values) => {
    const result = run(calls, method, values);
    return [sentOf(method, result), handedOver(method, result)];
  },
  meet: (number, port) => calls.meet(number, port),
  close: () => calls.close(),
});

/** What of a result goes with the message instead of being copied. */
function handedOver(method: string, result: unknown): Transferable[] {
  if (method !== 'ask') return [];
  const { printed } = result as Answer;
  return printed === undefined ? [] : [printed.bytes.buffer];
}

async function printerOf({ printer }: ThreadOptions): Promise<PrintRecords | null> {
  if (printer === undefined) return null;
  const { printRecords } = (await import(printer)) as { readonly printRecords: PrintRecords };
  return printRecords;
}
