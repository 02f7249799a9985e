// A thread of the engine as its owner sees it: calls go over and answers come back, whether the thread is a worker or
// the owner itself. Errors that a caller can act on stay what they are.

import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads';
import { type ProblemCode, ServiceError, StorageError, UsageError } from '../../../errors.ts';
import { EngineLimit, type LimitReached } from '../../../model/engine-errors.ts';
import type { Kind } from '../../../model/record.ts';
import { SegmentDamage } from '../format/segment-file.ts';
import type { ViewData } from '../index/view.ts';
import { EngineThread, type ThreadCalls, type ThreadOptions } from './engine-thread.ts';

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
  | {
      readonly kind: 'call';
      readonly id: number;
      readonly method: keyof ThreadCalls;
      readonly values: readonly unknown[];
    }
  | { readonly kind: 'peer'; readonly number: number; readonly port: MessagePort }
  | { readonly kind: 'close' };

/** What comes back; `started` once, before all else. */
export type Reply =
  | { readonly started: true }
  | { readonly id: number; readonly value: unknown }
  | { readonly id: number; readonly error: ErrorMessage };

interface ErrorMessage {
  readonly name: string;
  readonly message: string;
  readonly stack: string | undefined;
  readonly code: unknown;
  /** SQLite's result code. */
  readonly errcode: unknown;
  readonly retryAfter: number | undefined;
  /** Of a SegmentDamage. */
  readonly kind: Kind | null;
  /** Of an EngineLimit. */
  readonly reached: LimitReached | undefined;
}

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

interface PendingCall {
  readonly resolve: (value: never) => void;
  readonly reject: (error: unknown) => void;
}

/** Room for young objects in a thread that writes, in MB: a whole import then takes 100 MB less. */
const WRITER_YOUNG_MB = 8;

/** Runs the calls in a worker of its own, one after the other. */
export class WorkerThread implements ThreadHandle {
  readonly #worker: Worker;
  readonly #onChange: () => void;
  readonly #pending = new Map<number, PendingCall>();
  readonly #exited: Promise<void>;
  readonly #reader: ThreadOptions['reader'];
  #calls = 0;
  #failure: Error | null = null;
  #hasStarted = false;
  #isClosing = false;

  /** `onChange` is called when the worker has started, has answered all calls, or has ended. */
  constructor(options: ThreadOptions, onChange: () => void = () => {}) {
    this.#reader = options.reader;
    this.#onChange = onChange;
    this.#worker = new Worker(new URL('./worker.ts', import.meta.url), {
      workerData: options,
      // The writer works on bytes and creates few objects; a larger young heap would only waste memory.
      ...(options.reader === undefined && { resourceLimits: { maxYoungGenerationSizeMb: WRITER_YOUNG_MB } }),
    });
    this.#exited = new Promise((resolve) => {
      this.#worker.once('exit', () => {
        this.#fail(new Error('a thread of the search engine ended before it had answered'));
        resolve();
      });
    });
    this.#worker.on('error', (error) => {
      this.#fail(new Error('a thread of the search engine failed', { cause: error }));
    });
    this.#worker.on('message', (reply: Reply) => this.#take(reply));
  }

  get pending(): number {
    return this.#pending.size;
  }

  /** False once the worker has ended: its owner makes another. */
  get isAlive(): boolean {
    return this.#failure === null;
  }

  /** True from when it takes calls, also after its end. */
  get hasStarted(): boolean {
    return this.#hasStarted;
  }

  /** Why it has ended; null while it lives. */
  get failure(): Error | null {
    return this.#failure;
  }

  show(view: ViewData): void {
    this.#post({ kind: 'view', view });
  }

  call<M extends keyof ThreadCalls>(
    method: M,
    ...values: Parameters<ThreadCalls[M]>
  ): Promise<ReturnType<ThreadCalls[M]>> {
    // uncovered: a thread dies between its choice and the call
    if (this.#failure !== null) return Promise.reject(this.#failure);
    const id = this.#calls++;
    return new Promise((resolve, reject) => {
      this.#pending.set(id, { resolve, reject });
      this.#tellState();
      this.#worker.ref();
      this.#post({ kind: 'call', id, method, values });
    });
  }

  /** Makes two readers known to each other. */
  meet(number: number, other: WorkerThread, otherNumber: number): void {
    const { port1, port2 } = new MessageChannel();
    this.#worker.postMessage({ kind: 'peer', number: otherNumber, port: port1 } satisfies Message, [port1]);
    other.#worker.postMessage({ kind: 'peer', number, port: port2 } satisfies Message, [port2]);
  }

  /** Lets the calls under way come to their end. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosing = true;
    if (this.#failure === null) {
      this.#worker.ref();
      this.#post({ kind: 'close' });
    }
    await this.#exited;
  }

  /** So that the other readers know who is idle. */
  #tellState(): void {
    if (this.#reader === undefined) return;
    const isThere = this.#hasStarted && this.#failure === null;
    Atomics.store(this.#reader.states, this.#reader.number, isThere ? this.#pending.size : -1);
  }

  #post(message: Message): void {
    this.#worker.postMessage(message);
  }

  #take(reply: Reply): void {
    if ('started' in reply) this.#hasStarted = true;
    else this.#settle(reply);
    this.#tellState();
    if (this.#pending.size > 0) return;
    // The process may end while the worker has nothing to do.
    if (!this.#isClosing) this.#worker.unref();
    this.#onChange();
  }

  #settle(reply: Exclude<Reply, { started: true }>): void {
    const call = this.#pending.get(reply.id);
    this.#pending.delete(reply.id);
    if ('error' in reply) call?.reject(unpackError(reply.error));
    else call?.resolve(reply.value as never);
  }

  #fail(error: Error): void {
    if (this.#failure !== null) return;
    this.#failure = error;
    this.#tellState();
    for (const { reject } of this.#pending.values()) reject(error);
    this.#pending.clear();
    this.#onChange();
  }
}

export function packError(error: unknown): ErrorMessage {
  const { name, message, stack } = error instanceof Error ? error : new Error(String(error));
  const service = error instanceof ServiceError ? error : null;
  const code = service?.code ?? (error as { code?: unknown }).code;
  const { errcode } = error as { errcode?: unknown };
  const reached = error instanceof EngineLimit ? error.reached : undefined;
  const kind = error instanceof SegmentDamage ? error.kind : null;
  return { name, message, stack, code, errcode, retryAfter: service?.retryAfter, kind, reached };
}

export function unpackError(packed: ErrorMessage): Error {
  const { name, message, stack, code, errcode, retryAfter, kind, reached } = packed;
  if (reached !== undefined) return new EngineLimit(reached);
  if (name === 'ServiceError') {
    return new ServiceError(code as ProblemCode, message, retryAfter === undefined ? {} : { retryAfter });
  }
  if (name === 'UsageError') return new UsageError(message);
  if (name === 'StorageError') return new StorageError(message);
  if (name === 'SegmentDamage') return new SegmentDamage(message, { kind });
  const error = Object.assign(new Error(message), { name, code, errcode });
  if (stack !== undefined) error.stack = stack;
  return error;
}
