// Names that many segments have are kept once in a thread: of a hundred million records in two hundred segments, each
// community has its name in nearly all of them.

import { type CommunityFacts, factsKey } from '../format/community-facts.ts';

/** With more different ones than this, it begins again: what is not used any more goes with those that are. */
const MAX_KNOWN = 2 ** 20;

class Known<T> {
  readonly #known = new Map<string, T>();

  /** The first value that was given under this key. */
  first(key: string, value: T): T {
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    if (this.#known.size >= MAX_KNOWN) this.#known.clear();
    this.#known.set(key, value);
    return value;
  }
}

const names = new Known<string>();
const facts = new Known<CommunityFacts>();

/** The same names, in an array of their own. */
export function sharedNames(own: readonly string[]): readonly string[] {
  return own.map((name) => names.first(name, name));
}

export function sharedFact(own: CommunityFacts): CommunityFacts {
  return facts.first(factsKey(own), own);
}
