// The workers that make exports, each one at a time. In an engine that is warm one stands ready, since a worker takes
// longer to start than an export to its first bytes; and those that have made an export make the next ones: each thread
// that ends leaves a piece of memory that the system's allocator keeps.

import { startExportWorker } from '../../threads/export-calls.ts';
import type { WorkerCalls } from '../../threads/worker-calls.ts';
import { type ExportThread, WorkerExport } from './export-thread.ts';
import type { ExportStart } from './export-work.ts';
import { unpackError } from './thread-errors.ts';

const ENTRY = new URL('./export-worker.ts', import.meta.url);
/** Workers without an export that are kept: as many as most servers use at once. Each takes some 15 MB. */
const MAX_RESTING = 2;

export class ExportThreads implements AsyncDisposable {
  #isWarm = false;
  /** They have no export. */
  readonly #resting: WorkerCalls[] = [];

  /** From now on a worker stands ready. */
  warm(): void {
    this.#isWarm = true;
    this.#makeReady();
  }

  /** One that stands ready, or a new one; another is started when this one has given its first block. */
  start(start: ExportStart): ExportThread {
    this.#forgetEnded();
    return new WorkerExport(this.#resting.pop() ?? startWorker(), start, {
      onGoing: () => this.#makeReady(),
      onRest: (calls) => this.#keep(calls),
    });
  }

  /** Ends those that stand ready; exports end theirs. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isWarm = false;
    await Promise.all(this.#resting.splice(0).map((calls) => calls[Symbol.asyncDispose]()));
  }

  #makeReady(): void {
    this.#forgetEnded();
    if (this.#isWarm && this.#resting.length === 0) this.#resting.push(startWorker());
  }

  async #keep(calls: WorkerCalls): Promise<void> {
    this.#forgetEnded();
    if (this.#isWarm && this.#resting.length < MAX_RESTING) this.#resting.push(calls);
    else await calls[Symbol.asyncDispose]();
  }

  #forgetEnded(): void {
    const living = this.#resting.filter(({ failure }) => failure === null);
    this.#resting.splice(0, this.#resting.length, ...living);
  }
}

function startWorker(): WorkerCalls {
  return startExportWorker(ENTRY, unpackError);
}
