// What must see each other in order: each begins when the one before it has ended.

export class Turns {
  #last: Promise<unknown> = Promise.resolve();

  /** Rejects with what `work` throws; those behind it run all the same. */
  take<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#last.then(work);
    this.#last = done.catch(() => undefined);
    return done;
  }
}
