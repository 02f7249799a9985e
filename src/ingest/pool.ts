// Processes blocks in worker threads, or in the main thread for small imports. Results keep the order of the blocks
// while several are under way.

import { Worker } from 'node:worker_threads';
import { Pool } from '../model/waiting.ts';
import { type Block, type Ending, untilError } from './formats/block.ts';

/** Without limits, garbage grows with the machine's memory. The longest value needs a good part of this. */
const WORKER_MEMORY = { maxYoungGenerationSizeMb: 24, maxOldGenerationSizeMb: 640 };

export interface BlockWork {
  /** The address of a WorkModule. */
  readonly module: string;
  readonly options: unknown;
}

interface WorkModule<Result> {
  blockWork(options: unknown): (block: Block) => Result;
}

export async function loadWork<Result>({ module, options }: BlockWork): Promise<(block: Block) => Result> {
  return ((await import(module)) as WorkModule<Result>).blockWork(options);
}

/** Dispose of it: workers keep a process alive. */
export class WorkerPool<Result> {
  readonly #work: BlockWork;
  #here: Promise<(block: Block) => Result> | null = null;
  readonly #size: number;
  /** What each works on; null: it is idle. */
  readonly #jobs = new Map<Worker, PromiseWithResolvers<Result> | null>();
  readonly #blocks = new Pool<Worker>(() => [...this.#jobs].find(([, job]) => job === null)?.[0] ?? null);

  /** `size`: the most workers; 0: everything runs in the main thread. */
  constructor(size: number, work: BlockWork) {
    this.#size = size;
    this.#work = work;
  }

  /** Starts the workers, so that the first blocks need not wait. */
  start(): void {
    while (this.#jobs.size < this.#size) this.#start();
  }

  /** The result of a block. Its bytes may move to the worker. */
  run(block: Block): Promise<Result> {
    if (this.#size === 0) {
      this.#here ??= loadWork<Result>(this.#work);
      return this.#here.then((work) => work(block));
    }
    this.start();
    return this.#blocks.run((worker) => {
      const job = Promise.withResolvers<Result>();
      this.#jobs.set(worker, job);
      worker.postMessage(block, [block.data.buffer]);
      return job.promise;
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#jobs.keys()].map((worker) => worker.terminate()));
  }

  #start(): void {
    const worker = new Worker(new URL('./worker.ts', import.meta.url), {
      workerData: this.#work,
      resourceLimits: WORKER_MEMORY,
    });
    this.#jobs.set(worker, null);
    worker.on('message', (result: Result) => {
      this.#jobs.get(worker)?.resolve(result);
      this.#jobs.set(worker, null);
      this.#blocks.turn();
    });
    worker.on('error', (error) => this.#fail(worker, error));
    worker.on('exit', () => this.#fail(worker, new Error('a worker of the import ended early')));
  }

  /**
   * A worker that ends takes its block with it: the import fails as a whole, and resumes at its checkpoint. An idle
   * worker is simply replaced at the next block.
   */
  #fail(worker: Worker, error: unknown): void {
    const job = this.#jobs.get(worker);
    this.#jobs.delete(worker);
    if (!job) return;
    job.reject(error);
    this.#blocks.giveUp(error);
  }
}

/** Blocks under way in workers: enough to keep them busy while a batch is committed. */
const BLOCKS_IN_FLIGHT = 4;

/**
 * The reader's error follows the results of what it read. A worker's error ends everything, since a block must not be
 * skipped. Reading ends if `isStopped` returns true.
 */
export async function* inOrder<Result>(
  blocks: AsyncIterable<Block>,
  work: (block: Block) => Promise<Result>,
  isStopped: () => boolean,
): AsyncGenerator<Result> {
  const queue: Promise<Result>[] = [];
  const ending: Ending = { error: null };
  for await (const block of untilError(blocks, ending)) {
    const working = work(block);
    working.catch(() => undefined);
    queue.push(working);
    if (queue.length >= BLOCKS_IN_FLIGHT) yield await queue.shift()!;
    if (isStopped()) break;
  }
  for (const working of queue) yield await working;
  if (ending.error !== null) throw ending.error;
}
