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

/** How many hits, or whole documents, the next answer may bring, by what those before it did. */
export class Steps {
  readonly #first: number;
  readonly #atMost: number;
  #bytes = 0;
  #hits = 0;

  /** `first`: so many where nobody knows yet how long they are; `atMost`: however short they are. */
  constructor(first = FIRST_STEP, atMost = MAX_HITS) {
    this.#first = first;
    this.#atMost = atMost;
  }

  add(hits: readonly Hit[]): void {
    for (const { _source } of hits) this.count(countedBytes(_source.r));
  }

  /** One that is so long. */
  count(bytes: number): void {
    this.#bytes += bytes;
    this.#hits++;
  }

  most(): number {
    if (this.#hits === 0) return this.#first;
    return Math.min(this.#atMost, Math.max(1, Math.floor((STEP_BYTES * this.#hits) / this.#bytes)));
  }
}

interface WantedHits {
  /** How many are wanted in all, if there are so many. */
  readonly wanted: number;
  /** What a first search for `size` of them found; absent: nobody has searched yet. */
  readonly found?: { readonly hits: readonly Hit[]; readonly size: number };
}

/** What was found, and what `next` gives behind it, as long as somebody takes them. */
export async function* walkHits(
  next: (size: number) => Promise<readonly Hit[]>,
  { wanted, found }: WantedHits,
): AsyncGenerator<Hit> {
  const steps = new Steps();
  let size = found?.size ?? Math.min(wanted, FIRST_STEP);
  let hits = found?.hits ?? (await next(size));
  for (let left = wanted; ; ) {
    yield* hits;
    if (hits.length < size) return;
    left -= hits.length;
    steps.add(hits);
    size = Math.min(steps.most(), left > 0 ? left : NEXT_STEP);
    hits = await next(size);
  }
}

/** UTF-16 units that anything counts beside its text. */
const PLAIN = 8;

/** About as long as its JSON, in UTF-16 units. */
export function lengthOf(value: unknown): number {
  if (typeof value === 'string') return value.length + PLAIN;
  if (typeof value !== 'object' || value === null) return PLAIN;
  return Object.values(value).reduce((sum: number, each) => sum + lengthOf(each), PLAIN);
}
