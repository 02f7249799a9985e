// A walk over the matches of all segments in the order of time, one after the other, reading no more than it gives.

import { compareIds, type TimePosition } from '../../../model/pages.ts';
import type { SegmentMatches } from '../matching/matching.ts';
import { CHUNK_DOCS, nextMember, previousMember } from '../sets/chunk.ts';

/** Matches of one segment, chunk by chunk. */
export type WalkedMatches = Pick<SegmentMatches, 'segment' | 'firstChunk' | 'lastChunk' | 'chunk'>;

/** Where one segment stands: at a match, or (not settled yet) at a doc that no match comes before. */
interface Cursor {
  readonly matches: WalkedMatches;
  doc: number;
  isMatch: boolean;
  /** False: it was dropped. */
  isHere: boolean;
  /** Second of the doc: looked up once, and compared at each step of the walk. */
  created: number;
}

export type Direction = 'newest' | 'oldest';

export class TimeWalk {
  readonly #direction: Direction;
  /** Of the segments that are not exhausted. */
  readonly #cursors: Cursor[] = [];
  #current: Cursor | null = null;
  /** 1 for the newest first, −1 for the oldest. */
  readonly #sign: number;
  /** The cursor that was looked for last, and the second of the first of the others, which stay where they are. */
  #leader: Cursor | null = null;
  #rival = 0;

  /** Begins with the records of second `from` (null: the first of all). */
  constructor(segments: readonly WalkedMatches[], direction: Direction, from: number | null) {
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

  /** Goes to the next match; false at the end. */
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

  /** The match walked to. */
  get matches(): WalkedMatches {
    return this.#current!.matches;
  }

  get doc(): number {
    return this.#current!.doc;
  }

  get created(): number {
    return this.#current!.created;
  }

  /**
   * The cursor that comes first. Where the first second is shared, all of its cursors are settled before ids decide.
   */
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

  /** Moves to the match that comes next inside the chunk, or to the border of the next chunk. */
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

  /** Behind the last doc, the cursor is dropped. */
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

/** The second that a walk behind this place begins with; null: the first there is. */
export function firstSecond(direction: Direction, after: TimePosition | null): number | null {
  if (after === null) return null;
  if (after.given !== 'all') return after.second;
  return direction === 'newest' ? after.second - 1 : after.second + 1;
}
