// The thread of an export as its owner sees it: a worker of its own that ends with it, or the owner itself.

import type { ExportBlock, ExportHead } from '../../../model/export.ts';
import { callExport } from '../../threads/export-calls.ts';
import type { WorkerCalls } from '../../threads/worker-calls.ts';
import type { ExportStart, ExportWork } from './export-work.ts';
import type { LaterView } from './removed-since.ts';

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
export class WorkerExport implements ExportThread {
  readonly #calls: WorkerCalls;
  readonly #start: ExportStart;
  readonly #onGoing: () => void;
  readonly #onRest: (calls: WorkerCalls) => Promise<void>;
  /** Whether its work was opened, and nothing has gone wrong since. */
  #isSound = false;

  /**
   * `onGoing` is called when a block is there, `onRest` at the end: with a worker that takes another export, if it
   * can.
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
