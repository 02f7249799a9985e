// Which row of a breakdown counts a doc: by a column of its segment, a chunk at a time.

import {
  LEAST_SENTIMENT,
  SCALES,
  SCORES_AT_LEAST,
  SCORES_AT_MOST,
  type ScaleField,
  scoreBand,
  sentimentPlace,
  weekdayHour,
} from '../../../model/analyses.ts';
import { ratingUnits } from '../../../model/copies.ts';
import type { NameField } from '../../../model/engine.ts';
import { columnSentiment, RATED_IN_ROW, UNRATED } from '../format/fact-columns.ts';
import type { NameTable } from '../index/name-table.ts';
import type { Segment } from '../index/segment.ts';
import type { Deadline } from '../matching/deadline.ts';
import type { SegmentMatches } from '../matching/matching.ts';
import { CHUNK_DOCS, type Chunk, type WordPool } from '../sets/chunk.ts';
import { counted, numbersOf } from './name-breakdown.ts';

/**
 * Docs of a chunk, ascending, and at the same place the row that counts each: as often as rows do. A doc that no row
 * counts is absent, or has the row behind the last.
 */
export class RowDocs {
  docs: Uint16Array = new Uint16Array(0);
  rows = new Uint32Array(CHUNK_DOCS);
  length = 0;
  #own = new Uint16Array(CHUNK_DOCS);

  /** Each of these docs has one row, which is to be written to `rows`. */
  each(docs: Uint16Array): Uint32Array {
    this.docs = docs;
    this.length = docs.length;
    return this.rows;
  }

  /** Docs and rows are to be added one by one. */
  begin(): void {
    this.docs = this.#own;
    this.length = 0;
  }

  add(doc: number, row: number): void {
    if (this.length === this.#own.length) this.#grow();
    this.docs[this.length] = doc;
    this.rows[this.length++] = row;
  }

  #grow(): void {
    const docs = new Uint16Array(this.#own.length * 2);
    docs.set(this.#own);
    const rows = new Uint32Array(docs.length);
    rows.set(this.rows);
    this.#own = docs;
    this.docs = docs;
    this.rows = rows;
  }
}

export interface RowFinder {
  /** How many rows there are. */
  readonly rows: number;
  /** Gives way to finding rows in this segment, for about so many docs of it. */
  in(segment: Segment, docs: number): FindRows;
  /** The matches of a chunk that may have a row. `scratch` is used. */
  counted(matches: SegmentMatches, chunk: number, scratch: WordPool): Chunk;
}

/** Puts `members` of a chunk, ascending, with their rows into `into`, in place of what is there. */
type FindRows = (chunk: number, members: Uint16Array, into: RowDocs) => void;

/** Of names: `numbers` are those of the table that the rows have, in their order. Valid until the next call. */
export function nameRows(field: NameField, table: NameTable, numbers: readonly number[]): RowFinder {
  const none = numbers.length;
  const rowOf = rowsByName(table, numbers);
  return {
    rows: numbers.length,
    in: (segment, docs) => {
      const numbersOf = table.mapOf(segment);
      const rows = rowOf();
      // For many docs, one look-up each instead of two.
      const [map, byName] = docs < numbersOf.length ? [numbersOf, rows] : [rowsOf(numbersOf, rows), null];
      return field === 'community'
        ? communityRows(segment, map, byName)
        : domainRows(segment, map, byName, none);
    },
    counted: (matches, chunk, scratch) => counted(matches, chunk, field, scratch),
  };
}

/** By number of a name, its row: of the finder made last. Calls are synchronous. */
let rowsKept = new Uint32Array(0);

/** Gives the row of each name that the table has at the call: the one behind the last for those that have none. */
function rowsByName(table: NameTable, numbers: readonly number[]): () => Uint32Array {
  const none = numbers.length;
  let known = 0;
  return () => {
    if (rowsKept.length < table.size) {
      const more = new Uint32Array(table.size * 2);
      more.set(rowsKept.subarray(0, known));
      rowsKept = more;
    }
    // A name that the table had not when the rows were chosen is in none of them.
    rowsKept.fill(none, known, table.size);
    if (known === 0) for (const [row, number] of numbers.entries()) rowsKept[number] = row;
    known = table.size;
    return rowsKept;
  };
}

function rowsOf(numbersOf: Uint32Array, rows: Uint32Array): Uint32Array {
  const byNumber = new Uint32Array(numbersOf.length);
  for (let i = 0; i < byNumber.length; i++) byNumber[i] = rows[numbersOf[i]!]!;
  return byNumber;
}

/** `map`: by number of the column the row, or where `byName` is not null the name, whose row that has. */
function communityRows({ place }: Segment, map: Uint32Array, byName: Uint32Array | null): FindRows {
  return (chunk, members, into) => {
    const rows = into.each(members);
    const { length } = members;
    if (byName !== null) {
      const numbers = numbersOf(place, chunk, members);
      for (let i = 0; i < length; i++) rows[i] = byName[map[numbers[i]!]!]!;
      return;
    }
    const column = place.chunk(chunk);
    if (isRun(members)) {
      const ofRun = column.subarray(members[0]);
      for (let i = 0; i < length; i++) rows[i] = map[ofRun[i]!]!;
    } else for (let i = 0; i < length; i++) rows[i] = map[column[members[i]!]!]!;
  };
}

function domainRows(
  { domain, domainSets }: Segment,
  map: Uint32Array,
  byName: Uint32Array | null,
  none: number,
): FindRows {
  const rowOf = (number: number) => (byName === null ? map[number]! : byName[map[number]!]!);
  return (chunk, members, into) => {
    const numbers = numbersOf(domain, chunk, members);
    into.begin();
    for (let i = 0; i < members.length; i++) {
      const doc = members[i]!;
      const number = numbers[i]! - 1;
      if (number < map.length) into.add(doc, rowOf(number));
      else {
        for (const one of domainSets[number - map.length]!) {
          const row = rowOf(one);
          if (row !== none) into.add(doc, row);
        }
      }
    }
  };
}

/** Every place of the scale is a row. */
export function scaleRows(field: ScaleField): RowFinder {
  const finders = { score: scoreRows, sentiment: sentimentRows, weekday_hour: weekdayRows };
  return {
    rows: SCALES[field].length,
    in: finders[field],
    counted: (matches, chunk) => matches.chunk(chunk),
  };
}

/** Scores beyond these are in the first and the last band. */
const LEAST = SCORES_AT_MOST[0];
const MOST = SCORES_AT_LEAST.at(-1)!;
const BAND_OF = Uint8Array.from({ length: MOST - LEAST + 1 }, (_, i) => scoreBand(LEAST + i));

function scoreRows({ score }: Segment): FindRows {
  return (chunk, members, into) => {
    const column = score.chunk(chunk);
    const rows = into.each(members);
    for (let i = 0; i < members.length; i++) {
      const value = column[members[i]!]!;
      rows[i] = BAND_OF[(value < LEAST ? LEAST : value > MOST ? MOST : value) - LEAST]!;
    }
  };
}

function weekdayRows({ created }: Segment): FindRows {
  return (chunk, members, into) => {
    const column = created.chunk(chunk);
    const rows = into.each(members);
    for (let i = 0; i < members.length; i++) rows[i] = weekdayHour(column[members[i]!]!);
  };
}

function sentimentRows(segment: Segment): FindRows {
  const room = new Int32Array(CHUNK_DOCS);
  return (chunk, members, into) => {
    const rows = into.each(members);
    const ratings = ratingsOf(segment, chunk, members, room);
    for (let i = 0; i < members.length; i++) rows[i] = PLACES[ratings[i]! & 0xffff]!;
    for (let i = 0; i < members.length; i++) {
      if (rows[i] === IN_ROW) rows[i] = sentimentPlace(segment.sentimentAt(chunk * CHUNK_DOCS + members[i]!));
    }
  };
}

const IN_ROW = SCALES.sentiment.length;
/** By the lowest 16 bits of a number of the column: without branches, since what a rating is cannot be foreseen. */
const PLACES = placesOfRatings();

function placesOfRatings(): Uint8Array {
  const places = new Uint8Array(2 ** 16).fill(sentimentPlace(0));
  const least = ratingUnits(LEAST_SENTIMENT);
  places.fill(sentimentPlace(1), least, 2 ** 15);
  places.fill(sentimentPlace(-1), 2 ** 15, 2 ** 16 - least + 1);
  places[UNRATED & 0xffff] = sentimentPlace(null);
  places[RATED_IN_ROW & 0xffff] = IN_ROW;
  return places;
}

/** Whether they follow each other without a gap. There is at least one. */
function isRun(docs: Uint16Array): boolean {
  return docs[docs.length - 1]! - docs[0]! === docs.length - 1;
}

/** Fewer docs of a chunk than these are read one by one. */
const FEW_DOCS = 64;

/**
 * The ratings of these docs of a chunk, in their order: ten-thousandths, UNRATED, RATED_IN_ROW. In `room`.
 */
export function ratingsOf(segment: Segment, chunk: number, docs: Uint16Array, room: Int32Array): Int32Array {
  const { length } = docs;
  const column = length < FEW_DOCS ? null : segment.ratingsIn(chunk);
  if (column === null) {
    const first = chunk * CHUNK_DOCS;
    for (let i = 0; i < length; i++) room[i] = columnSentiment(segment.sentimentAt(first + docs[i]!));
    return room;
  }
  const { base } = column;
  if (isRun(docs)) {
    const above = column.above.subarray(docs[0]);
    for (let i = 0; i < length; i++) room[i] = above[i]! + base;
  } else {
    const { above } = column;
    for (let i = 0; i < length; i++) room[i] = above[docs[i]!]! + base;
  }
  return room;
}

/** What a thread counts with. */
export interface CountingMeans {
  /** For the view of the question. */
  readonly tableFor: (field: NameField) => NameTable;
  /** Used and given back. */
  readonly scratch: WordPool;
  readonly deadline: Deadline;
}
