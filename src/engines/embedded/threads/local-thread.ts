// The caller's own thread as a thread of the engine. What a role needs is loaded for its first call.

import type { ViewData } from '../index/view.ts';
import type { Answering } from './answering-calls.ts';
import type { RoleCalls, ThreadHandle } from './thread-handle.ts';
import { run } from './thread-port.ts';
import { type ThreadOptions, ThreadState } from './thread-state.ts';
import type { Writing } from './writing-calls.ts';

/** Runs calls at once, one after the other; while a role is being loaded, all wait for it in their order. */
export class LocalThread implements AsyncDisposable {
  readonly answering: ThreadHandle<Answering>;
  readonly writing: ThreadHandle<Writing>;
  readonly #state: ThreadState;
  #loading: Promise<unknown> | null = null;
  readonly #closing: (() => void)[] = [];

  constructor(options: ThreadOptions) {
    const state = new ThreadState(options);
    this.#state = state;
    this.answering = this.#role(async () => {
      const { AnsweringCalls } = await import('./answering-calls.ts');
      const calls = new AnsweringCalls(state, options);
      this.#closing.push(() => calls.close());
      return calls;
    });
    this.writing = this.#role(async () => {
      const { WritingCalls } = await import('./writing-calls.ts');
      return new WritingCalls(state);
    });
  }

  show(view: ViewData): void {
    void this.#inTurn(() => this.#state.show(view));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#inTurn(() => {
      for (const close of this.#closing) close();
      this.#state.close();
    });
  }

  #role<Calls extends RoleCalls>(load: () => Promise<Calls>): ThreadHandle<Calls> {
    let calls: Calls | null = null;
    let isLoading = false;
    const loadOnce = () => {
      if (isLoading) return;
      isLoading = true;
      this.#load(async () => {
        calls = await load();
      });
    };
    return {
      pending: 0,
      call: async (method, ...values) => {
        loadOnce();
        return (await this.#inTurn(() => run(calls!, method as string, values))) as never;
      },
    };
  }

  #load(load: () => Promise<void>): void {
    const loading = Promise.all([this.#loading, load()]).then(() => {
      if (this.#loading === loading) this.#loading = null;
    });
    this.#loading = loading;
  }

  #inTurn<T>(work: () => T): T | Promise<T> {
    return this.#loading === null ? work() : this.#loading.then(work);
  }
}
