// Whether a segment says of each record, in columns beside it, what the record itself says.

import { UNCOUNTED } from '../../model/arrival-time.ts';
import { contentHash } from '../../model/content-hash.ts';
import type { StoredRecord } from '../../model/record.ts';
import { textHash } from '../../model/text-hash.ts';
import { ARRIVAL_UNKNOWN, marksOf } from './format/fact-columns.ts';
import type { Segment } from './index/segment.ts';

/** A line for the first record of which it does not. */
export function factProblems(segment: Segment): string[] {
  for (let doc = 0; doc < segment.docs; doc++) {
    const record = segment.record(doc);
    for (const [name, expected, found] of factsOf(segment, doc, record)) {
      // uncovered: only a writer with a fault of its own makes such a segment: its checksums would be right
      if (expected !== found)
        return [`record ${record.id}: expected ${name} ${expected} from the record, found ${found}`];
    }
  }
  return [];
}

type Fact = readonly [name: string, expected: number | null, found: number | null];

function factsOf(segment: Segment, doc: number, record: StoredRecord): readonly Fact[] {
  const [expected, found] = [contentHash(record), segment.contentHashAt(doc)];
  const isUncounted = segment.arrivalAt(doc) === UNCOUNTED;
  const marks = segment.marksAt(doc);
  return [
    ['retrieval', record.retrieved, segment.retrievedAt(doc)],
    ['sentiment', record.kind === 'post' ? null : record.sentiment, segment.sentimentAt(doc)],
    ['marks', marksOf(record) | (marks & ARRIVAL_UNKNOWN), marks],
    ['content hash', expected.high, found.high],
    ['content hash', expected.low, found.low],
    ['text hash', textHash(record), segment.textHashAt(doc)],
    ['unknown arrival', isUncounted ? ARRIVAL_UNKNOWN : 0, isUncounted ? marks & ARRIVAL_UNKNOWN : 0],
  ];
}
