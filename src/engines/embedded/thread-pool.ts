// The threads of an engine: some that answer questions, one that writes, one that helps it with large batches, one that
// merges. Each is started when it is first needed; without workers all are the caller's own.

import type { ThreadOptions } from './engine-thread.ts';
import { MAX_PEERS, peerStates } from './helpers.ts';
import { LocalThread, type ThreadHandle, WorkerThread } from './thread-handle.ts';
import type { ViewData } from './view.ts';

export class ThreadPool implements AsyncDisposable {
  readonly #options: ThreadOptions;
  readonly #workers: number;
  readonly #local: LocalThread | null;
  readonly #readers: WorkerThread[] = [];
  readonly #states = peerStates();
  #writer: WorkerThread | null = null;
  #helper: WorkerThread | null = null;
  #merger: WorkerThread | null = null;
  readonly #views = new Map<string, ViewData>();

  /** `workers` answer questions; 0: everything runs in the caller's thread. */
  constructor(options: ThreadOptions, workers: number) {
    this.#options = options;
    this.#workers = Math.min(workers, MAX_PEERS);
    this.#local = workers === 0 ? new LocalThread(options) : null;
  }

  /** Calls made from now on see this view. */
  show(view: ViewData): void {
    this.#views.set(view.kind, view);
    this.#local?.show(view);
    for (const thread of this.#alive()) thread.show(view);
  }

  /** The thread that has the least to do. There are two from the first question on: one helps the other. */
  reader(): ThreadHandle {
    if (this.#local !== null) return this.#local;
    for (const [i, thread] of this.#readers.entries()) if (!thread.isAlive) this.#startReader(i);
    while (this.#readers.length < Math.min(2, this.#workers)) this.#startReader(this.#readers.length);
    const idle = this.#readers.find(({ pending }) => pending === 0);
    if (idle !== undefined) return idle;
    if (this.#readers.length < this.#workers) return this.#startReader(this.#readers.length);
    return this.#readers.reduce((least, thread) => (thread.pending < least.pending ? thread : least));
  }

  writer(): ThreadHandle {
    if (this.#local !== null) return this.#local;
    if (!this.#writer?.isAlive) this.#writer = this.#start();
    return this.#writer;
  }

  /** Prepares a part of a batch beside the writer; null where all runs in one thread. */
  helper(): ThreadHandle | null {
    if (this.#local !== null) return null;
    if (!this.#helper?.isAlive) this.#helper = this.#start();
    return this.#helper;
  }

  merger(): ThreadHandle {
    if (this.#local !== null) return this.#local;
    if (!this.#merger?.isAlive) this.#merger = this.#start();
    return this.#merger;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([this.#local, ...this.#alive()].map((thread) => thread?.[Symbol.asyncDispose]()));
  }

  #startReader(number: number): WorkerThread {
    const thread = this.#start({ states: this.#states, number });
    for (const [other, reader] of this.#readers.entries()) {
      if (other !== number && reader.isAlive) thread.meet(number, reader, other);
    }
    this.#readers[number] = thread;
    return thread;
  }

  #start(reader?: ThreadOptions['reader']): WorkerThread {
    const thread = new WorkerThread({ ...this.#options, ...(reader && { reader }) });
    for (const view of this.#views.values()) thread.show(view);
    return thread;
  }

  #alive(): WorkerThread[] {
    return [...this.#readers, this.#writer, this.#helper, this.#merger].filter(
      (thread) => thread?.isAlive === true,
    ) as WorkerThread[];
  }
}
