// The matches of a view in order, in as few searches as the bytes of the records allow: a search holds all its records
// in memory, at the node and here.

import { countedBytes } from '../../../model/pages.ts';
import { type Hit, MAX_HITS } from './search.ts';

/** Of what a search gives, bytes as `countedBytes` counts. */
const STEP_BYTES = 16 * 1024 * 1024;
/** Records of which nobody knows how long they are: a page of the API, and what was given of its first second. */
export const FIRST_STEP = 128;
/** Behind the ones that were wanted: the rest of a tie. */
const NEXT_STEP = 1_000;

/** How many hits the next search may bring, by what those before it did. */
export class Steps {
  #bytes = 0;
  #hits = 0;

  add(hits: readonly Hit[]): void {
    for (const { _source } of hits) this.count(countedBytes(_source.r));
  }

  /** One that is so long. */
  count(bytes: number): void {
    this.#bytes += bytes;
    this.#hits++;
  }

  most(): number {
    if (this.#hits === 0) return FIRST_STEP;
    return Math.min(MAX_HITS, Math.max(1, Math.floor((STEP_BYTES * this.#hits) / this.#bytes)));
  }
}

interface FirstHits {
  readonly hits: readonly Hit[];
  readonly size: number;
  /** How many are wanted in all, if there are so many. */
  readonly wanted: number;
}

/** Those of the first search, and what `next` gives behind them, as long as somebody takes them. */
export async function* walkHits(
  next: (size: number) => Promise<readonly Hit[]>,
  first: FirstHits,
): AsyncGenerator<Hit> {
  const steps = new Steps();
  let { hits, size } = first;
  for (let left = first.wanted; ; ) {
    yield* hits;
    if (hits.length < size) return;
    left -= hits.length;
    steps.add(hits);
    size = Math.min(steps.most(), left > 0 ? left : NEXT_STEP);
    hits = await next(size);
  }
}

/** So many where nobody knows yet how long they are. */
const FIRST = 32;
const MOST = 500;
/** UTF-16 units that anything counts beside its text. */
const PLAIN = 8;

/** How many whole documents to ask for at once, however long they are. */
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
