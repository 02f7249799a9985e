// What the records of both kinds say of communities, from the counts by place that each segment keeps. It reads
// only columns, which are in memory, so it never meets damage of a file.

import type { CommunityEvidence } from '../../../model/evidence.ts';
import { leastId } from '../../../model/order.ts';
import type { Segment } from '../index/segment.ts';
import type { View } from '../index/view.ts';
import { liveCounts } from './name-breakdown.ts';

/** A name that no live record has is absent. */
export function evidenceOf(views: readonly View[], names: Iterable<string>): Map<string, CommunityEvidence> {
  const found = new Map<string, CommunityEvidence>();
  const viewSegments = views.flatMap(({ segments }) => segments);
  for (const name of names) {
    for (const viewSegment of viewSegments) {
      const { places } = viewSegment.segment;
      const counts = liveCounts(viewSegment, 'community');
      for (const number of placesOf(viewSegment.segment).of(name)) {
        const count = counts[number]!;
        if (count === 0) continue;
        const { communityId, adult } = places[number]!;
        found.set(name, join(found.get(name), { id: communityId, ...judged(adult, count) }));
      }
    }
  }
  return found;
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

  of(name: string): number[] {
    const numbers: number[] = [];
    let number = this.#last.get(name) ?? -1;
    while (number >= 0) {
      numbers.push(number);
      number = this.#before[number]! - 1;
    }
    return numbers;
  }
}

function judged(adult: boolean | null, count: number): Pick<CommunityEvidence, 'judgedPosts' | 'adultPosts'> {
  return { judgedPosts: adult === null ? 0 : count, adultPosts: adult === true ? count : 0 };
}

function join(a: CommunityEvidence | undefined, b: CommunityEvidence): CommunityEvidence {
  if (a === undefined) return b;
  return {
    id: leastId(a.id, b.id),
    judgedPosts: a.judgedPosts + b.judgedPosts,
    adultPosts: a.adultPosts + b.adultPosts,
  };
}
