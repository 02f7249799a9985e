// Compares the stored chains (format/chains.ts) with the records.

import { Buffer } from 'node:buffer';
import { tokensOf } from '../../model/matcher.ts';
import type { StoredRecord } from '../../model/record.ts';
import { ChainReader, WINDOW_BYTES } from './format/chains.ts';
import { recordChains } from './format/record-chains.ts';
import type { Segment } from './index/segment.ts';

export class ChainCheck {
  /** One at the most. */
  readonly problems: string[] = [];
  readonly #reader: ChainReader;

  constructor({ chains, source, docs }: Segment) {
    this.#reader = new ChainReader(source, chains, docs, Buffer.allocUnsafeSlow(WINDOW_BYTES), 1);
  }

  /** For every record, in order. */
  add(doc: number, record: StoredRecord): void {
    const reader = this.#reader;
    if (this.problems.length > 0) return;
    reader.find(doc);
    const stored = reader.bytes.subarray(reader.start, reader.end);
    if (Buffer.compare(stored, recordChains(tokensOf(record))) === 0) return;
    this.problems.push(`expected the chains of the words of record ${record.id}, found others`);
  }
}
