// What the records of both kinds say of communities, from the counts by place that each segment keeps.

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
  const { segment } = viewSegment;
  const counts = liveCounts(viewSegment, 'community');
  const byName = placesOf(segment);
  for (const one of sums) {
    for (let number = byName.last(one.hash); number >= 0; number = byName.before(number)) {
      const place = segment.placeAt(number);
      if (place.community === one.name && counts[number]! > 0) one.add(place, counts[number]!);
    }
  }
}

/** What records say of one community. */
class Sums {
  readonly name: string;
  readonly hash: number;
  isFound = false;
  #id = '';
  #judgedPosts = 0;
  #adultPosts = 0;

  constructor(name: string) {
    this.name = name;
    this.hash = hashOf(name);
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

/**
 * The numbers of the places of a segment by a hash of the name of their community, in chains: two numbers a place,
 * where a Map with the names takes ten times as much, in each thread and for each segment.
 */
class PlacesByName {
  /** By the last bits of a hash: 1 + the number of the last place that has them; 0: none has. */
  readonly #last: PlaceNumbers;
  /** By place: 1 + the number of the one before it in its chain; 0: it is the first. */
  readonly #before: PlaceNumbers;

  constructor(segment: Segment) {
    const places = segment.places();
    const numbers = (length: number) =>
      places.length < 2 ** 16 ? new Uint16Array(length) : new Uint32Array(length);
    this.#last = numbers(2 ** Math.ceil(Math.log2(places.length + 1)));
    this.#before = numbers(places.length);
    for (const [number, { community }] of places.entries()) {
      const at = hashOf(community) & (this.#last.length - 1);
      this.#before[number] = this.#last[at]!;
      this.#last[at] = number + 1;
    }
  }

  /** −1: no place has a name with this hash. Others may have it too. */
  last(hash: number): number {
    return this.#last[hash & (this.#last.length - 1)]! - 1;
  }

  /** The place before this one in its chain; −1: it is the first. */
  before(number: number): number {
    return this.#before[number]! - 1;
  }
}

type PlaceNumbers = Uint16Array | Uint32Array;

/** FNV-1a of its UTF-16 units, with the high bits mixed into the low ones, which are used. */
function hashOf(name: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < name.length; i++) hash = Math.imul(hash ^ name.charCodeAt(i), 0x01000193);
  return hash ^ (hash >>> 15);
}
