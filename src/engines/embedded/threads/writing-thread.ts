// What a worker thread runs that writes.

import { workerData } from 'node:worker_threads';
import { standBack } from '../../../niceness.ts';
import { run, takeCalls } from './thread-port.ts';
import { type ThreadOptions, ThreadState } from './thread-state.ts';
import { WritingCalls } from './writing-calls.ts';

/** Of 0 to 19: how far threads that write stand back, behind those that answer (answering-thread.ts). */
const NICENESS = 10;

standBack(NICENESS);
const state = new ThreadState(workerData as ThreadOptions);
const calls = new WritingCalls(state);
takeCalls(state, { call: (method, values) => [run(calls, method, values), []] });
