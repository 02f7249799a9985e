// Matches in the order of time: a walk over all segments that reads no more than it gives; a page along it (contract
// 4.1 and 4.3); and the page of a thread, whose shape is known before its records are read.

import { EMPTY_PAGE, type Page } from '../../../model/engine.ts';
import {
  compareIds,
  type ThreadComment,
  type ThreadRequest,
  TimeCut,
  type TimePageRequest,
  type TimePosition,
} from '../../../model/pages.ts';
import type { StoredRecord } from '../../../model/record.ts';
import { threadPage } from '../../shared/thread-page.ts';
import type { Segment } from '../index/segment.ts';
import { arrivalOf, type View } from '../index/view.ts';
import type { Deadline } from '../matching/deadline.ts';
import type { Matching, SegmentMatches } from '../matching/matching.ts';
import { RowsAhead } from '../matching/plan.ts';
import { CHUNK_DOCS, forEach, nextMember, previousMember } from '../sets/chunk.ts';

/** Where a segment is: at a match, or (not settled) at a doc with no match before it. */
interface Cursor {
  readonly matches: SegmentMatches;
  doc: number;
  isMatch: boolean;
  /** False: the cursor was dropped. */
  isHere: boolean;
  /** Second of the doc, compared at each step of the walk. */
  created: number;
}

type Direction = 'newest' | 'oldest';

export class TimeWalk {
  readonly #direction: Direction;
  /** Cursors of segments that still have docs. */
  readonly #cursors: Cursor[] = [];
  #current: Cursor | null = null;
  /** 1 for the newest first, −1 for the oldest. */
  readonly #sign: number;
  /** The last best cursor, and the first second of all others, which have not moved. */
  #leader: Cursor | null = null;
  #rival = 0;

  /** Begins with the records of second `from` (null: with the first record). */
  constructor(segments: readonly SegmentMatches[], direction: Direction, from: number | null) {
    this.#direction = direction;
    this.#sign = direction === 'newest' ? 1 : -1;
    for (const matches of segments) {
      const { segment } = matches;
      const ends = {
        newest: (matches.lastChunk + 1) * CHUNK_DOCS - 1,
        oldest: matches.firstChunk * CHUNK_DOCS,
      };
      let doc = ends[direction];
      if (direction === 'newest') {
        doc = Math.min(doc, segment.docs - 1);
        if (from !== null) doc = Math.min(doc, segment.firstAt(from + 1) - 1);
      } else if (from !== null) doc = Math.max(doc, segment.firstAt(from));
      if (doc < 0 || doc >= segment.docs) continue;
      this.#cursors.push({ matches, doc, isMatch: false, isHere: true, created: segment.created.at(doc) });
    }
  }

  /** Goes to the next match; false: there is none. */
  next(): boolean {
    if (this.#current !== null) this.#step(this.#current);
    for (;;) {
      const best = this.#best();
      this.#current = best;
      if (best === null) return false;
      if (best.isMatch) return true;
      this.#settle(best);
    }
  }

  get matches(): SegmentMatches {
    return this.#current!.matches;
  }

  get doc(): number {
    return this.#current!.doc;
  }

  get created(): number {
    return this.#current!.created;
  }

  /** The first cursor. If several share its second, all of them are settled before ids decide. */
  #best(): Cursor | null {
    const leader = this.#leader;
    if (leader?.isHere && this.#isBefore(leader.created, this.#rival)) return leader;
    let best: Cursor | null = null;
    let isTied = false;
    let rival = this.#sign * -Infinity;
    for (const cursor of this.#cursors) {
      if (best === null) best = cursor;
      else if (cursor.created === best.created) {
        isTied = true;
        rival = best.created;
      } else if (this.#isBefore(cursor.created, best.created)) {
        rival = best.created;
        best = cursor;
        isTied = false;
      } else if (this.#isBefore(cursor.created, rival)) rival = cursor.created;
    }
    this.#leader = best;
    this.#rival = rival;
    if (best === null || !isTied) return best;
    const { created } = best;
    const tied = this.#cursors.filter((cursor) => cursor.created === created);
    return tied.find((cursor) => !cursor.isMatch) ?? this.#firstById(tied);
  }

  #firstById(tied: readonly Cursor[]): Cursor {
    const ids = tied.map(({ matches, doc }) => matches.segment.id(doc));
    let best = 0;
    for (let i = 1; i < ids.length; i++) if (compareIds(ids[i]!, ids[best]!) * this.#sign > 0) best = i;
    return tied[best]!;
  }

  /** Whether one second comes before another. */
  #isBefore(one: number, other: number): boolean {
    return (one - other) * this.#sign > 0;
  }

  /** Moves to the next match inside the chunk, or to the next chunk. */
  #settle(cursor: Cursor): void {
    const { matches, doc } = cursor;
    const chunk = Math.floor(doc / CHUNK_DOCS);
    const base = chunk * CHUNK_DOCS;
    const docs = matches.chunk(chunk);
    const member =
      this.#direction === 'newest' ? previousMember(docs, doc - base) : nextMember(docs, doc - base);
    if (member >= 0) {
      this.#move(cursor, base + member);
      cursor.isMatch = true;
    } else this.#move(cursor, this.#direction === 'newest' ? base - 1 : base + CHUNK_DOCS);
  }

  #step(cursor: Cursor): void {
    cursor.isMatch = false;
    this.#move(cursor, cursor.doc + (this.#direction === 'newest' ? -1 : 1));
  }

  /** Drops the cursor after the last doc. */
  #move(cursor: Cursor, doc: number): void {
    const { firstChunk, lastChunk, segment } = cursor.matches;
    const isInside =
      doc >= firstChunk * CHUNK_DOCS && doc < Math.min((lastChunk + 1) * CHUNK_DOCS, segment.docs);
    if (!isInside) {
      this.#cursors.splice(this.#cursors.indexOf(cursor), 1);
      cursor.isHere = false;
    } else if (doc !== cursor.doc) {
      cursor.doc = doc;
      cursor.created = segment.created.at(doc);
    }
  }
}

/** The first second of a walk behind this place; null: the first record's. */
function firstSecond(direction: Direction, after: TimePosition | null): number | null {
  if (after === null) return null;
  if (after.given !== 'all') return after.second;
  return direction === 'newest' ? after.second - 1 : after.second + 1;
}

export interface MatchPlace {
  readonly segment: Segment;
  readonly doc: number;
}

/** A page with the places of its records, from which more can be read. */
export interface PlacedPage {
  readonly page: Page;
  /** The place of each record. */
  readonly places: readonly MatchPlace[];
}

export const NOWHERE: PlacedPage = { page: EMPTY_PAGE, places: [] };

/** The number of the commit that brought in each of these places of the view. */
export function arrivalsAt(view: View, places: readonly MatchPlace[]): readonly number[] {
  const sources = new Map(view.segments.map((source) => [source.segment, source]));
  return places.map(({ segment, doc }) => arrivalOf(sources.get(segment)!, doc));
}

export function timePage(matching: Matching, request: TimePageRequest): PlacedPage {
  const { order, after, limit } = request;
  const walk = new TimeWalk(matching.segments, order, firstSecond(order, after));
  const cut = new TimeCut(request);
  const records: StoredRecord[] = [];
  const places: MatchPlace[] = [];
  const ahead = new RowsAhead();
  const read = () => {
    ahead.look(() => walkByTime(matching, order, after).take(limit));
    return walk.matches.segment.record(walk.doc);
  };
  while (walk.next()) {
    const taken = cut.take(walk.created, read);
    if (taken === 'end') break;
    if (taken === null) continue;
    records.push(taken);
    places.push({ segment: walk.matches.segment, doc: walk.doc });
  }
  return { page: { records, ...cut.end }, places };
}

/** The matches behind `after`, without reading one. */
export function* walkByTime(
  { segments }: Matching,
  direction: Direction,
  after: TimePosition | null,
): Generator<MatchPlace> {
  const walk = new TimeWalk(segments, direction, firstSecond(direction, after));
  let given = after === null || after.given === 'all' ? 0 : after.given;
  while (walk.next()) {
    if (given > 0 && walk.created === after!.second) given--;
    else yield { segment: walk.matches.segment, doc: walk.doc };
  }
}

interface FoundComment extends ThreadComment, MatchPlace {}

/** `matching` are comments. */
export function threadOf(matching: Matching, request: ThreadRequest, deadline: Deadline) {
  const comments = commentsOf(matching, deadline);
  const { page, thread, numbers } = threadPage(comments, request, (number) => {
    deadline.step();
    const { segment, doc } = comments[number]!;
    return segment.record(doc);
  });
  return { page, thread, places: numbers.map((number) => comments[number]!) };
}

/** From the oldest on. */
function commentsOf(matching: Matching, deadline: Deadline): FoundComment[] {
  const comments: FoundComment[] = [];
  for (const matches of matching.segments) {
    const { segment } = matches;
    for (let chunk = matches.firstChunk; chunk <= matches.lastChunk; chunk++) {
      forEach(matches.chunk(chunk), (inChunk) => {
        deadline.step();
        const doc = chunk * CHUNK_DOCS + inChunk;
        comments.push({ ...segment.answered(doc), created: segment.created.at(doc), segment, doc });
      });
    }
  }
  return comments.sort((a, b) => a.created - b.created || compareIds(a.id, b.id));
}
