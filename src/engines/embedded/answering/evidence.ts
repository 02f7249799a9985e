// What the records of both kinds say of communities, from the counts by place that each segment keeps. It reads
// only columns, which are in memory, so it never meets damage of a file.

import type { CommunityEvidence } from '../../../model/evidence.ts';
import { leastId } from '../../../model/order.ts';
import type { CommunityFacts } from '../format/community-facts.ts';
import type { Segment } from '../index/segment.ts';
import type { View, ViewSegment } from '../index/view.ts';
import { liveCounts } from './name-breakdown.ts';

/** A name that no live record has is absent. */
export function evidenceOf(views: readonly View[], names: Iterable<string>): Map<string, CommunityEvidence> {
  const sums = Array.from(names, (name) => new Sums(name));
  if (sums.length === 0) return new Map();
  // Segment by segment, since looking up what is known of a segment takes longer than a name in it.
  for (const { segments } of views) for (const one of segments) addAll(sums, one);
  return new Map(sums.filter(({ isFound }) => isFound).map((one) => [one.name, one.evidence()]));
}

function addAll(sums: readonly Sums[], viewSegment: ViewSegment): void {
  const { places } = viewSegment.segment;
  const counts = liveCounts(viewSegment, 'community');
  const byName = placesOf(viewSegment.segment);
  for (const one of sums) {
    for (let number = byName.last(one.name); number >= 0; number = byName.before(number)) {
      if (counts[number]! > 0) one.add(places[number]!, counts[number]!);
    }
  }
}

/** What records say of one community. */
class Sums {
  readonly name: string;
  isFound = false;
  #id = '';
  #judgedPosts = 0;
  #adultPosts = 0;

  constructor(name: string) {
    this.name = name;
  }

  add({ communityId, adult }: CommunityFacts, count: number): void {
    this.isFound = true;
    if (communityId !== this.#id) this.#id = leastId(this.#id, communityId);
    if (adult !== null) this.#judgedPosts += count;
    if (adult === true) this.#adultPosts += count;
  }

  evidence(): CommunityEvidence {
    return { id: this.#id, judgedPosts: this.#judgedPosts, adultPosts: this.#adultPosts };
  }
}

/** Made once for each segment: its places stay, whichever of its records live. */
const known = new WeakMap<Segment, PlacesByName>();

function placesOf(segment: Segment): PlacesByName {
  let places = known.get(segment);
  if (places === undefined) {
    places = new PlacesByName(segment);
    known.set(segment, places);
  }
  return places;
}

/** The numbers of the places of a segment by the name of their community. */
class PlacesByName {
  /** By name: the number of its last place. */
  readonly #last = new Map<string, number>();
  /** By place: 1 + the number of the one before it that has the same name; 0: it is the first. */
  readonly #before: Uint32Array;

  constructor({ places }: Segment) {
    this.#before = new Uint32Array(places.length);
    for (const [number, { community }] of places.entries()) {
      this.#before[number] = 1 + (this.#last.get(community) ?? -1);
      this.#last.set(community, number);
    }
  }

  /** −1: no place has the name. */
  last(name: string): number {
    return this.#last.get(name) ?? -1;
  }

  /** The place before this one that has the same name; −1: it is the first. */
  before(number: number): number {
    return this.#before[number]! - 1;
  }
}
