// An import into a far engine: what befalls the messages is nowhere in the index, the report or the checkpoints.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ImportReport } from '../../src/ingest/report.ts';
import { EngineUnavailable } from '../../src/model/engine-errors.ts';
import { KINDS } from '../../src/model/record.ts';
import { RULES } from '../engine-suite.ts';
import { commentLine, digestOf, type ImportPlace, importPlace, postLine } from '../import/import-helpers.ts';
import { remoteHarness } from './harness.ts';

/** Two files with both kinds, newer copies of ids of the first one, and a line that is rejected. */
function sources(place: ImportPlace): readonly string[] {
  const ids = Array.from({ length: 30 }, (_, i) => i.toString(36));
  const first = ids.flatMap((id) => [postLine(`p${id}`), commentLine(`c${id}`, { link_id: `t3_p${id}` })]);
  const later = ids
    .slice(20)
    .flatMap((id) => [postLine(`p${id}`, { score: 9, retrieved_on: 1_700_000_000 }), commentLine(`d${id}`)]);
  return [
    place.file('first.ndjson', [...first, '{"cut'].join('\n')),
    place.file('later.ndjson', later.join('\n')),
  ];
}

/** Removed before all of them come in. */
function remove(place: ImportPlace): void {
  const { removals } = place.catalogue;
  const id = removals.begin('posts', false);
  removals.add(id, [{ kind: 'post', name: 'p3' }]);
  removals.hold(id);
}

/** What the report says of the records. */
function counted({
  seconds: _,
  records_per_second: __,
  rejects_file: ___,
  sources: ____,
  ...counts
}: ImportReport) {
  return counts;
}

const OPTIONS = { batchRecords: 16 };

describe('an import into a far engine', () => {
  it('equals the same import into the reference engine, whatever befalls the messages', async () => {
    await using near = await importPlace();
    remove(near);
    const expected = counted(await near.run(sources(near), OPTIONS));
    assert.deepEqual([expected.added, expected.replaced], [69, 10]);
    assert.deepEqual([expected.skipped.removed, expected.rejected.bad_json], [1, 1]);
    const digest = await near.digest();
    for (let seed = 0; seed < 3; seed++) {
      await using place = await importPlace();
      remove(place);
      await using held = remoteHarness(seed).place();
      await using engine = await held.open({ rules: RULES, removals: place.catalogue.removals });
      assert.deepEqual(counted(await place.run(sources(place), { ...OPTIONS, engine })), expected);
      assert.equal(await digestOf(engine), digest, `seed ${seed}`);
      for (const kind of KINDS) assert.equal((await engine.checkpoints(kind)).size, 0);
    }
  });

  it('that is lost within a batch is brought to its end by the same import again', async () => {
    await using near = await importPlace();
    remove(near);
    await near.run(sources(near), OPTIONS);
    const digest = await near.digest();
    for (let seed = 0; seed < 3; seed++) {
      await using place = await importPlace();
      remove(place);
      await using held = remoteHarness(seed).place();
      await using engine = await held.open({ rules: RULES, removals: place.catalogue.removals });
      held.faults.goDownAt('half done');
      const run = () => place.run(sources(place), { ...OPTIONS, engine });
      await assert.rejects(run(), EngineUnavailable);
      held.faults.isDown = false;
      await run();
      assert.equal(await digestOf(engine), digest, `seed ${seed}`);
      for (const kind of KINDS) assert.equal((await engine.checkpoints(kind)).size, 0);
    }
  });
});
