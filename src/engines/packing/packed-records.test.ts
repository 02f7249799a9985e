import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { recordArbitrary } from '../../../test/generators/records.ts';
import { post } from '../../../test/helpers.ts';
import { KINDS } from '../../model/record.ts';
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

  it('a pack that breaks off is an error wherever it does: the record was read as if texts ended there', () => {
    const [whole] = packRecords([post({ id: 'p', title: 'solar' })]).parts;
    for (let length = 1; length < whole!.length; length++) {
      const batch = { count: 1, parts: [whole!.subarray(0, length)] };
      assert.throws(() => recordsOf('post', batch), { message: /one that breaks off/ }, `${length} bytes`);
    }
  });

  it('fewer or more records than the batch says are an error', () => {
    const { parts } = packRecords([post({ id: 'p' })]);
    for (const count of [0, 2]) {
      assert.throws(() => recordsOf('post', { count, parts }), {
        message: `expected ${count} packed records, found 1`,
      });
    }
  });

  it('no records are no bytes', () => {
    assert.deepEqual(packRecords([]), { count: 0, parts: [] });
  });
});
