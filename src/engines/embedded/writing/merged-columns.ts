// The columns of merged records: of one source after the other, a chunk of a column at a time.

import type { Column } from '../columns/column.ts';
import type { FactDraft } from '../format/fact-columns.ts';
import { chunkSize, MAX_SEGMENT_DOCS } from '../format/posting-codec.ts';
import type { Segment } from '../index/segment.ts';
import type { ViewSegment } from '../index/view.ts';
import { LEFT_BEHIND } from './merge-lists.ts';

/** Which records of a segment are merged, and where each goes (merge.ts), with `base` added. */
export interface ColumnSource {
  readonly source: ViewSegment;
  readonly from: number;
  readonly to: number;
  readonly map: Uint32Array;
  readonly base: number;
}

const FACTS = ['retrieved', 'sentiment', 'contentHigh', 'contentLow', 'textHash'] as const;

/** Docs of a chunk that is full. */
const CHUNK_DOCS = chunkSize(0, MAX_SEGMENT_DOCS);

/** What is read of a chunk. */
const numbers = new Uint32Array(CHUNK_DOCS);
const marks = new Uint32Array(CHUNK_DOCS);

/** Fills in `into` where its records go; `change`: what becomes of each number, where it does not stay. */
export function copyColumn(
  source: ColumnSource,
  column: (segment: Segment) => Column<Uint16Array | Uint32Array | Int16Array | Int32Array>,
  into: Uint32Array | Int32Array,
  change: Uint32Array | null = null,
): void {
  const { segment } = source.source;
  forChunks(source, (chunk, from, to) => {
    const read = column(segment).chunk(chunk);
    const begin = chunk * CHUNK_DOCS;
    for (let doc = from; doc < to; doc++) {
      const place = source.map[doc]!;
      if (place === LEFT_BEHIND) continue;
      const number = read[doc - begin]!;
      into[place - source.base] = change === null ? number : change[number]!;
    }
  });
}

/** The same of the columns that are not in memory. */
export function copyFacts(source: ColumnSource, into: FactDraft): void {
  const { map, base } = source;
  const { segment, arrival } = source.source;
  forChunks(source, (chunk, from, to) => {
    const begin = chunk * CHUNK_DOCS;
    for (const name of FACTS) {
      segment.readFacts(chunk, [[name, numbers]]);
      const column = into[name];
      for (let doc = from; doc < to; doc++) {
        const place = map[doc]!;
        if (place !== LEFT_BEHIND) column[place - base] = numbers[doc - begin]!;
      }
    }
    segment.readFacts(chunk, [
      ['marks', marks],
      ['arrival', numbers],
    ]);
    for (let doc = from; doc < to; doc++) {
      const place = map[doc]!;
      if (place === LEFT_BEHIND) continue;
      into.setArrival(place - base, marks[doc - begin]!, numbers[doc - begin]! || arrival);
    }
  });
}

/** The chunks that records of the source are in, and which docIds of each: `from` to before `to`. */
function forChunks(
  { from, to }: ColumnSource,
  each: (chunk: number, from: number, to: number) => void,
): void {
  for (let begin = from; begin < to; ) {
    const chunk = Math.floor(begin / CHUNK_DOCS);
    const end = Math.min(to, (chunk + 1) * CHUNK_DOCS);
    each(chunk, begin, end);
    begin = end;
  }
}
