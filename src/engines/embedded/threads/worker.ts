// The entry of a worker thread: loads what its role needs. Modules are found as in a command.

import { workerData } from 'node:worker_threads';
import '../../../own-modules.ts';
import type { ThreadOptions } from './thread-state.ts';

const { reader } = workerData as ThreadOptions;
if (reader === undefined) await import('./writing-thread.ts');
else await import('./answering-thread.ts');
