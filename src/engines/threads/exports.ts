// Exports under way, of any engine: one is handed out once it is open, gives its blocks one by one, and ends with its
// last block, with its caller, or with the engine. The worker of an export has one at a time: as its owner calls it, and
// its inside, which takes calls one after the other and hands over what comes of them.

import { parentPort, type Transferable, Worker } from 'node:worker_threads';
import { EngineUnavailable, untilAborted } from '../../model/engine-errors.ts';
import type { ExportBlock, ExportHead, ExportRequest, ExportRun } from '../../model/export.ts';
import { pageRequest } from '../../model/pages.ts';
import { standBack } from '../../niceness.ts';
import { type Call, type ErrorMessage, type Reply, WorkerCalls } from './worker-calls.ts';

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

/** An export at work. */
interface WorkOfExport<Values extends readonly unknown[]> {
  readonly head: ExportHead;
  next(...values: Values): Promise<ExportBlock>;
  /** May begin what the next block needs, after one that is not the last. */
  readAhead(): void;
  close(): void | Promise<void>;
}

interface ExportEntry<Start, Values extends readonly unknown[]> {
  open(start: Start, signal: AbortSignal): Promise<WorkOfExport<Values>>;
  packError(error: unknown): ErrorMessage;
}

type ExportMessage = Call<ExportMethod> | { readonly kind: 'close' };

/** `rest`: the export is over, and the worker is ready for another `open`. */
export type ExportMethod = 'open' | 'next' | 'rest';

/** Of 0 to 19: how far an export stands back behind the threads that answer. */
const EXPORT_NICENESS = 10;

/** To be called once, by the entry of a worker. */
export function takeExportCalls<Start, Values extends readonly unknown[]>({
  open,
  packError,
}: ExportEntry<Start, Values>): void {
  const port = parentPort!;
  standBack(EXPORT_NICENESS);
  const closing = new AbortController();
  let work: WorkOfExport<Values> | null = null;
  let turn: Promise<void> = Promise.resolve();
  const take = async (message: ExportMessage) => {
    if (message.kind === 'close') {
      await work?.close();
      port.close();
      return;
    }
    const { id, method, values } = message;
    try {
      if (method === 'open') {
        work = await open(values[0] as Start, closing.signal);
        port.postMessage({ id, value: work.head } satisfies Reply);
      } else if (method === 'rest') {
        await work!.close();
        work = null;
        port.postMessage({ id, value: null } satisfies Reply);
      } else {
        const block = await work!.next(...(values as Values));
        port.postMessage(...handedOver(id, block));
        if (block.report === undefined) work!.readAhead();
      }
    } catch (error) {
      port.postMessage({ id, error: packError(error) } satisfies Reply);
    }
  };
  port.on('message', (message: ExportMessage) => {
    if (message.kind === 'close') closing.abort(new Error('the export was ended'));
    turn = turn.then(() => take(message));
  });
  port.postMessage({ started: true } satisfies Reply);
}

/** A message, and what goes with it instead of being copied. */
function handedOver(id: number, block: ExportBlock): [Reply, Transferable[]] {
  const bytes = block.bytes.map(ownBytes);
  const transfer = new Set<Transferable>(bytes.map(({ buffer }) => buffer));
  return [{ id, value: { ...block, bytes } satisfies ExportBlock }, [...transfer]];
}

/** The bytes in memory that holds nothing else, so that it can be handed over. */
function ownBytes(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const { buffer, byteLength } = bytes;
  const isOwn = buffer instanceof ArrayBuffer && buffer.byteLength === byteLength;
  return isOwn ? (bytes as Uint8Array<ArrayBuffer>) : Uint8Array.from(bytes);
}
