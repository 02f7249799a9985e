import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { recordArbitrary } from '../../test/generators/records.ts';
import { KINDS } from '../model/record.ts';
import { joinBatches, packRecords, recordsOf } from './packed-records.ts';

describe('packed records', () => {
  for (const kind of KINDS) {
    it(`${kind}s come back as they were packed, in their order, in batches that were joined too`, () => {
      const records = fc.array(recordArbitrary(kind), { maxLength: 20 });
      fc.assert(
        fc.property(records, records, (first, second) => {
          const batch = joinBatches([packRecords(first), packRecords(second)]);
          assert.equal(batch.count, first.length + second.length);
          assert.deepEqual(recordsOf(kind, batch), [...first, ...second]);
        }),
      );
    });
  }

  it('no records are no bytes', () => {
    assert.deepEqual(packRecords([]), { count: 0, parts: [] });
  });
});
