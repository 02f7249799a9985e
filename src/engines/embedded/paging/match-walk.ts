// Walks every match in the order asked for, without reading a record, for scans and exports. In the order `top`, memory
// does not grow with the matches: those of each slice of scores between two bands are walked once for each part of them
// that is sorted.

import { isOfTop, type Order, type PagePosition, type TopPosition } from '../../../model/pages.ts';
import type { StoredRecord } from '../../../model/record.ts';
import { SLICES, type Slice } from '../format/keys.ts';
import type { ByteWindow } from '../format/segment-file.ts';
import type { Segment } from '../index/segment.ts';
import type { Deadline } from '../matching/deadline.ts';
import { type Matching, totalOf } from '../matching/matching.ts';
import { CHUNK_DOCS, forEach, rank, WordPool } from '../sets/chunk.ts';
import { type MatchPlace, walkByTime } from './time-walk.ts';
import { rankKey, type SelectedDoc, TopSelection } from './top-page.ts';

/** Walks behind `after`, which belongs to the order; null: from the beginning. */
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

/** The number of matches that `walkMatches` gives. */
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

/** UTF-16 units of a batch's texts, without its last record. */
const BATCH_UNITS = 1 << 20;

/** A record with its place. */
export interface WalkedRecord extends MatchPlace {
  readonly id: string;
  readonly record: StoredRecord;
}

/** Reads the records along a walk. */
export class WalkedRecords {
  readonly #rows = new Map<Segment, ByteWindow>();

  record({ segment, doc }: MatchPlace): StoredRecord {
    return segment.record(doc, this.#rows.getOrInsertComputed(segment, nearRows));
  }
}

function nearRows(segment: Segment): ByteWindow {
  return segment.nearRows();
}

/** The next records of a walk: `most` of them, or fewer with long texts; none at the end. */
export function nextRecords(
  walk: Iterator<MatchPlace>,
  walked: WalkedRecords,
  most: number,
  deadline: Deadline,
): WalkedRecord[] {
  const found: WalkedRecord[] = [];
  let units = 0;
  while (found.length < most && units < BATCH_UNITS) {
    deadline.step();
    const { value: place } = walk.next() as IteratorResult<MatchPlace, undefined>;
    if (place === undefined) break;
    const { segment, doc } = place;
    const record = walked.record(place);
    found.push({ segment, doc, id: record.id, record });
    units += unitsOf(record);
  }
  return found;
}

function unitsOf(record: StoredRecord): number {
  if (record.kind === 'comment') return record.body.length;
  return record.title.length + record.selftext.length + (record.url?.length ?? 0);
}

/** Matches that are sorted together: some 20 MB. */
const MAX_SORTED = 131_072;

/** Every match behind `after`, from the highest slice of scores down, as many at a time as are sorted together. */
function* walkByScore(
  matching: Matching,
  after: TopPosition | null,
  deadline: Deadline,
): Generator<SelectedDoc> {
  let end = after === null ? Infinity : rankKey(after.score, after.second);
  const slices = totalOf(matching) <= MAX_SORTED ? [null] : SLICES;
  for (const slice of slices) {
    if (slice !== null && rankKey(slice.min, 0) >= end) continue;
    for (let isLast = false; !isLast; ) {
      const best = bestBelow(matching, end, slice, deadline);
      yield* best;
      end = best.at(-1)?.key ?? end;
      isLast = best.length < MAX_SORTED;
    }
  }
}

/** The best matches with keys below `end`, and those that tie with the last; in a slice of scores, or of all. */
function bestBelow(
  matching: Matching,
  end: number,
  slice: Slice | null,
  deadline: Deadline,
): readonly SelectedDoc[] {
  const selection = new TopSelection(matching, MAX_SORTED, end);
  selection.addMatches(slice, new WordPool(), deadline);
  return selection.best();
}
