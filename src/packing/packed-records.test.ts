import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { recordArbitrary } from '../../test/generators/records.ts';
import { KINDS, type StoredRecord } from '../model/record.ts';
import { joinBatches, packRecords, recordsOf } from './packed-records.ts';

const inOrder = (records: readonly StoredRecord[]) =>
  records.map((record) => JSON.stringify(Object.entries(record).sort())).sort();

describe('packed records', () => {
  for (const kind of KINDS) {
    it(`${kind}s come back as they were packed, in batches that were joined too`, () => {
      const records = fc.array(recordArbitrary(kind), { maxLength: 20 });
      fc.assert(
        fc.property(records, records, (first, second) => {
          const batch = joinBatches([packRecords(first), packRecords(second)]);
          assert.equal(batch.count, first.length + second.length);
          assert.deepEqual(inOrder(recordsOf(kind, batch)), inOrder([...first, ...second]));
        }),
      );
    });
  }

  it('copies of one id are in one lane, in their order', () => {
    const record = fc.sample(recordArbitrary('comment'), 1)[0]!;
    const batch = packRecords([1, 2, 3].map((score) => ({ ...record, score })));
    assert.deepEqual(batch.lanes.map((packs) => packs.length).sort(), [0, 1]);
    assert.deepEqual(
      recordsOf('comment', batch).map(({ score }) => score),
      [1, 2, 3],
    );
  });
});
