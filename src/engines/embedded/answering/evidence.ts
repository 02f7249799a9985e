// What the records of both kinds say of communities: from the counts by place that each segment keeps.

import type { CommunityEvidence } from '../../../model/engine.ts';
import { leastId } from '../../../model/order.ts';
import type { View, ViewSegment } from '../index/view.ts';
import { liveCounts } from './breakdown.ts';

type BySegment = ReadonlyMap<string, CommunityEvidence>;

/** Kept as long as the segment and its tombstones stay the same. */
const known = new WeakMap<ViewSegment, BySegment>();

/** A name that no live record has is absent. */
export function evidenceOf(views: readonly View[], names: readonly string[]): Map<string, CommunityEvidence> {
  const found = new Map<string, CommunityEvidence>();
  const bySegments = views.flatMap(({ segments }) => segments.map(segmentEvidence));
  for (const name of names) {
    for (const bySegment of bySegments) {
      const evidence = bySegment.get(name);
      if (evidence !== undefined) found.set(name, join(found.get(name), evidence));
    }
  }
  return found;
}

/** How many communities have a live record. */
export function communityCount(view: View): number {
  return new Set(view.segments.flatMap((viewSegment) => [...segmentEvidence(viewSegment).keys()])).size;
}

function segmentEvidence(viewSegment: ViewSegment): BySegment {
  let evidence = known.get(viewSegment);
  if (evidence === undefined) {
    const counted = new Map<string, CommunityEvidence>();
    const counts = liveCounts(viewSegment, 'community');
    for (const [number, { community, communityId, adult }] of viewSegment.segment.places.entries()) {
      const count = counts[number]!;
      if (count === 0) continue;
      const judgedPosts = adult === null ? 0 : count;
      const adultPosts = adult === true ? count : 0;
      counted.set(community, join(counted.get(community), { id: communityId, judgedPosts, adultPosts }));
    }
    evidence = counted;
    known.set(viewSegment, evidence);
  }
  return evidence;
}

function join(a: CommunityEvidence | undefined, b: CommunityEvidence): CommunityEvidence {
  if (a === undefined) return b;
  return {
    id: leastId(a.id, b.id),
    judgedPosts: a.judgedPosts + b.judgedPosts,
    adultPosts: a.adultPosts + b.adultPosts,
  };
}
