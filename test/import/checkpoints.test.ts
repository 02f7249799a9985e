// What imports keep of how far they have come, and that they keep nothing once they are through.

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe } from 'node:test';
import { openEmbeddedEngine } from '../../src/engines/embedded/engine.ts';
import { KINDS } from '../../src/model/record.ts';
import { breaking, commentLine, digestOf, type ImportPlace, postLine, test } from './import-helpers.ts';

const RULES = { keepOriginals: false };

const openIn = (place: ImportPlace) => openEmbeddedEngine(join(place.folder, 'data'), { rules: RULES });

/** Rows of posts and of comments. */
function rowsIn(place: ImportPlace): number[] {
  return KINDS.map((kind) => {
    const database = new DatabaseSync(join(place.folder, 'data', `${kind}s.db`), { readOnly: true });
    const row = database.prepare('SELECT count(*) AS n FROM checkpoints').get();
    database.close();
    return Number(row?.n);
  });
}

const MIXED = Array.from({ length: 40 }, (_, i) => (i % 2 === 0 ? postLine(`p${i}`) : commentLine(`c${i}`)));

describe('checkpoints', () => {
  test('imports that are through leave none behind, so that commits do not grow with the number of sources', async (place) => {
    await using engine = await openIn(place);
    for (let i = 0; i < 20; i++) {
      const file = place.file(`${i}.ndjson`, [postLine(`p${i}`), commentLine(`c${i}`)].join('\n'));
      await place.run([file], { engine });
    }
    assert.deepEqual(rowsIn(place), [0, 0]);
  });

  test('broken off between the ends of its two kinds, it is read again without harm', async (place) => {
    await using engine = await openIn(place);
    const file = place.file('mixed.ndjson', MIXED.join('\n'));
    let ends = 0;
    const broken = breaking(engine, (_, state) => state === null && ends++ === 1);
    await assert.rejects(place.run([file], { engine: broken, batchRecords: 10 }), /out of order/);
    assert.deepEqual(rowsIn(place), [0, 1]);
    const before = await digestOf(engine);
    const again = await place.run([file], { engine });
    assert.deepEqual([again.added, again.replaced], [0, 0]);
    assert.equal(await digestOf(engine), before);
    assert.deepEqual(rowsIn(place), [0, 0]);
  });

  test('one that an earlier run left for the other kind goes too', async (place) => {
    await using engine = await openIn(place);
    const lines = [...MIXED, ...MIXED.filter((_, i) => i % 2 === 0)];
    const file = place.file('posts-last.ndjson', lines.join('\n'));
    const options = { batchRecords: 40 };
    const broken = breaking(engine, (call) => call === 2);
    await assert.rejects(place.run([file], { ...options, engine: broken }), /out of order/);
    assert.deepEqual(rowsIn(place), [1, 1]);
    await place.run([file], { ...options, engine });
    assert.deepEqual(rowsIn(place), [0, 0]);
  });
});
