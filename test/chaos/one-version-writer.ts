// The process that writes while another one checks that each answer comes from one version. Every batch has the same
// shape (BATCH_SHAPE), and the next one replaces it as a whole: a part of it can be told from all of it. Given how
// many, it writes so many batches for each line of its input at the most, so that a slow reader sees more than the
// end.

import { createInterface } from 'node:readline';
import { packRecords } from '../../src/engines/packing/packed-records.ts';
import { openEngine } from './folder-state.ts';
import { versionedBatch } from './one-version.ts';

const [folder, batches, ofLine] = [process.argv[2]!, Number(process.argv[3]), Number(process.argv[4])];
const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
await using engine = await openEngine(folder);
for (let number = 0; number < batches; number++) {
  if (number % ofLine === 0) await lines.next();
  await engine.index('comment', packRecords(versionedBatch(number)));
  process.stdout.write(`${number}\n`);
}
process.stdin.destroy();
