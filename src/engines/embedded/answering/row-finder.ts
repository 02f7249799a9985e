// Which row of a breakdown counts a doc: by a column of its segment, a chunk at a time.

import type { NameField } from '../../../model/engine.ts';
import {
  SCALES,
  SCORES_AT_LEAST,
  SCORES_AT_MOST,
  type ScaleField,
  scoreBand,
  sentimentPlace,
  weekdayHour,
} from '../../../model/scales.ts';
import { columnSentiment, RATED_IN_ROW, UNRATED } from '../format/fact-columns.ts';
import type { NameTable } from '../index/name-table.ts';
import type { Segment } from '../index/segment.ts';
import { CHUNK_DOCS } from '../sets/chunk.ts';

/** Docs of a chunk and, at the same place, the row that counts each: as often as rows do, and absent where none does. */
export class RowDocs {
  docs = new Uint16Array(CHUNK_DOCS);
  rows = new Uint32Array(CHUNK_DOCS);
  length = 0;

  /** Only for docs that are counted more than once: each has room for one row. */
  add(doc: number, row: number): void {
    if (this.length === this.docs.length) {
      const [docs, rows] = [this.docs, this.rows];
      this.docs = new Uint16Array(docs.length * 2);
      this.docs.set(docs);
      this.rows = new Uint32Array(rows.length * 2);
      this.rows.set(rows);
    }
    this.docs[this.length] = doc;
    this.rows[this.length++] = row;
  }
}

export interface RowFinder {
  /** How many rows there are. */
  readonly rows: number;
  /** Gives way to finding rows in this segment. */
  in(segment: Segment): FindRows;
}

/** Puts `members` of a chunk, ascending, with their rows into `into`, in place of what is there. */
export type FindRows = (chunk: number, members: Uint16Array, into: RowDocs) => void;

/** Of names: `numbers` are those of the table that the rows have, in their order. */
export function nameRows(field: NameField, table: NameTable, numbers: readonly number[]): RowFinder {
  const rowOf = new Int32Array(table.size).fill(NO_ROW);
  for (const [row, number] of numbers.entries()) rowOf[number] = row;
  return {
    rows: numbers.length,
    in: (segment) => {
      const byNumber = Int32Array.from(table.mapOf(segment), (number) => rowOf[number]!);
      return field === 'community' ? communityRows(segment, byNumber) : domainRows(segment, byNumber);
    },
  };
}

const NO_ROW = -1;

function communityRows({ place }: Segment, byPlace: Int32Array): FindRows {
  return (chunk, members, into) => {
    const column = place.subarray(chunk * CHUNK_DOCS, (chunk + 1) * CHUNK_DOCS);
    const { docs, rows } = into;
    let length = 0;
    for (let i = 0; i < members.length; i++) {
      const doc = members[i]!;
      const row = byPlace[column[doc]!]!;
      if (row === NO_ROW) continue;
      docs[length] = doc;
      rows[length++] = row;
    }
    into.length = length;
  };
}

function domainRows(segment: Segment, byDomain: Int32Array): FindRows {
  return (chunk, members, into) => {
    const base = chunk * CHUNK_DOCS;
    into.length = 0;
    for (let i = 0; i < members.length; i++) {
      const doc = members[i]!;
      const number = segment.domain[base + doc]!;
      if (number === 0) continue;
      if (number <= byDomain.length) {
        const row = byDomain[number - 1]!;
        if (row !== NO_ROW) into.add(doc, row);
      } else {
        for (const one of segment.domainSets[number - byDomain.length - 1]!) {
          const row = byDomain[one]!;
          if (row !== NO_ROW) into.add(doc, row);
        }
      }
    }
  };
}

/** Every place of the scale is a row. */
export function scaleRows(field: ScaleField): RowFinder {
  const finders = { score: scoreRows, sentiment: sentimentRows, weekday_hour: weekdayRows };
  return { rows: SCALES[field].length, in: finders[field] };
}

/** Scores beyond these are in the first and the last band. */
const LEAST = SCORES_AT_MOST[0];
const MOST = SCORES_AT_LEAST.at(-1)!;
const BAND_OF = Uint8Array.from({ length: MOST - LEAST + 1 }, (_, i) => scoreBand(LEAST + i));

function scoreRows({ score }: Segment): FindRows {
  return (chunk, members, into) => {
    const column = score.subarray(chunk * CHUNK_DOCS, (chunk + 1) * CHUNK_DOCS);
    const { rows } = into;
    into.docs.set(members);
    into.length = members.length;
    for (let i = 0; i < members.length; i++) {
      const value = column[members[i]!]!;
      rows[i] = BAND_OF[(value < LEAST ? LEAST : value > MOST ? MOST : value) - LEAST]!;
    }
  };
}

function weekdayRows({ created }: Segment): FindRows {
  return (chunk, members, into) => {
    const column = created.subarray(chunk * CHUNK_DOCS, (chunk + 1) * CHUNK_DOCS);
    const { rows } = into;
    into.docs.set(members);
    into.length = members.length;
    for (let i = 0; i < members.length; i++) rows[i] = weekdayHour(column[members[i]!]!);
  };
}

function sentimentRows(segment: Segment): FindRows {
  const ratings = new Int32Array(CHUNK_DOCS);
  return (chunk, members, into) => {
    const { rows } = into;
    into.docs.set(members);
    into.length = members.length;
    readRatings(segment, chunk, members, ratings);
    for (let i = 0; i < members.length; i++) {
      const rating = ratings[i]!;
      if (rating === UNRATED) rows[i] = UNRATED_ROW;
      else if (rating !== RATED_IN_ROW) rows[i] = sentimentPlace(rating / 10_000);
      else rows[i] = sentimentPlace(segment.sentimentAt(chunk * CHUNK_DOCS + members[i]!));
    }
  };
}

const UNRATED_ROW = sentimentPlace(null);

/** Fewer docs of a chunk than these are read one by one. */
const FEW_DOCS = 64;

/** The ratings of these docs of a chunk, in their order: ten-thousandths, UNRATED, RATED_IN_ROW. */
export function readRatings(segment: Segment, chunk: number, docs: Uint16Array, into: Int32Array): void {
  const base = chunk * CHUNK_DOCS;
  const column = docs.length < FEW_DOCS ? null : segment.ratingsIn(chunk);
  if (column !== null) for (let i = 0; i < docs.length; i++) into[i] = column[docs[i]!]!;
  else for (let i = 0; i < docs.length; i++) into[i] = columnSentiment(segment.sentimentAt(base + docs[i]!));
}
