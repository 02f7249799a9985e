// The worker of an export, of any engine, has one at a time: as its owner calls it, and its inside, which takes calls
// one after the other and hands over what comes of them.

import { parentPort, type Transferable, Worker } from 'node:worker_threads';
import { EngineUnavailable } from '../../model/engine-errors.ts';
import type { ExportBlock, ExportHead } from '../../model/export.ts';
import { standBack } from '../../model/waiting.ts';
import {
  type Call,
  type ErrorMessage,
  type Remote,
  type Reply,
  remote,
  WorkerCalls,
} from './worker-calls.ts';

/**
 * Where a limit of the older objects is given, V8 collects them before they grow: an export of 200,000 comments takes
 * 44 MiB instead of 100. The limit itself only has to be far above what the names of an index may take.
 */
const HEAP = { maxYoungGenerationSizeMb: 6, maxOldGenerationSizeMb: 1_024 };

/** What the worker of an export does: `open` first, then `next`, one call at a time; after `rest` another `open`. */
interface ExportCalls<Start, Values extends readonly unknown[]> {
  open(start: Start): ExportHead;
  next(...values: Values): ExportBlock;
  rest(): null;
}

/** A worker that makes one export after the other. Its calls throw an EngineUnavailable where it has ended. */
export class ExportWorker<Start, Values extends readonly unknown[]> implements AsyncDisposable {
  readonly calls: Remote<ExportCalls<Start, Values>>;
  readonly #worker: WorkerCalls;

  /** `entry`: a module that calls `takeExportCalls`. */
  constructor(entry: URL, unpack: (error: ErrorMessage) => Error) {
    const worker = new WorkerCalls(new Worker(entry, { resourceLimits: HEAP }), unpack);
    this.#worker = worker;
    this.calls = remote(async (method, values) => {
      try {
        return await worker.call(method, values);
      } catch (error) {
        if (error !== worker.failure) throw error;
        throw new EngineUnavailable('the thread of an export has ended', { cause: error });
      }
    });
  }

  get isAlive(): boolean {
    return this.#worker.failure === null;
  }

  /** Lets the call under way come to its end. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.#worker[Symbol.asyncDispose]();
  }
}

/**
 * The workers of exports: those that have made one make the next, since a worker takes longer to start than an export
 * to its first bytes, and each that ends leaves a piece of memory that the system's allocator keeps.
 */
export class ExportWorkers<Start, Values extends readonly unknown[]> implements AsyncDisposable {
  /** Whether those without an export are kept. */
  isKeeping: boolean;
  readonly #make: () => ExportWorker<Start, Values>;
  readonly #most: number;
  /** They have no export. */
  #resting: ExportWorker<Start, Values>[] = [];

  /** At most `most` are kept. */
  constructor(make: () => ExportWorker<Start, Values>, most: number, isKeeping: boolean) {
    this.#make = make;
    this.#most = most;
    this.isKeeping = isKeeping;
  }

  take(): ExportWorker<Start, Values> {
    this.#forgetEnded();
    return this.#resting.pop() ?? this.#make();
  }

  /** Where some are kept, one stands ready from now on. */
  makeReady(): void {
    this.#forgetEnded();
    if (this.isKeeping && this.#resting.length === 0) this.#resting.push(this.#make());
  }

  /** From an export that is over; one that was broken off comes to the end of its block first. */
  async giveBack(worker: ExportWorker<Start, Values>): Promise<void> {
    const rests = await worker.calls.rest().then(
      () => true,
      () => false,
    );
    this.#forgetEnded();
    if (rests && this.isKeeping && this.#resting.length < this.#most) this.#resting.push(worker);
    else await worker[Symbol.asyncDispose]();
  }

  /** Ends those without an export. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.isKeeping = false;
    await Promise.all(this.#resting.splice(0).map((worker) => worker[Symbol.asyncDispose]()));
  }

  #forgetEnded(): void {
    this.#resting = this.#resting.filter(({ isAlive }) => isAlive);
  }
}

/** An export at work. */
export interface WorkOfExport<Values extends readonly unknown[]> {
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

type ExportMessage = Call<keyof ExportCalls<never, never>> | { readonly kind: 'close' };

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
  const reply = (message: Reply, transfer: Transferable[] = []) => port.postMessage(message, transfer);
  /** Each sends what it gives. */
  const calls: {
    readonly [M in keyof ExportCalls<Start, Values>]: (id: number, values: unknown) => unknown;
  } = {
    open: async (id, values) => {
      work = await open((values as [Start])[0], closing.signal);
      reply({ id, value: work.head });
    },
    next: async (id, values) => {
      const block = await work!.next(...(values as Values));
      reply(...handedOver(id, block));
      if (block.report === undefined) work!.readAhead();
    },
    rest: async (id) => {
      await work!.close();
      work = null;
      reply({ id, value: null });
    },
  };
  const take = async (message: ExportMessage) => {
    if (message.kind === 'close') {
      await work?.close();
      port.close();
      return;
    }
    const { id, method, values } = message;
    try {
      await calls[method](id, values);
    } catch (error) {
      reply({ id, error: packError(error) });
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
