import assert from 'node:assert/strict';
import { it } from 'node:test';
import { PartitionedLog } from './growing-numbers.ts';

const PARTITIONS = 5;

/** How many entries go to each partition: none, some, those of many chunks, and exactly those of one or two. */
const COUNTS = [0, 7, 5_000, 768, 512];

it('each partition gives its entries in the order in which they came, however many, and is empty afterwards', () => {
  for (const width of [1, 3] as const) {
    const log = new PartitionedLog(PARTITIONS);
    for (let round = 0; round < 3; round++) {
      const expected = COUNTS.map((): number[] => []);
      for (let i = 0; i < Math.max(...COUNTS); i++) {
        for (const [partition, count] of COUNTS.entries()) {
          if (i >= count) continue;
          const entry = [i, partition, i * 7 + round].slice(0, width);
          expected[partition]!.push(...entry);
          if (width === 1) log.push(partition, entry[0]!);
          else log.push3(partition, entry[0]!, entry[1]!, entry[2]!);
        }
      }
      for (const [partition, entries] of expected.entries()) {
        const found = log.take(partition);
        assert.deepEqual([...found], entries);
        // What is done with it must not reach the next ones.
        found.fill(9);
        assert.equal(log.take(partition).length, 0);
      }
    }
  }
});
