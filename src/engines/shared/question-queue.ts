// Questions that wait for a thread, or whatever answers them: first come, first served. What waits longer than its
// budget is refused, so that a caller learns soon that there is too much to do; the time in which threads start does
// not count.

import { ServiceError } from '../../errors.ts';

/** The threads that answer, as the queue sees them. */
interface Readers<Thread> {
  /** One that can begin at once; null where all are at work, or not there yet. */
  idle(): Thread | null;
  /** Whether any has started: until then nobody waits for the questions of others. */
  haveStarted(): boolean;
  /** For the message of a question that has waited too long: for what, and what there was. Absent: for a thread. */
  readonly words?: { readonly expected: string; readonly found: string };
}

const THREADS = { expected: 'a thread for the query', found: 'all of them at work' };

interface Waiting<Thread> {
  start(thread: Thread): void;
  refuse(error: Error): void;
  /** Milliseconds; Infinity: as long as it takes. */
  readonly budgetMs: number;
  clock: NodeJS.Timeout | null;
  readonly done: Promise<unknown>;
}

/** Seconds after which a question that was refused may come again. */
const RETRY_AFTER = 1;

export class QuestionQueue<Thread> {
  readonly #readers: Readers<Thread>;
  readonly #waiting = new Set<Waiting<Thread>>();

  constructor(readers: Readers<Thread>) {
    this.#readers = readers;
  }

  get length(): number {
    return this.#waiting.size;
  }

  /**
   * Calls `start` with the first thread that is free, at once if there is one. Rejects with `busy`, or with the
   * reason of `signal` if it is aborted before; then `start` is not called.
   */
  put<T>(start: (thread: Thread) => Promise<T>, budgetMs: number, signal?: AbortSignal): Promise<T> {
    const thread = this.#waiting.size === 0 ? this.#readers.idle() : null;
    return thread === null ? this.#wait(start, budgetMs, signal) : start(thread);
  }

  /** To be called when a thread has started or has nothing more to do. */
  turn(): void {
    for (const waiting of this.#waiting) {
      const thread = this.#readers.idle();
      if (thread === null) break;
      this.#remove(waiting);
      waiting.start(thread);
    }
    if (this.#readers.haveStarted()) for (const waiting of this.#waiting) this.#startClock(waiting);
  }

  /** Refuses all: there will be no thread for them. */
  giveUp(error: Error): void {
    for (const waiting of this.#waiting) {
      this.#remove(waiting);
      waiting.refuse(error);
    }
  }

  /** Resolves when all that wait now have their answer. */
  async settled(): Promise<void> {
    await Promise.allSettled([...this.#waiting].map(({ done }) => done));
  }

  #wait<T>(
    start: (thread: Thread) => Promise<T>,
    budgetMs: number,
    signal: AbortSignal | undefined,
  ): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    const waiting: Waiting<Thread> = {
      start: (thread) => resolve(start(thread)),
      refuse: reject,
      budgetMs,
      clock: null,
      done: promise,
    };
    const onAbort = () => {
      // uncovered: aborted in the same turn in which a thread takes it
      if (!this.#waiting.has(waiting)) return;
      this.#remove(waiting);
      reject(signal!.reason);
    };
    this.#waiting.add(waiting);
    signal?.addEventListener('abort', onAbort, { once: true });
    promise.catch(() => undefined).finally(() => signal?.removeEventListener('abort', onAbort));
    this.turn();
    return promise;
  }

  #startClock(waiting: Waiting<Thread>): void {
    const { budgetMs } = waiting;
    if (waiting.clock !== null || budgetMs === Infinity) return;
    waiting.clock = setTimeout(() => {
      this.#remove(waiting);
      const { expected, found } = this.#readers.words ?? THREADS;
      const message = `expected ${expected} within ${budgetMs} ms, found ${found}`;
      waiting.refuse(new ServiceError('busy', message, { retryAfter: RETRY_AFTER }));
    }, budgetMs);
  }

  #remove(waiting: Waiting<Thread>): void {
    this.#waiting.delete(waiting);
    if (waiting.clock !== null) clearTimeout(waiting.clock);
  }
}

/** Each piece of work begins when the one before it has ended. */
export class Turns {
  #last: Promise<unknown> = Promise.resolve();

  /** Rejects with what `work` throws; those behind it run all the same. */
  take<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#last.then(work);
    this.#last = done.catch(() => undefined);
    return done;
  }
}
