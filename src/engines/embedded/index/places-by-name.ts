// The numbers of the places of a segment by the name of their community: by a hash of it as it is written, in chains.
// Two numbers a place, where a Map with the names takes ten times as much, in each thread and for each segment.

import { stringEnd, writtenHash, writtenName } from '../format/keys.ts';
import type { Segment } from './segment.ts';

type PlaceNumbers = Uint16Array | Uint32Array;

class PlacesByName {
  readonly #segment: Segment;
  /** By the last bits of a hash: 1 + the number of the last place that has them; 0: none has. */
  readonly #last: PlaceNumbers;
  /** By place: 1 + the number of the one before it in its chain; 0: it is the first. */
  readonly #before: PlaceNumbers;

  constructor(segment: Segment) {
    const { bytes, starts } = segment.writtenNames('community');
    const count = starts.length;
    const numbers = (length: number) => (count < 2 ** 16 ? new Uint16Array(length) : new Uint32Array(length));
    this.#segment = segment;
    this.#last = numbers(2 ** Math.ceil(Math.log2(count + 1)));
    this.#before = numbers(count);
    for (let number = 0; number < count; number++) {
      const start = starts[number]!;
      const at = writtenHash(bytes, start, stringEnd(bytes, start)) & (this.#last.length - 1);
      this.#before[number] = this.#last[at]!;
      this.#last[at] = number + 1;
    }
  }

  /** Those of the community, down. `hash`: `nameHash` of its name. */
  *numbers(name: string, hash: number): Generator<number> {
    for (let next = this.#last[hash & (this.#last.length - 1)]!; next > 0; next = this.#before[next - 1]!) {
      if (this.#segment.placeAt(next - 1).community === name) yield next - 1;
    }
  }
}

/** What `PlacesByName` finds a name by, in all segments. */
export function nameHash(name: string): number {
  const bytes = writtenName(name);
  return writtenHash(bytes, 0, bytes.length - 1);
}

/** Made once for each segment: its places stay, whichever of its records live. */
const known = new WeakMap<Segment, PlacesByName>();

export function placesByName(segment: Segment): PlacesByName {
  let places = known.get(segment);
  if (places === undefined) {
    places = new PlacesByName(segment);
    known.set(segment, places);
  }
  return places;
}
