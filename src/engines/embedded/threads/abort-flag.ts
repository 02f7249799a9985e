// An AbortSignal as other threads see it: a flag in memory that they share.

import { type GoneFlag, goneFlag } from '../answering/deadline.ts';

/** Dispose of it: the signal may live longer than what it was given for. */
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
