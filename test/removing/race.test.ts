// Removals and undos beside a writer that imports the same records again and again: nothing that is listed is found,
// and nothing is found twice, whatever comes between what.

import assert from 'node:assert/strict';
import { it } from 'node:test';
import { Catalogue } from '../../src/catalogue/catalogue.ts';
import { openEmbeddedEngine } from '../../src/engines/embedded/engine.ts';
import { packRecords } from '../../src/engines/packing/packed-records.ts';
import type { SearchEngine } from '../../src/model/engine.ts';
import { Remover } from '../../src/removals/remover.ts';
import type { Target } from '../../src/removals/target.ts';
import { comment, temporaryFolder } from '../helpers.ts';

const rules = { keepOriginals: false };
const RECORDS = 300;
const ROUNDS = 12;

/** A newer copy of every record in each round, so that each batch replaces what is there. */
function batch(round: number) {
  return Array.from({ length: RECORDS }, (_, i) =>
    comment({ id: `c${i}`, community: `s${i % 7}`, post: `p${i % 10}`, score: round, retrieved: round }),
  );
}

async function idsIn(engine: SearchEngine): Promise<string[]> {
  await engine.refresh();
  const records = await Array.fromAsync(engine.scan('comment', { items: [] }, 'oldest'));
  return records.flat().map(({ id }) => id);
}

it('a writer and a remover with connections of their own', { timeout: 240_000 }, async () => {
  using folder = temporaryFolder();
  await using ofWriter = Catalogue.open(folder.path);
  await using ofRemover = Catalogue.open(folder.path);
  const open = (catalogue: Catalogue) =>
    openEmbeddedEngine(folder.path, { rules, removals: catalogue.removals, workers: 1 });
  await using writer = await open(ofWriter);
  await using other = await open(ofRemover);
  const remover = new Remover({ copies: [], log: ofRemover.removals, engine: other, eraseBeside() {} });
  const targets: readonly Target[] = [
    { kind: 'records', of: 'comment', ids: ['c1', 'c2', 'c77'], withComments: false },
    { kind: 'communities', names: ['s3'] },
    { kind: 'records', of: 'post', ids: ['p4'], withComments: true },
  ];
  let written = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const target = targets[round % targets.length]!;
    const writes = (async () => {
      for (let i = 0; i < 4; i++) {
        const report = await writer.index('comment', packRecords(batch(written++)));
        assert.equal(report.added + report.replaced + report.unchanged + report.removed, RECORDS);
      }
    })();
    const removes = (async () => {
      const { id } = await remover.remove(target);
      if (round % 4 === 1) await remover.purge();
      if (round % 2 === 0) await remover.undo(id!);
    })();
    await Promise.all([writes, removes]);
    const refused = ofWriter.removals.refused(batch(0));
    for (const engine of [writer, other]) {
      const found = await idsIn(engine);
      assert.equal(new Set(found).size, found.length, 'found twice');
      for (const id of found) assert.ok(!refused[Number(id.slice(1))], id);
    }
    await writer.index('comment', packRecords(batch(written++)));
    assert.equal((await idsIn(writer)).length, refused.filter((is) => !is).length);
  }
});
