import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { recordArbitrary } from '../../../../test/generators/records.ts';
import { comment } from '../../../../test/helpers.ts';
import { KINDS, type StoredRecord } from '../../../model/record.ts';
import { joinBatches, packRecords } from '../../packing/packed-records.ts';
import { BatchRecords, ONLY_LANE } from './batch-records.ts';

const LANES = [0, 1].map((which) => ({ which, of: 2 }));

function recordsIn(records: BatchRecords): StoredRecord[] {
  return Array.from({ length: records.count }, (_, i) => records.record(i));
}

describe('batch records: lanes', () => {
  for (const kind of KINDS) {
    it(`each ${kind} of a batch is in one lane, in the order of the batch`, () => {
      const records = fc.array(recordArbitrary(kind), { maxLength: 20 });
      fc.assert(
        fc.property(records, records, (first, second) => {
          const { parts } = joinBatches([packRecords(first), packRecords(second)]);
          const all = [...first, ...second];
          assert.deepEqual(recordsIn(new BatchRecords(kind, parts, ONLY_LANE)), all);
          const lanes = LANES.map((lane) => recordsIn(new BatchRecords(kind, parts, lane)));
          const [ids, others] = lanes.map((lane) => new Set(lane.map(({ id }) => id)));
          assert.ok(ids!.isDisjointFrom(others!), 'no id is in two lanes');
          const expected = [ids, others].map((own) => all.filter(({ id }) => own!.has(id)));
          assert.deepEqual(lanes, expected);
        }),
      );
    });
  }

  it('ids that go up one by one are spread over both', () => {
    const records = Array.from({ length: 2_000 }, (_, i) => comment({ id: (90_000 + i).toString(36) }));
    const { parts } = packRecords(records);
    for (const lane of LANES) {
      const { count } = new BatchRecords('comment', parts, lane);
      assert.ok(count > 900 && count < 1_100, `${count} in lane ${lane.which}`);
    }
  });
});
