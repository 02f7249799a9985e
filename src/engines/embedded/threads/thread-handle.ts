// A thread of the engine as its owner sees it: calls go over and answers come back, whether the thread is a worker or
// the owner itself.

import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads';
import { type Call, WorkerCalls } from '../../threads/worker-calls.ts';
import { forgetThread } from '../index/column-memory.ts';
import type { ViewData } from '../index/view.ts';
import { EngineThread, type ThreadCalls, type ThreadOptions } from './engine-thread.ts';
import { resultOf } from './result-messages.ts';
import { unpackError } from './thread-errors.ts';

export interface ThreadHandle extends AsyncDisposable {
  /** Calls that are not answered yet. */
  readonly pending: number;
  show(view: ViewData): void;
  call<M extends keyof ThreadCalls>(
    method: M,
    ...values: Parameters<ThreadCalls[M]>
  ): Promise<ReturnType<ThreadCalls[M]>>;
}

/** What goes to a worker. */
export type Message =
  | { readonly kind: 'view'; readonly view: ViewData }
  | Call<keyof ThreadCalls>
  | { readonly kind: 'peer'; readonly number: number; readonly port: MessagePort }
  | { readonly kind: 'close' };

/** Runs the calls in the thread of the caller, at once. */
export class LocalThread implements ThreadHandle {
  readonly pending = 0;
  readonly #thread: EngineThread;

  constructor(options: ThreadOptions) {
    this.#thread = new EngineThread(options);
  }

  show(view: ViewData): void {
    this.#thread.show(view);
  }

  async call<M extends keyof ThreadCalls>(
    method: M,
    ...values: Parameters<ThreadCalls[M]>
  ): Promise<ReturnType<ThreadCalls[M]>> {
    const run = this.#thread[method] as (...args: Parameters<ThreadCalls[M]>) => ReturnType<ThreadCalls[M]>;
    return run.apply(this.#thread, values);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#thread.close();
  }
}

/** Room for young objects in a thread that writes, in MB: a whole import then takes 100 MB less. */
const WRITER_YOUNG_MB = 8;

/** Runs the calls in a worker of its own, one after the other. */
export class WorkerThread implements ThreadHandle {
  readonly #calls: WorkerCalls;
  readonly #onChange: () => void;
  readonly #reader: ThreadOptions['reader'];

  /** `onChange` is called when the worker has started, has answered all calls, or has ended. */
  constructor(options: ThreadOptions, onChange: () => void = () => {}) {
    this.#reader = options.reader;
    this.#onChange = onChange;
    const worker = new Worker(new URL('./worker.ts', import.meta.url), {
      workerData: options,
      // The writer works on bytes and creates few objects; a larger young heap would only waste memory.
      ...(options.reader === undefined && { resourceLimits: { maxYoungGenerationSizeMb: WRITER_YOUNG_MB } }),
    });
    const { memory } = options;
    const { threadId } = worker;
    if (memory !== undefined) worker.once('exit', () => forgetThread(memory, threadId));
    this.#calls = new WorkerCalls(worker, unpackError, () => this.#onCalls());
  }

  get pending(): number {
    return this.#calls.pending;
  }

  /** False once the worker has ended: its owner makes another. */
  get isAlive(): boolean {
    return this.#calls.failure === null;
  }

  /** True from when it takes calls, also after its end. */
  get hasStarted(): boolean {
    return this.#calls.hasStarted;
  }

  /** Why it has ended; null while it lives. */
  get failure(): Error | null {
    return this.#calls.failure;
  }

  show(view: ViewData): void {
    this.#post({ kind: 'view', view });
  }

  call<M extends keyof ThreadCalls>(
    method: M,
    ...values: Parameters<ThreadCalls[M]>
  ): Promise<ReturnType<ThreadCalls[M]>> {
    return this.#calls.call(method, values, (sent) => resultOf(method, sent));
  }

  /** Makes two readers known to each other. */
  meet(number: number, other: WorkerThread, otherNumber: number): void {
    const { port1, port2 } = new MessageChannel();
    this.#post({ kind: 'peer', number: otherNumber, port: port1 }, [port1]);
    other.#post({ kind: 'peer', number, port: port2 }, [port2]);
  }

  /** Lets the calls under way come to their end. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.#calls[Symbol.asyncDispose]();
  }

  #onCalls(): void {
    this.#tellState();
    if (this.pending === 0) this.#onChange();
  }

  /** So that the other readers know who is idle. */
  #tellState(): void {
    if (this.#reader === undefined) return;
    const isThere = this.hasStarted && this.isAlive;
    Atomics.store(this.#reader.states, this.#reader.number, isThere ? this.pending : -1);
  }

  #post(message: Message, transfer: readonly MessagePort[] = []): void {
    this.#calls.post(message, transfer);
  }
}
