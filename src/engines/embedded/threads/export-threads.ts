// The workers that make exports: each has one of its own, which ends with it. In an engine that is warm one more stands
// ready, since a worker takes longer to start than an export to its first bytes.

import { startExportWorker } from '../../threads/export-calls.ts';
import type { WorkerCalls } from '../../threads/worker-calls.ts';
import { type ExportThread, WorkerExport } from './export-thread.ts';
import type { ExportStart } from './export-work.ts';
import { unpackError } from './thread-errors.ts';

const ENTRY = new URL('./export-worker.ts', import.meta.url);

export class ExportThreads implements AsyncDisposable {
  #isWarm = false;
  /** Has no export yet. */
  #spare: WorkerCalls | null = null;

  /** From now on a worker stands ready. */
  warm(): void {
    this.#isWarm = true;
    this.#makeReady();
  }

  /** The worker that stands ready, or a new one; the next one is started when this one has given its first block. */
  start(start: ExportStart): ExportThread {
    const spare = this.#spare;
    this.#spare = null;
    const calls = spare?.failure === null ? spare : startWorker();
    return new WorkerExport(calls, start, () => this.#makeReady());
  }

  /** Ends the one that stands ready; exports end theirs. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isWarm = false;
    await this.#spare?.[Symbol.asyncDispose]();
  }

  #makeReady(): void {
    if (this.#isWarm && this.#spare?.failure !== null) this.#spare = startWorker();
  }
}

function startWorker(): WorkerCalls {
  return startExportWorker(ENTRY, unpackError);
}
