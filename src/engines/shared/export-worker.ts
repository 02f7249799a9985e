// The worker of an export, of any engine, has one at a time: as its owner calls it, and its inside, which hands over
// what comes of the calls.

import { parentPort, type Transferable, Worker } from 'node:worker_threads';
import { EngineUnavailable } from '../../model/engine-errors.ts';
import type { ExportBlock } from '../../model/export.ts';
import { standBack } from '../../model/waiting.ts';
import { type CalledMethod, ExportCalls, type ExportThread, type OpenExport } from './exports.ts';
import { type Call, type ErrorMessage, type Reply, remote, run, WorkerCalls } from './worker-calls.ts';

/**
 * Where a limit of the older objects is given, V8 collects them before they grow: an export of 200,000 comments takes
 * 44 MiB instead of 100. The limit itself only has to be far above what the names of an index may take.
 */
const HEAP = { maxYoungGenerationSizeMb: 6, maxOldGenerationSizeMb: 1_024 };

/** A worker. Its calls throw an EngineUnavailable where it has ended. */
export class ExportWorker<Start, Values extends readonly unknown[]>
  extends WorkerCalls
  implements ExportThread<Start, Values>
{
  readonly calls: ExportThread<Start, Values>['calls'];

  /** `entry`: a module that calls `takeExportCalls`. */
  constructor(entry: URL, unpack: (error: ErrorMessage) => Error) {
    super(new Worker(entry, { resourceLimits: HEAP }), unpack);
    this.calls = remote(async (method, values) => {
      try {
        return await this.call(method, values);
      } catch (error) {
        if (error !== this.failure) throw error;
        throw new EngineUnavailable('the thread of an export has ended', { cause: error });
      }
    });
  }
}

/**
 * The workers of exports: those that have made one make the next, since a worker takes longer to start than an export
 * to its first bytes, and each that ends leaves a piece of memory that the system's allocator keeps.
 */
export class ExportWorkers<Start, Values extends readonly unknown[]> implements AsyncDisposable {
  /** Whether those without an export are kept. */
  isKeeping: boolean;
  readonly #make: () => ExportThread<Start, Values>;
  readonly #most: number;
  #resting: ExportThread<Start, Values>[] = [];

  /** At most `most` are kept. */
  constructor(make: () => ExportThread<Start, Values>, most: number, isKeeping: boolean) {
    this.#make = make;
    this.#most = most;
    this.isKeeping = isKeeping;
  }

  take(): ExportThread<Start, Values> {
    this.#forgetEnded();
    return this.#resting.pop() ?? this.#make();
  }

  /** Where some are kept, one stands ready from now on. */
  makeReady(): void {
    this.#forgetEnded();
    if (this.isKeeping && this.#resting.length === 0) this.#resting.push(this.#make());
  }

  /** From an export that is over; one that was broken off comes to the end of its block first. */
  async giveBack(worker: ExportThread<Start, Values>): Promise<void> {
    const rests = await worker.calls.rest().then(
      () => true,
      () => false,
    );
    this.#forgetEnded();
    if (rests && this.isKeeping && this.#resting.length < this.#most) this.#resting.push(worker);
    else await worker[Symbol.asyncDispose]();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.isKeeping = false;
    await Promise.all(this.#resting.splice(0).map((worker) => worker[Symbol.asyncDispose]()));
  }

  #forgetEnded(): void {
    this.#resting = this.#resting.filter(({ isAlive }) => isAlive);
  }
}

/** Of 0 to 19: how far an export stands back behind the threads that answer. */
const EXPORT_NICENESS = 10;

/** To be called once, by the entry of a worker. */
export function takeExportCalls<Start, Values extends readonly unknown[]>(
  open: OpenExport<Start, Values>,
  packError: (error: unknown) => ErrorMessage,
): void {
  const port = parentPort!;
  standBack(EXPORT_NICENESS);
  const calls = new ExportCalls(open);
  const answer = async ({ id, method, values }: Call<CalledMethod>): Promise<void> => {
    try {
      const value = await run(calls, method, values);
      if (method !== 'next') port.postMessage({ id, value } satisfies Reply);
      else {
        const block = value as ExportBlock;
        port.postMessage(...handedOver(id, block));
        if (block.report === undefined) calls.readAhead();
      }
    } catch (error) {
      port.postMessage({ id, error: packError(error) } satisfies Reply);
    }
  };
  port.on('message', (message: Call<CalledMethod> | { readonly kind: 'close' }) => {
    if (message.kind === 'call') answer(message);
    else calls.end().then(() => port.close());
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
