// Every match in the order asked for, place by place, without reading a record: what scans and exports walk along.

import { isOfTop, type Order, type PagePosition, type TimePosition } from '../../../model/pages.ts';
import type { StoredRecord } from '../../../model/record.ts';
import type { NearRows } from '../index/near-rows.ts';
import type { Segment } from '../index/segment.ts';
import type { Deadline } from '../matching/deadline.ts';
import { type Matching, totalOf } from '../matching/matching.ts';
import { CHUNK_DOCS, forEach, rank } from '../sets/chunk.ts';
import { walkByScore } from './score-walk.ts';
import { type Direction, firstSecond, TimeWalk } from './time-walk.ts';
import { rankKey } from './top-selection.ts';

export interface MatchPlace {
  readonly segment: Segment;
  readonly doc: number;
}

/** Behind `after`, which belongs to the order; null: all. */
export function* walkMatches(
  matching: Matching,
  order: Order,
  after: PagePosition | null,
  deadline: Deadline,
): Generator<MatchPlace> {
  if (order === 'top')
    yield* walkByScore(matching, after !== null && isOfTop(after) ? after : null, deadline);
  else yield* walkByTime(matching, order, after !== null && !isOfTop(after) ? after : null);
}

function* walkByTime(
  matching: Matching,
  direction: Direction,
  after: TimePosition | null,
): Generator<MatchPlace> {
  const walk = new TimeWalk(matching.segments, direction, firstSecond(direction, after));
  let given = after === null || after.given === 'all' ? 0 : after.given;
  while (walk.next()) {
    if (given > 0 && walk.created === after!.second) given--;
    else yield { segment: walk.matches.segment, doc: walk.doc };
  }
}

/** How many matches `walkMatches` gives. */
export function countBehind(
  matching: Matching,
  order: Order,
  after: PagePosition | null,
  deadline: Deadline,
): number {
  if (after === null) return totalOf(matching);
  if (isOfTop(after)) return countBelow(matching, rankKey(after.score, after.second), deadline);
  const { second, given } = after;
  const before = countBefore(matching, second, deadline);
  const inSecond = countBefore(matching, second + 1, deadline) - before;
  const left = given === 'all' ? 0 : Math.max(0, inSecond - given);
  return left + (order === 'newest' ? before : totalOf(matching) - before - inSecond);
}

/** Matches created before this second. */
function countBefore(matching: Matching, second: number, deadline: Deadline): number {
  let count = 0;
  for (const matches of matching.segments) {
    const end = matches.segment.firstAt(second);
    for (let chunk = matches.firstChunk; chunk <= matches.lastChunk && chunk * CHUNK_DOCS < end; chunk++) {
      deadline.check();
      const isWhole = end >= Math.min((chunk + 1) * CHUNK_DOCS, matches.segment.docs);
      count += isWhole ? matches.chunkCount(chunk) : rank(matches.chunk(chunk), end - chunk * CHUNK_DOCS);
    }
  }
  return count;
}

/** Matches with a key of `top` below this one. */
function countBelow(matching: Matching, end: number, deadline: Deadline): number {
  let count = 0;
  for (const matches of matching.segments) {
    const { segment } = matches;
    for (let chunk = matches.firstChunk; chunk <= matches.lastChunk; chunk++) {
      deadline.check();
      const docs = matches.chunk(chunk);
      const score = segment.score.chunk(chunk);
      const created = segment.created.chunk(chunk);
      forEach(docs, (doc) => {
        if (rankKey(score[doc]!, created[doc]!) < end) count++;
      });
    }
  }
  return count;
}

/** Texts of a batch in UTF-16 units at the most, but for its last record. */
const BATCH_UNITS = 1 << 20;

/** Records with the places where they were found. */
export interface MatchBatch {
  readonly places: readonly MatchPlace[];
  readonly records: readonly StoredRecord[];
}

/** Reads the records along a walk. */
export class WalkedRecords {
  readonly #rows = new Map<Segment, NearRows>();

  record({ segment, doc }: MatchPlace): StoredRecord {
    let rows = this.#rows.get(segment);
    if (rows === undefined) {
      rows = segment.nearRows();
      this.#rows.set(segment, rows);
    }
    return segment.recordOf(doc, rows.row(doc));
  }
}

/** The next records of a walk: `most` of them, or fewer with long texts; none at the end of the walk. */
export function nextRecords(
  walk: Iterator<MatchPlace>,
  walked: WalkedRecords,
  most: number,
  deadline: Deadline,
): MatchBatch {
  const places: MatchPlace[] = [];
  const records: StoredRecord[] = [];
  let units = 0;
  while (records.length < most && units < BATCH_UNITS) {
    deadline.step();
    const { value: place } = walk.next() as IteratorResult<MatchPlace, undefined>;
    if (place === undefined) break;
    const record = walked.record(place);
    places.push(place);
    records.push(record);
    units += unitsOf(record);
  }
  return { places, records };
}

function unitsOf(record: StoredRecord): number {
  if (record.kind === 'comment') return record.body.length;
  return record.title.length + record.selftext.length + (record.url?.length ?? 0);
}
