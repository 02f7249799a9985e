// How many questions the cluster is asked at once by one process; the others wait in the order of coming.

import { QuestionQueue } from '../threads/question-queue.ts';

/** Of one process: as many keep several nodes at work, and as many pages are in memory here. */
export const QUESTIONS_AT_ONCE = 32;

export class Places {
  readonly #queue: QuestionQueue<true>;
  #taken = 0;

  constructor(most: number) {
    this.#queue = new QuestionQueue<true>({
      idle: () => (this.#taken < most ? true : null),
      haveStarted: () => true,
      words: { expected: 'room for the query at OpenSearch', found: `${most} others under way` },
    });
  }

  /**
   * Runs `work` once there is a place, at once if there is one. Rejects with `busy` where that takes longer than
   * `budgetMs` (Infinity: however long it takes), with the reason of `signal` where it is aborted before; then `work`
   * is not called.
   */
  take<T>(work: () => Promise<T>, budgetMs: number, signal?: AbortSignal): Promise<T> {
    const start = async () => {
      this.#taken++;
      try {
        return await work();
      } finally {
        this.#taken--;
        this.#queue.turn();
      }
    };
    return this.#queue.put(start, budgetMs, signal);
  }
}
