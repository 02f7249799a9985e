import assert from 'node:assert/strict';
import { it } from 'node:test';
import { openReferenceEngine } from '../src/engines/reference/reference-engine.ts';
import { sampleUntilFilled } from '../src/folder/sample.ts';
import { packRecords } from '../src/packing/packed-records.ts';
import { exported } from './engine-export.ts';
import { comment, temporaryFolder } from './helpers.ts';

it('the sample has not come in: whoever asked it gets all of the first import', async () => {
  using folder = temporaryFolder();
  const rules = { keepOriginals: false };
  await using sample = await openReferenceEngine(`${folder.path}/sample`, { rules });
  for (const id of ['x', 'y', 'z']) await sample.index('comment', packRecords([comment({ id })]));
  await using real = await openReferenceEngine(`${folder.path}/real`, { rules });
  const engine = await sampleUntilFilled(real, sample);
  const everything = { kind: 'comment', query: { items: [] } } as const;
  const arrivals = async () => [
    (await engine.ask(everything)).arrival,
    (await engine.askAll([everything])).arrival,
    (await exported(engine, { kind: 'comment' })).head.arrival,
    (await engine.lastArrivals()).comment,
  ];
  assert.deepEqual(await arrivals(), [0, 0, 0, 0]);
  await real.index('comment', packRecords([comment({ id: 'a' })]));
  await engine.refresh();
  const now = (await arrivals()) as number[];
  assert.ok(now[0]! > 0);
  assert.equal(new Set(now).size, 1);
});
