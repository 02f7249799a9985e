// The worker of an export as its owner calls it.

import { Worker } from 'node:worker_threads';
import { EngineUnavailable } from '../../model/engine-errors.ts';
import type { ErrorMessage } from './error-messages.ts';
import type { ExportMethod } from './export-port.ts';
import { WorkerCalls } from './worker-calls.ts';

/**
 * Where a limit of the older objects is given, V8 collects them before they grow: an export of 200,000 comments takes
 * 44 MiB instead of 100. The limit itself only has to be far above what the names of an index may take.
 */
const HEAP = { maxYoungGenerationSizeMb: 6, maxOldGenerationSizeMb: 1_024 };

/** `entry`: a module that calls `takeExportCalls`. */
export function startExportWorker(entry: URL, unpack: (error: ErrorMessage) => Error): WorkerCalls {
  return new WorkerCalls(new Worker(entry, { resourceLimits: HEAP }), unpack);
}

/** Throws what the worker throws, an EngineUnavailable where it has ended. */
export async function callExport<T>(
  calls: WorkerCalls,
  method: ExportMethod,
  ...values: readonly unknown[]
): Promise<T> {
  try {
    return await calls.call(method, values);
  } catch (error) {
    if (error !== calls.failure) throw error;
    throw new EngineUnavailable('the thread of an export has ended', { cause: error });
  }
}
