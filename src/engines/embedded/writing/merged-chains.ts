// The chains of merged records (format/chains.ts): copied where a source has them, made from the texts where
// it has none.

import { Buffer } from 'node:buffer';
import { ChainBuilder } from '../building/chain-builder.ts';
import { TokenScanner } from '../building/token-scanner.ts';
import { CHAINS, ChainReader, ChainWriter, WINDOW_BYTES } from '../format/chains.ts';
import type { SegmentWriter } from '../format/segment-writer.ts';
import type { Segment } from '../index/segment.ts';
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
  readonly #copy: (doc: number, writer: ChainWriter) => void;
  #doc: number;

  constructor({ source: { segment, dead }, from, to, map }: ChainSource) {
    this.#map = map;
    this.#dead = dead;
    this.#to = to;
    this.#copy = copierOf(segment);
    this.#doc = from - 1;
    this.next();
  }

  /** The new docId of the current record; −1: there are no more. */
  get target(): number {
    return this.#doc < this.#to ? this.#map[this.#doc]! : -1;
  }

  copyTo(writer: ChainWriter): void {
    this.#copy(this.#doc, writer);
  }

  next(): void {
    do this.#doc++;
    while (this.#doc < this.#to && isDead(this.#dead, this.#doc));
  }
}

/** A scanner keeps the tokens that it has seen: after so many records, another one is taken. */
const SCANNER_DOCS = 4_096;

function copierOf(segment: Segment): (doc: number, writer: ChainWriter) => void {
  const { chains, source, docs } = segment;
  if (chains !== null) {
    const reader = new ChainReader(source, chains, docs, Buffer.allocUnsafeSlow(WINDOW_BYTES), 1);
    return (doc, writer) => {
      reader.find(doc);
      writer.add(reader.bytes, reader.start, reader.end);
    };
  }
  let scanner = new TokenScanner();
  let scanned = 0;
  const builder = new ChainBuilder();
  return (doc, writer) => {
    if (++scanned % SCANNER_DOCS === 0) scanner = new TokenScanner();
    for (const text of segment.texts(doc)) {
      const bytes = Buffer.from(text);
      builder.addText(scanner, scanner.scan(bytes, 0, bytes.length));
    }
    builder.endDoc();
    writer.add(builder.bytes.bytes, 0, builder.bytes.length);
  };
}
