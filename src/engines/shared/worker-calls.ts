// Calls to a worker, and the answers that come back. Errors that a caller can act on stay what they are.

import type { Transferable, Worker } from 'node:worker_threads';
import { type ProblemCode, type Refusal, ServiceError, StorageError, UsageError } from '../../errors.ts';
import { EngineLimit, EngineUnavailable, IndexDamage, type LimitReached } from '../../model/engine-errors.ts';

/**
 * What a thread does when it is called: each method runs there, and what it gives comes back. Where a method is called,
 * its definition is the one that runs.
 */
export type Remote<Calls> = {
  readonly [M in keyof Calls]: Calls[M] extends (...values: infer Values) => infer Result
    ? (...values: Values) => Promise<Awaited<Result>>
    : never;
};

/** Hands every method of `Calls` on, by its name. */
export function remote<Calls extends object>(
  call: (method: string, values: readonly unknown[]) => Promise<unknown>,
): Remote<Calls> {
  const methodOf = (_: object, method: string | symbol) =>
    // It is no promise, whoever awaits it.
    typeof method === 'symbol' || method === 'then'
      ? undefined
      : (...values: readonly unknown[]) => call(method, values);
  return new Proxy({}, { get: methodOf }) as Remote<Calls>;
}

export function run(calls: object, method: string, values: readonly unknown[]): unknown {
  const found = (calls as Readonly<Record<string, (...values: readonly unknown[]) => unknown>>)[method]!;
  return found.apply(calls, values as unknown[]);
}

/** What goes to the worker. */
export interface Call<Method extends string> {
  readonly kind: 'call';
  readonly id: number;
  readonly method: Method;
  readonly values: readonly unknown[];
}

/** What comes back; `started` once, before all else. */
export type Reply =
  | { readonly started: true }
  | { readonly id: number; readonly value: unknown }
  | { readonly id: number; readonly error: ErrorMessage };

interface PendingCall {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** The worker keeps the process alive while a call is not answered. It ends when it is sent a `close`. */
export class WorkerCalls implements AsyncDisposable {
  readonly #worker: Worker;
  readonly #unpack: (error: ErrorMessage) => Error;
  readonly #onChange: () => void;
  readonly #pending = new Map<number, PendingCall>();
  readonly #exited: Promise<void>;
  #calls = 0;
  #failure: Error | null = null;
  #hasStarted = false;
  #isClosing = false;

  /**
   * `unpack` makes the error of what the worker sends. `onChange` is called when the worker has started or ended, and
   * at each call and each answer.
   */
  constructor(worker: Worker, unpack: (error: ErrorMessage) => Error, onChange: () => void = () => {}) {
    this.#worker = worker;
    this.#unpack = unpack;
    this.#onChange = onChange;
    this.#exited = new Promise((resolve) => {
      worker.once('exit', () => {
        this.#fail(new Error('a thread of the search engine ended before it had answered'));
        resolve();
      });
    });
    worker.on('error', (error) => {
      this.#fail(new Error('a thread of the search engine failed', { cause: error }));
    });
    worker.on('message', (reply: Reply) => this.#take(reply));
  }

  /** Calls that are not answered yet. */
  get pending(): number {
    return this.#pending.size;
  }

  /** True from when it takes calls, also after its end. */
  get hasStarted(): boolean {
    return this.#hasStarted;
  }

  /** Why it has ended; null while it lives. */
  get failure(): Error | null {
    return this.#failure;
  }

  get isAlive(): boolean {
    return this.#failure === null;
  }

  /** `read` makes the result of what the worker sends for it. */
  call<Result>(
    method: string,
    values: readonly unknown[],
    read: (sent: unknown) => Result = (sent) => sent as Result,
  ): Promise<Result> {
    // uncovered: a thread dies between its choice and the call
    if (this.#failure !== null) return Promise.reject(this.#failure);
    const id = this.#calls++;
    return new Promise((resolve, reject) => {
      this.#pending.set(id, { resolve: (sent) => resolve(read(sent)), reject });
      this.#onChange();
      this.#worker.ref();
      this.post({ kind: 'call', id, method, values } satisfies Call<string>);
    });
  }

  post(message: unknown, transfer: readonly Transferable[] = []): void {
    this.#worker.postMessage(message, transfer);
  }

  /** Lets the calls under way come to their end. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosing = true;
    if (this.#failure === null) {
      this.#worker.ref();
      this.post({ kind: 'close' });
    }
    await this.#exited;
  }

  #take(reply: Reply): void {
    if ('started' in reply) this.#hasStarted = true;
    else this.#settle(reply);
    // The process may end while the worker has nothing to do.
    if (this.#pending.size === 0 && !this.#isClosing) this.#worker.unref();
    this.#onChange();
  }

  #settle(reply: Exclude<Reply, { started: true }>): void {
    const call = this.#pending.get(reply.id);
    this.#pending.delete(reply.id);
    if ('error' in reply) call?.reject(this.#unpack(reply.error));
    else call?.resolve(reply.value);
  }

  #fail(error: Error): void {
    if (this.#failure !== null) return;
    this.#failure = error;
    for (const { reject } of this.#pending.values()) reject(error);
    this.#pending.clear();
    this.#onChange();
  }
}

export interface ErrorMessage {
  readonly name: string;
  readonly message: string;
  readonly stack: string | undefined;
  readonly code: unknown;
  /** SQLite's result code. */
  readonly errcode: unknown;
  readonly retryAfter: number | undefined;
  /** Of a StorageError. */
  readonly refusal: Refusal | null;
  /** Of an EngineLimit. */
  readonly reached: LimitReached | undefined;
}

export function packError(error: unknown): ErrorMessage {
  const { name, message, stack } = error instanceof Error ? error : new Error(String(error));
  const told = error instanceof ServiceError || error instanceof EngineUnavailable ? error : null;
  const { code, errcode } = error as { code?: unknown; errcode?: unknown };
  const refusal = error instanceof StorageError ? error.refusal : null;
  const reached = error instanceof EngineLimit ? error.reached : undefined;
  const isUnavailable = error instanceof EngineUnavailable || error instanceof IndexDamage;
  return {
    ...{ name: isUnavailable ? 'EngineUnavailable' : name, message, stack },
    ...{ code, errcode, retryAfter: told?.retryAfter, refusal, reached },
  };
}

export function unpackError({
  name,
  message,
  stack,
  code,
  errcode,
  retryAfter,
  refusal,
  reached,
}: ErrorMessage): Error {
  if (reached !== undefined) return new EngineLimit(reached);
  const told = retryAfter === undefined ? {} : { retryAfter };
  if (name === 'ServiceError') return new ServiceError(code as ProblemCode, message, told);
  if (name === 'EngineUnavailable') return new EngineUnavailable(message, told);
  if (name === 'UsageError') return new UsageError(message);
  if (name === 'StorageError') return new StorageError(message, { refusal });
  const error = Object.assign(new Error(message), { name, code, errcode });
  if (stack !== undefined) error.stack = stack;
  return error;
}
