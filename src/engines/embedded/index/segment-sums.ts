// Sums over the records of a segment: of those that lack what was not kept yet when they came in, and of what each adds
// to the fingerprint of its kind (model/hash.ts).

import type { LackingFacts } from '../../../model/engine.ts';
import { fingerprintMix, type Hash64, Sum64 } from '../../../model/hash.ts';
import { isHeldScore } from '../../../packing/record-codec.ts';
import { ARRIVAL_UNKNOWN, PARENT_UNKNOWN } from '../format/fact-columns.ts';
import type { Segment } from './segment.ts';
import { type DeadDocs, isDead, type View, type ViewSegment } from './view.ts';

const LACKING = PARENT_UNKNOWN | ARRIVAL_UNKNOWN;

/** What live records lack because they came in before it was kept. */
export function lackingFacts(view: View): LackingFacts {
  let parents = 0;
  let arrivals = 0;
  for (const source of view.segments) {
    const [lackParent, lackArrival] = countsOf(source);
    parents += view.kind === 'comment' ? lackParent! : 0;
    arrivals += lackArrival!;
  }
  return { parents, arrivals };
}

/** Counted once for a segment and its dead records. */
function countsOf(source: ViewSegment): Uint32Array {
  let counts = source.memo.get('lacking');
  if (counts === undefined) {
    counts = countsOfMarks(source);
    source.memo.set('lacking', counts);
  }
  return counts;
}

function countsOfMarks({ segment, dead }: ViewSegment): Uint32Array {
  const counts = new Uint32Array(2);
  for (let doc = 0; doc < segment.docs; doc++) {
    const marks = segment.marksAt(doc);
    if ((marks & LACKING) === 0 || isDead(dead, doc)) continue;
    if (marks & PARENT_UNKNOWN) counts[0]!++;
    if (marks & ARRIVAL_UNKNOWN) counts[1]!++;
  }
  return counts;
}

/**
 * Of more docs that die or come back in one commit no sum is made then, so that it does not take long where they are
 * read one by one: the sum of their segment is unknown until upkeep makes it.
 */
export const MAX_SUMMED = 10_000;

/** What a record, live or dead, adds. */
export function mixOf(segment: Segment, doc: number): Hash64 {
  const column = segment.score.at(doc);
  const score = isHeldScore(column) ? segment.record(doc).score : column;
  const { community } = segment.communityOf(doc);
  return fingerprintMix(segment.created.at(doc), score, community, segment.contentHashAt(doc));
}

/** `sum` without these docs and with those. */
export function adjustedSum(
  sum: Hash64,
  segment: Segment,
  {
    without = [],
    with: added = [],
  }: { readonly without?: Iterable<number>; readonly with?: Iterable<number> },
): Hash64 {
  const adjusted = new Sum64();
  adjusted.add(sum);
  for (const doc of without) adjusted.subtract(mixOf(segment, doc));
  for (const doc of added) adjusted.add(mixOf(segment, doc));
  return adjusted.value();
}

/** Over the live docs from `from` to before `to`. */
export function sumOfLive(segment: Segment, dead: DeadDocs, from = 0, to = segment.docs): Hash64 {
  const sum = new Sum64();
  for (let doc = from; doc < to; doc++) if (!isDead(dead, doc)) sum.add(mixOf(segment, doc));
  return sum.value();
}

/**
 * What the sum over docs `from` to before `to` goes up by where `before` were the dead ones and `now` are; `before`
 * null: nothing was in the sum.
 */
export function sumChange(
  segment: Segment,
  before: DeadDocs | null,
  now: DeadDocs,
  { from, to }: { readonly from: number; readonly to: number },
): Hash64 {
  if (before === null) return sumOfLive(segment, now, from, to);
  const change = new Sum64();
  for (let doc = from; doc < to; doc++) {
    const isGone = isDead(now, doc);
    if (isGone === isDead(before, doc)) continue;
    if (isGone) change.subtract(mixOf(segment, doc));
    else change.add(mixOf(segment, doc));
  }
  return change.value();
}
