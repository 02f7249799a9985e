// When a question to the cluster is given up: its time budget is over, or its caller has gone.

import { ServiceError } from '../../../errors.ts';

export class Deadline {
  readonly signal: AbortSignal | undefined;
  readonly #end: number;
  readonly #budgetMs: number;

  /** From now on; Infinity: no limit. */
  constructor(budgetMs = Infinity, signal?: AbortSignal) {
    this.signal = signal;
    this.#budgetMs = budgetMs;
    this.#end = performance.now() + budgetMs;
  }

  get isLimited(): boolean {
    return this.#budgetMs !== Infinity;
  }

  /** Milliseconds, above 0; Infinity: no limit. Throws `query_timeout` when the time is over, the signal's reason. */
  left(): number {
    this.signal?.throwIfAborted();
    const left = this.#end - performance.now();
    if (left <= 0) throw this.over();
    return left;
  }

  /** Whether a limit is set that is further off than so many milliseconds, and the caller is there. */
  lasts(ms: number): boolean {
    return this.isLimited && this.signal?.aborted !== true && this.#end - performance.now() > ms;
  }

  /** What it resolves to. Throws what `left` throws, as soon as it would; the work goes on. */
  async within<T>(work: Promise<T>): Promise<T> {
    work.catch(() => undefined);
    const late = Promise.withResolvers<never>();
    const onAbort = () => late.reject(this.signal?.reason);
    let timer: NodeJS.Timeout | undefined;
    try {
      const left = this.left();
      this.signal?.addEventListener('abort', onAbort, { once: true });
      if (this.isLimited) timer = setTimeout(() => late.reject(this.over()), left);
      return await Promise.race([work, late.promise]);
    } finally {
      clearTimeout(timer);
      this.signal?.removeEventListener('abort', onAbort);
    }
  }

  /** That the time is over. */
  over(): ServiceError {
    return new ServiceError('query_timeout', `the query took longer than ${this.#budgetMs} ms`, {
      retryAfter: 1,
    });
  }
}
