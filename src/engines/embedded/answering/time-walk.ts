// A walk over the matches of all segments in the order of time, one after the other, reading no more than it gives.

import { compareIds, type TimePosition } from '../../../model/order.ts';
import { CHUNK_DOCS, nextMember, previousMember } from '../sets/chunk.ts';
import type { SegmentMatches } from './matching.ts';

/** Matches of one segment, chunk by chunk. */
export type WalkedMatches = Pick<SegmentMatches, 'segment' | 'firstChunk' | 'lastChunk' | 'chunk'>;

/** Where one segment stands: at a match, or (not settled yet) at a doc that no match comes before. */
interface Cursor {
  readonly matches: WalkedMatches;
  doc: number;
  isMatch: boolean;
  /** Second of the doc: looked up once, and compared at each step of the walk. */
  created: number;
}

export type Direction = 'newest' | 'oldest';

export class TimeWalk {
  readonly #direction: Direction;
  /** Of the segments that are not exhausted. */
  readonly #cursors: Cursor[] = [];
  #current: Cursor | null = null;

  /** Begins with the records of second `from` (null: the first of all). */
  constructor(segments: readonly WalkedMatches[], direction: Direction, from: number | null) {
    this.#direction = direction;
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
      this.#cursors.push({ matches, doc, isMatch: false, created: segment.created.at(doc) });
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
    let best: Cursor | null = null;
    let isTied = false;
    for (const cursor of this.#cursors) {
      const ahead = best === null ? -1 : this.#compareTimes(cursor, best);
      if (ahead < 0) best = cursor;
      isTied = ahead === 0 || (isTied && ahead > 0);
    }
    if (best === null || !isTied) return best;
    const { created } = best;
    const tied = this.#cursors.filter((cursor) => cursor.created === created);
    return tied.find((cursor) => !cursor.isMatch) ?? this.#firstById(tied);
  }

  #firstById(tied: readonly Cursor[]): Cursor {
    const sign = this.#direction === 'newest' ? -1 : 1;
    const ids = tied.map(({ matches, doc }) => matches.segment.id(doc));
    let best = 0;
    for (let i = 1; i < ids.length; i++) if (compareIds(ids[i]!, ids[best]!) * sign < 0) best = i;
    return tied[best]!;
  }

  #compareTimes(a: Cursor, b: Cursor): number {
    const difference = a.created - b.created;
    return this.#direction === 'newest' ? -difference : difference;
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
    if (!isInside) this.#cursors.splice(this.#cursors.indexOf(cursor), 1);
    else if (doc !== cursor.doc) {
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
