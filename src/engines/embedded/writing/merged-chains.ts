// The chains of merged records (format/chains.ts), copied from their segments.

import { Buffer } from 'node:buffer';
import { CHAINS, ChainReader, ChainWriter, WINDOW_BYTES } from '../format/chains.ts';
import type { SegmentWriter } from '../format/segment-writer.ts';
import { type DeadDocs, isDead, type ViewSegment } from '../index/view.ts';

/** Which records of a segment are merged, and where each goes (merge.ts). */
interface ChainSource {
  readonly source: ViewSegment;
  readonly from: number;
  readonly to: number;
  readonly map: Uint32Array;
}

/** Writes the section for `docs` records. The maps of the sources say where each goes, from `base` on. */
export function writeMergedChains(
  out: SegmentWriter,
  sources: readonly ChainSource[],
  base: number,
  docs: number,
): void {
  out.beginSection();
  const writer = new ChainWriter((bytes) => out.append(bytes));
  const cursors = sources.map((source) => new ChainCursor(source));
  for (let doc = base; doc < base + docs; doc++) {
    const cursor = cursors.find((one) => one.target === doc)!;
    cursor.copyTo(writer);
    cursor.next();
  }
  writer.finish();
  out.endSection(CHAINS);
}

/** The live records of one source, in order. */
class ChainCursor {
  readonly #map: Uint32Array;
  readonly #dead: DeadDocs;
  readonly #to: number;
  readonly #reader: ChainReader;
  #doc: number;

  constructor({ source: { segment, dead }, from, to, map }: ChainSource) {
    this.#map = map;
    this.#dead = dead;
    this.#to = to;
    const room = Buffer.allocUnsafeSlow(WINDOW_BYTES);
    this.#reader = new ChainReader(segment.source, segment.chains, segment.docs, room, 1);
    this.#doc = from - 1;
    this.next();
  }

  /** The new docId of the current record; −1: there are no more. */
  get target(): number {
    return this.#doc < this.#to ? this.#map[this.#doc]! : -1;
  }

  copyTo(writer: ChainWriter): void {
    const reader = this.#reader;
    reader.find(this.#doc);
    writer.add(reader.bytes, reader.start, reader.end);
  }

  next(): void {
    do this.#doc++;
    while (this.#doc < this.#to && isDead(this.#dead, this.#doc));
  }
}
