// The process that writes while another one checks that each answer comes from one version. Every batch has the same
// shape (BATCH_SHAPE), and the next one replaces it as a whole: a part of it can be told from all of it.

import { packRecords } from '../../src/packing/packed-records.ts';
import { openEngine } from './folder-state.ts';
import { type VersionedBatch, versionedBatch } from './one-version.ts';

const [folder, batches] = [process.argv[2]!, Number(process.argv[3])];
await using engine = await openEngine(folder);
for (let number = 0; number < batches; number++) {
  const { kind, records }: VersionedBatch = versionedBatch(number);
  await engine.index(kind, packRecords(records));
  process.stdout.write(`${number}\n`);
}
