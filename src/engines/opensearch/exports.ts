// Exports under way: each has its thread, and its views as long as it runs.

import { Worker } from 'node:worker_threads';
import { untilAborted } from '../../model/aborted.ts';
import { EngineUnavailable } from '../../model/engine-errors.ts';
import type { ExportBlock, ExportHead, ExportRequest, ExportRun } from '../../model/export.ts';
import type { IndexFingerprint } from '../../model/index-fingerprint.ts';
import { pageRequest } from '../../model/order.ts';
import { type Kind, otherKind } from '../../model/record.ts';
import { unpackError } from '../threads/error-messages.ts';
import { WorkerCalls } from '../threads/worker-calls.ts';
import { Deadline } from './deadline.ts';
import type { ExportStart } from './export-work.ts';
import type { Reader } from './reader.ts';
import { Searcher, ViewLost } from './search.ts';
import { fingerprintOf } from './stats.ts';
import type { Store } from './store.ts';
import type { HeldView } from './views.ts';

interface Parts {
  readonly store: Store;
  readonly reader: Reader;
}

/** Of a worker: far above what an export takes, but V8 collects young objects before they grow. */
const HEAP = { maxYoungGenerationSizeMb: 6, maxOldGenerationSizeMb: 1_024 };

export class Exports implements AsyncDisposable {
  readonly #parts: Parts;
  readonly #running = new Set<Running>();

  constructor(store: Store, reader: Reader) {
    this.#parts = { store, reader };
  }

  /** See SearchEngine.export. */
  async open(request: ExportRequest, signal?: AbortSignal): Promise<ExportRun> {
    signal?.throwIfAborted();
    pageRequest(request.order, request.after, { limit: 1 });
    const run = new Running(this.#parts, request, signal, () => this.#running.delete(run));
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
  readonly #parts: Parts;
  readonly #request: ExportRequest;
  readonly #holding: Promise<Record<Kind, HeldView>>;
  readonly #calls: WorkerCalls;
  readonly #ending = new AbortController();
  /** Aborted where the caller has gone or the export was ended. */
  readonly #signal: AbortSignal;
  readonly #onEnd: () => void;
  #ended: Promise<void> | undefined;
  #head: ExportHead | null = null;

  constructor(parts: Parts, request: ExportRequest, signal: AbortSignal | undefined, onEnd: () => void) {
    this.#parts = parts;
    this.#request = request;
    this.#onEnd = onEnd;
    this.#signal =
      signal === undefined ? this.#ending.signal : AbortSignal.any([signal, this.#ending.signal]);
    this.#holding = holdBoth(parts.reader);
    this.#holding.catch(() => undefined);
    const worker = new Worker(new URL('./export-worker.ts', import.meta.url), { resourceLimits: HEAP });
    this.#calls = new WorkerCalls(worker, unpackError);
    this.blocks = this.#iterate();
    this.#signal.addEventListener('abort', () => void this[Symbol.asyncDispose](), { once: true });
  }

  get head(): ExportHead {
    return this.#head!;
  }

  async open(): Promise<void> {
    const { kind } = this.#request;
    this.#head = await untilAborted(this.#signal, async () => {
      const held = await this.#holding;
      const [view, other] = [held[kind].view, held[otherKind(kind)].view];
      const start: ExportStart = {
        settings: this.#parts.store.settings,
        request: this.#request,
        view,
        other,
      };
      return await this.#call<ExportHead>('open', start);
    });
  }

  async fingerprints(): Promise<Record<Kind, IndexFingerprint>> {
    this.#signal.throwIfAborted();
    return await untilAborted(this.#signal, async () => {
      const { post, comment } = await this.#holding;
      return { post: await this.#fingerprint(post), comment: await this.#fingerprint(comment) };
    });
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
    await this.#calls[Symbol.asyncDispose]();
    const held = await this.#holding.catch(() => null);
    held?.post[Symbol.dispose]();
    held?.comment[Symbol.dispose]();
    this.#onEnd();
  }

  async *#iterate(): AsyncGenerator<ExportBlock> {
    try {
      for (let isLast = false; !isLast; ) {
        this.#signal.throwIfAborted();
        const block = await untilAborted(this.#signal, () => this.#call<ExportBlock>('next'));
        isLast = block.report !== undefined;
        if (block.bytes.length > 0 || 'state' in block || isLast) yield block;
      }
    } finally {
      await this[Symbol.asyncDispose]();
    }
  }

  async #call<T>(method: 'open' | 'next', ...values: readonly unknown[]): Promise<T> {
    try {
      return await this.#calls.call(method, values);
    } catch (error) {
      if (error !== this.#calls.failure) throw error;
      throw new EngineUnavailable('the thread of an export has ended', { cause: error });
    }
  }

  async #fingerprint(held: HeldView): Promise<IndexFingerprint> {
    const searcher = new Searcher(this.#parts.store.client, new Deadline(Infinity, this.#signal));
    try {
      return await fingerprintOf(searcher, held.view);
    } catch (error) {
      if (!(error instanceof ViewLost)) throw error;
      using anew = await this.#parts.reader.views.holdSame(held);
      return await fingerprintOf(searcher, anew.view);
    }
  }
}

/** Of both kinds, or none is held. */
async function holdBoth(reader: Reader): Promise<Record<Kind, HeldView>> {
  const [post, comment] = [reader.hold('post'), reader.hold('comment')];
  try {
    return { post: await post, comment: await comment };
  } catch (error) {
    for (const held of await Promise.allSettled([post, comment])) {
      if (held.status === 'fulfilled') held.value[Symbol.dispose]();
    }
    throw error;
  }
}
