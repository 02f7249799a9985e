import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { segmentBytes } from '../../../../test/embedded-index.ts';
import { recordArbitrary } from '../../../../test/generators/records.ts';
import { comment, post } from '../../../../test/helpers.ts';
import { contentHash, textHash } from '../../../model/hash.ts';
import type { StoredRecord } from '../../../model/record.ts';
import { ARRIVAL_UNKNOWN, PARENT_UNKNOWN } from '../format/segment-columns.ts';
import { loadMemorySegment, Segment } from '../index/segment.ts';

function segmentOf(records: readonly StoredRecord[], arrival?: (i: number) => number): Segment {
  return new Segment(loadMemorySegment('one', segmentBytes(records, arrival)));
}

/** What a segment says of each record is what the record itself says. */
function assertFacts(segment: Segment): void {
  for (let doc = 0; doc < segment.docs; doc++) {
    const record = segment.record(doc);
    assert.equal(segment.facts.retrieved(doc), record.retrieved);
    assert.equal(segment.facts.sentiment(doc), record.kind === 'comment' ? record.sentiment : null);
    assert.deepEqual(segment.facts.contentHash(doc), contentHash(record));
    assert.equal(segment.facts.at('textHash', doc), textHash(record));
    const isUnknown = record.kind === 'comment' && record.parent === '';
    assert.equal(segment.facts.at('marks', doc) & PARENT_UNKNOWN, isUnknown ? PARENT_UNKNOWN : 0);
  }
}

describe('facts of records', () => {
  for (const kind of ['post', 'comment'] as const) {
    it(`of ${kind}s are those of the records`, () => {
      const records = fc.uniqueArray(recordArbitrary(kind), { minLength: 1, selector: ({ id }) => id });
      fc.assert(fc.property(records, (all) => assertFacts(segmentOf(all))));
    });
  }

  it('that columns cannot say are read from the rows', () => {
    const sentiments = [0.123456789, -3, 3, 3.0001, null];
    const times = [1.5, -1, 2 ** 32 - 1, 2 ** 32, 2 ** 32 - 2];
    const rated = times.map((retrieved, i) => comment({ id: `${i}`, retrieved, sentiment: sentiments[i]! }));
    assertFacts(segmentOf(rated));
    assertFacts(segmentOf([2 ** 40, 0].map((retrieved) => post({ id: `${retrieved}`, retrieved }))));
  });

  it('an arrival is that of the record that was replaced, or 0; 1 is marked as unknown', () => {
    const records = Array.from({ length: 9 }, (_, i) => comment({ id: String(9 - i), created: 9 - i }));
    const segment = segmentOf(records, (i) => i % 3);
    for (let doc = 0; doc < 9; doc++) {
      const arrival = (9 - Number(segment.id(doc))) % 3;
      assert.equal(segment.facts.at('arrival', doc), arrival);
      assert.equal(segment.facts.at('marks', doc) & ARRIVAL_UNKNOWN, arrival === 1 ? ARRIVAL_UNKNOWN : 0);
    }
  });
});
