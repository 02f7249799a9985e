// Sums over the records of a segment, read from columns without the dead: what each adds to the fingerprint of its kind
// (model/hash.ts), how many lack what was not kept yet when they came in, and how many live by day.

import type { LackingFacts } from '../../../model/engine.ts';
import { fingerprintMix, type Hash64, Sum64 } from '../../../model/hash.ts';
import { DAY } from '../../../model/time.ts';
import { isHeldScore } from '../../packing/record-codec.ts';
import { DayCounter, type DayTable, isEarly } from '../../shared/day-table.ts';
import {
  ARRIVAL_UNKNOWN,
  PARENT_UNKNOWN,
  RETRIEVED_IN_ROW,
  UNRATED,
  WITHDRAWN,
} from '../format/segment-columns.ts';
import { SegmentDamage } from '../format/segment-file.ts';
import { CHUNK_DOCS } from '../sets/chunk.ts';
import { type DeadDocs, isDead, type Segment } from './segment.ts';
import type { View, ViewSegment } from './view.ts';

const LACKING = PARENT_UNKNOWN | ARRIVAL_UNKNOWN;

/** Facts that live records lack because they were imported before the fact was stored. */
export function lackingFacts(view: View): LackingFacts {
  let parents = 0;
  let arrivals = 0;
  for (const source of view.segments) {
    const [lackParent, lackArrival] = source.memo.getOrInsertComputed('lacking', () => countsOfMarks(source));
    parents += view.kind === 'comment' ? lackParent! : 0;
    arrivals += lackArrival!;
  }
  return { parents, arrivals };
}

/** Is made once for a segment and its dead records. */
function countsOfMarks({ segment, dead }: ViewSegment): Uint32Array {
  const counts = new Uint32Array(2);
  for (let doc = 0; doc < segment.docs; doc++) {
    const marks = segment.facts.at('marks', doc);
    if ((marks & LACKING) === 0 || isDead(dead, doc)) continue;
    if (marks & PARENT_UNKNOWN) counts[0]!++;
    if (marks & ARRIVAL_UNKNOWN) counts[1]!++;
  }
  return counts;
}

/** If more records die or come back at once, sums become unknown until upkeep makes them: it would take long. */
export const MAX_SUMMED = 10_000;

/** The share of a record, live or dead. */
export function mixOf(segment: Segment, doc: number): Hash64 {
  const column = segment.score.at(doc);
  const score = isHeldScore(column) ? segment.record(doc).score : column;
  const { community } = segment.communityOf(doc);
  return fingerprintMix(segment.created.at(doc), score, community, segment.facts.contentHash(doc));
}

/** Live docs of a segment that die, and dead ones that come back. */
export interface ChangedDocs {
  readonly source: ViewSegment;
  readonly without: Iterable<number>;
  readonly back?: Iterable<number>;
}

/** The sums of these segments afterwards. One is absent where it was, over MAX_SUMMED docs, or if texts are damaged. */
export function sumsAfter(changed: readonly ChangedDocs[]): ReadonlyMap<string, Hash64> {
  const sums = new Map<string, Hash64>();
  let summed = 0;
  for (const { source, without, back = [] } of changed) {
    const { segment, sum } = source;
    if (sum === null) continue;
    const after = new Sum64(sum);
    try {
      for (const doc of without) if (++summed <= MAX_SUMMED) after.subtract(mixOf(segment, doc));
      for (const doc of back) if (++summed <= MAX_SUMMED) after.add(mixOf(segment, doc));
      if (summed <= MAX_SUMMED) sums.set(segment.name, after.value());
    } catch (error) {
      if (!(error instanceof SegmentDamage)) throw error;
    }
  }
  return sums;
}

/** Sums up the live docs from `from` to before `to`. */
export function sumOfLive(segment: Segment, dead: DeadDocs, from: number, to: number): Hash64 {
  const sum = new Sum64();
  for (let doc = from; doc < to; doc++) if (!isDead(dead, doc)) sum.add(mixOf(segment, doc));
  return sum.value();
}

/** Counts the live docs from `from` to before `to` by day. */
export function daysOfLive(segment: Segment, dead: DeadDocs, from: number, to: number): DayTable {
  const counter = new DayCounter();
  for (let at = from; at < to; ) {
    const end = Math.min(to, at - (at % CHUNK_DOCS) + CHUNK_DOCS);
    countLive(segment, dead, { from: at, to: end }, counter);
    at = end;
  }
  return counter.table();
}

const WITHDRAWN_BIT = 31 - Math.clz32(WITHDRAWN);

/** The chunk that is being counted. */
const retrieved = new Uint32Array(CHUNK_DOCS);
const sentiment = new Uint32Array(CHUNK_DOCS);
const marks = new Uint32Array(CHUNK_DOCS);

/** Counts docs of one chunk from its columns. Hot: no object for a doc, and no branch on unpredictable values. */
function countLive(
  segment: Segment,
  dead: DeadDocs,
  { from, to }: { readonly from: number; readonly to: number },
  counter: DayCounter,
): void {
  const chunk = Math.floor(from / CHUNK_DOCS);
  segment.facts.readChunk('retrieved', chunk, retrieved);
  segment.facts.readChunk('sentiment', chunk, sentiment);
  segment.facts.readChunk('marks', chunk, marks);
  const created = segment.created.chunk(chunk);
  const isRated = segment.kind === 'comment' ? 1 : 0;
  const words = dead[chunk] ?? null;
  const base = chunk * CHUNK_DOCS;
  for (let doc = from; doc < to; ) {
    const day = Math.floor(created[doc - base]! / DAY);
    const end = Math.min(to, segment.firstAt((day + 1) * DAY, doc));
    let [records, withdrawn, unrated, timed, early] = [0, 0, 0, 0, 0];
    for (; doc < end; doc++) {
      const at = doc - base;
      if (words !== null && (words[at >>> 5]! >>> (at & 31)) & 1) continue;
      records++;
      withdrawn += (marks[at]! >>> WITHDRAWN_BIT) & 1;
      // 0 if it is unrated.
      const rating = sentiment[at]! ^ UNRATED;
      unrated += isRated & ~((rating | -rating) >>> 31);
      let copied = retrieved[at]!;
      if (copied === RETRIEVED_IN_ROW) copied = segment.facts.retrieved(doc);
      if (copied === 0) continue;
      timed++;
      if (isEarly(copied, created[at]!)) early++;
    }
    if (records > 0) counter.add(day, [records, withdrawn, unrated, timed, early]);
  }
}
