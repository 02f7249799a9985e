// When a question to the cluster is given up: its time budget is over, or its caller has gone.

import { ServiceError } from '../../../errors.ts';
import { patiently } from '../../../model/waiting.ts';

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
    const [ms, ended] = [this.left(), Promise.withResolvers<T>()];
    work.then(ended.resolve, ended.reject);
    const { signal } = this;
    return await patiently(ended, { signal, ms, leave: () => true, late: () => this.over() });
  }

  /** That the time is over. */
  over(): ServiceError {
    return new ServiceError('query_timeout', `the query took longer than ${this.#budgetMs} ms`, {
      retryAfter: 1,
    });
  }
}
