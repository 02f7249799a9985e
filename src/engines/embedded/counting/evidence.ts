// What the records of both kinds say of communities, from the counts by place that each segment keeps.

import type { CommunityEvidence } from '../../../model/community.ts';
import { leastId } from '../../../model/pages.ts';
import type { CommunityFacts } from '../format/fact-columns.ts';
import { nameHash, placesByName } from '../index/places-by-name.ts';
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
  const byName = placesByName(segment);
  for (const one of sums) {
    for (const number of byName.numbers(one.name, one.hash)) {
      if (counts[number]! > 0) one.add(segment.placeAt(number), counts[number]!);
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
    this.hash = nameHash(name);
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
