// Exports under way, of any engine: one is handed out once it is open, gives its blocks one by one, and ends with its
// last block, with its caller, or with the engine.

import { EngineUnavailable, untilAborted } from '../../model/engine-errors.ts';
import type { ExportBlock, ExportHead, ExportRequest, ExportRun } from '../../model/export.ts';
import { pageRequest } from '../../model/pages.ts';

/** What an engine does for one export, call by call. */
export interface ExportSteps {
  open(): Promise<ExportHead>;
  /** One without bytes, state and report is passed over. */
  next(): Promise<ExportBlock>;
  fingerprints(): ReturnType<ExportRun['fingerprints']>;
  /** Lets the call under way come to its end, and lets go of all that is held. */
  close(): Promise<void>;
}

export class ExportRuns implements AsyncDisposable {
  readonly #running = new Set<Running>();

  /**
   * See SearchEngine.export. `start` is handed the signal that is aborted where the caller has gone or the export was
   * ended.
   */
  async open(
    request: ExportRequest,
    signal: AbortSignal | undefined,
    start: (signal: AbortSignal) => ExportSteps,
  ): Promise<ExportRun> {
    signal?.throwIfAborted();
    pageRequest(request.order, request.after, { limit: 1 });
    const run = new Running(start, signal, () => this.#running.delete(run));
    this.#running.add(run);
    try {
      await run.open();
      return run;
    } catch (error) {
      await run[Symbol.asyncDispose]();
      throw error;
    }
  }

  /** Ends all. */
  async [Symbol.asyncDispose](): Promise<void> {
    const closed = new EngineUnavailable('the index was closed before the export had ended');
    await Promise.all([...this.#running].map((run) => run.end(closed)));
  }
}

class Running implements ExportRun {
  readonly blocks: AsyncIterable<ExportBlock>;
  readonly #steps: ExportSteps;
  readonly #ending = new AbortController();
  /** Aborted where the caller has gone or the export was ended. */
  readonly #signal: AbortSignal;
  readonly #onEnd: () => void;
  #ended: Promise<void> | undefined;
  #head: ExportHead | null = null;

  constructor(
    start: (signal: AbortSignal) => ExportSteps,
    signal: AbortSignal | undefined,
    onEnd: () => void,
  ) {
    this.#onEnd = onEnd;
    this.#signal =
      signal === undefined ? this.#ending.signal : AbortSignal.any([signal, this.#ending.signal]);
    this.#steps = start(this.#signal);
    this.blocks = this.#iterate();
    this.#signal.addEventListener('abort', () => void this[Symbol.asyncDispose](), { once: true });
  }

  get head(): ExportHead {
    return this.#head!;
  }

  async open(): Promise<void> {
    this.#head = await untilAborted(this.#signal, () => this.#steps.open());
  }

  async fingerprints(): ReturnType<ExportRun['fingerprints']> {
    this.#signal.throwIfAborted();
    return await untilAborted(this.#signal, () => this.#steps.fingerprints());
  }

  end(reason: unknown): Promise<void> {
    this.#ending.abort(reason);
    return this[Symbol.asyncDispose]();
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.#ended ??= this.#close();
    return this.#ended;
  }

  async #close(): Promise<void> {
    // Behind a pause, since the signal disposes again: it must find this close under way.
    await Promise.resolve();
    this.#ending.abort(new EngineUnavailable('the export was ended'));
    await this.#steps.close();
    this.#onEnd();
  }

  async *#iterate(): AsyncGenerator<ExportBlock> {
    try {
      for (let isLast = false; !isLast; ) {
        this.#signal.throwIfAborted();
        const block = await untilAborted(this.#signal, () => this.#steps.next());
        isLast = block.report !== undefined;
        if (block.bytes.length > 0 || 'state' in block || isLast) yield block;
      }
    } finally {
      await this[Symbol.asyncDispose]();
    }
  }
}
