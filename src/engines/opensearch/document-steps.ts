// How many whole documents to ask for at once: an answer is held in memory, at the node and here, however long they
// are.

import { Steps } from './hit-walk.ts';

/** So many where nobody knows yet how long they are. */
const FIRST = 32;
const MOST = 500;
/** UTF-16 units that anything counts beside its text. */
const PLAIN = 8;

export class DocumentSteps {
  readonly #steps = new Steps();
  #isFirst = true;

  /** What the answer before brought; undefined: nothing was there. */
  add(sources: readonly unknown[]): void {
    for (const source of sources) this.#steps.count(lengthOf(source));
    this.#isFirst &&= sources.length === 0;
  }

  most(): number {
    return this.#isFirst ? FIRST : Math.min(MOST, this.#steps.most());
  }
}

/** About as long as its JSON, in UTF-16 units. */
function lengthOf(value: unknown): number {
  if (typeof value === 'string') return value.length + PLAIN;
  if (typeof value !== 'object' || value === null) return PLAIN;
  return Object.values(value).reduce((sum: number, each) => sum + lengthOf(each), PLAIN);
}
