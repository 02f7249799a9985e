// The threads of exports as their owner sees them: a worker for each, or the owner's own. In an engine that is warm a
// worker stands ready, since it takes longer to start than an export to its first bytes; and those that have made an
// export make the next ones: each thread that ends leaves a piece of memory that the system's allocator keeps.

import type { ExportBlock, ExportHead } from '../../../model/export.ts';
import { callExport, startExportWorker } from '../../threads/exports.ts';
import type { WorkerCalls } from '../../threads/worker-calls.ts';
import type { ExportStart, ExportWork, LaterView } from './export-work.ts';
import { unpackError } from './thread.ts';

/** One call at a time; `open` is the first. */
export interface ExportThread extends AsyncDisposable {
  open(): Promise<ExportHead>;
  /** See ExportWork. */
  next(later: LaterView | null): Promise<ExportBlock>;
}

export class LocalExport implements ExportThread {
  readonly #start: ExportStart;
  #work: ExportWork | null = null;
  /** The call under way. */
  #turn: Promise<unknown> = Promise.resolve();

  constructor(start: ExportStart) {
    this.#start = start;
  }

  open(): Promise<ExportHead> {
    return this.#inTurn(async () => {
      const { ExportWork } = await import('./export-work.ts');
      this.#work = await ExportWork.open(this.#start);
      return this.#work.head;
    });
  }

  next(later: LaterView | null): Promise<ExportBlock> {
    return this.#inTurn(() => this.#work!.next(later));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#turn;
    this.#work?.close();
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#turn.then(work);
    this.#turn = done.catch(() => undefined);
    return done;
  }
}

/** One that a worker makes which has no other meanwhile. */
class WorkerExport implements ExportThread {
  readonly #calls: WorkerCalls;
  readonly #start: ExportStart;
  readonly #onGoing: () => void;
  readonly #onRest: (calls: WorkerCalls) => Promise<void>;
  /** Whether its work was opened, and nothing has gone wrong since. */
  #isSound = false;

  /**
   * `onGoing` is called when a block is there, `onRest` at the end: with a worker that takes another export, if it can.
   */
  constructor(
    calls: WorkerCalls,
    start: ExportStart,
    { onGoing, onRest }: { onGoing: () => void; onRest: (calls: WorkerCalls) => Promise<void> },
  ) {
    this.#calls = calls;
    this.#start = start;
    this.#onGoing = onGoing;
    this.#onRest = onRest;
  }

  async open(): Promise<ExportHead> {
    const head = await callExport<ExportHead>(this.#calls, 'open', this.#start);
    this.#isSound = true;
    return head;
  }

  async next(later: LaterView | null): Promise<ExportBlock> {
    try {
      const block = await callExport<ExportBlock>(this.#calls, 'next', later);
      this.#onGoing();
      return block;
    } catch (error) {
      this.#isSound = false;
      throw error;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // One that was broken off comes to the end of its block first.
    if (this.#isSound && (await this.#rests())) await this.#onRest(this.#calls);
    else await this.#calls[Symbol.asyncDispose]();
    this.#onGoing();
  }

  async #rests(): Promise<boolean> {
    try {
      await callExport(this.#calls, 'rest');
      return true;
    } catch {
      return false;
    }
  }
}

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
