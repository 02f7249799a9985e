// A thread of the engine as its owner sees it: calls go over and answers come back, whether the thread is a worker or
// the owner itself (local-thread.ts).

import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads';
import { WorkerCalls } from '../../threads/worker-calls.ts';
import { forgetThread } from '../columns/column-memory.ts';
import type { ViewData } from '../index/view.ts';
import { type GoneFlag, goneFlag } from '../matching/deadline.ts';
import type { Answering } from './answering-calls.ts';
import { resultOf } from './result-messages.ts';
import { unpackError } from './thread-errors.ts';
import type { Message } from './thread-port.ts';
import type { ThreadOptions } from './thread-state.ts';
import type { Writing } from './writing-calls.ts';

/** What a thread can be called for, by its role. */
export type RoleCalls = Answering | Writing;

export interface ThreadHandle<Calls extends RoleCalls> {
  /** Never there: for the compiler, which would take threads of one role for those of another. */
  readonly role?: Calls;
  /** Calls that are not answered yet. */
  readonly pending: number;
  call<M extends keyof Calls>(method: M, ...values: ValuesOf<Calls[M]>): Promise<ResultOf<Calls[M]>>;
}

type ValuesOf<Method> = Method extends (...values: infer Values) => unknown ? Values : never;
type ResultOf<Method> = Method extends (...values: never[]) => infer Result ? Result : never;

/**
 * Room for young objects in a thread, in MB. One that writes works on bytes and creates few objects: a whole import
 * takes 100 MB less than with V8's own choice. One that answers would keep up to 64 MB for them after questions about a
 * hundred million records, and keeps 16, in the same processor time; with 8 or 12 here it takes more of that.
 */
const WRITER_YOUNG_MB = 8;
const READER_YOUNG_MB = 24;

/** Runs the calls in a worker of its own, one after the other. */
export class WorkerThread<Calls extends RoleCalls> implements ThreadHandle<Calls>, AsyncDisposable {
  declare readonly role?: Calls;
  readonly #calls: WorkerCalls;
  readonly #onChange: () => void;
  readonly #reader: ThreadOptions['reader'];

  /** `onChange` is called when the worker has started, has answered all calls, or has ended. */
  constructor(options: ThreadOptions, onChange: () => void = () => {}) {
    this.#reader = options.reader;
    this.#onChange = onChange;
    const worker = new Worker(new URL('./worker.ts', import.meta.url), {
      workerData: options,
      resourceLimits: {
        maxYoungGenerationSizeMb: options.reader === undefined ? WRITER_YOUNG_MB : READER_YOUNG_MB,
      },
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

  call<M extends keyof Calls>(method: M, ...values: ValuesOf<Calls[M]>): Promise<ResultOf<Calls[M]>> {
    return this.#calls.call(method as string, values, (sent) =>
      resultOf<ResultOf<Calls[M]>>(method as string, sent),
    );
  }

  /** Makes two readers known to each other. */
  meet(number: number, other: WorkerThread<Calls>, otherNumber: number): void {
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

/**
 * An AbortSignal as other threads see it: a flag in memory that they share. Dispose of it: the signal may live longer
 * than what it was given for.
 */
export class AbortFlag implements Disposable {
  /** null where there is no signal: nothing need be looked at. */
  readonly gone: GoneFlag | null;
  readonly #signal: AbortSignal | undefined;
  readonly #onAbort = () => {
    if (this.gone !== null) Atomics.store(this.gone, 0, 1);
  };

  constructor(signal: AbortSignal | undefined) {
    this.#signal = signal;
    this.gone = signal === undefined ? null : goneFlag();
    if (signal?.aborted) this.#onAbort();
    signal?.addEventListener('abort', this.#onAbort, { once: true });
  }

  [Symbol.dispose](): void {
    this.#signal?.removeEventListener('abort', this.#onAbort);
  }
}
