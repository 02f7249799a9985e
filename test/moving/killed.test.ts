import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { openEmbeddedEngine } from '../../src/engines/embedded/engine.ts';
import { packRecords } from '../../src/packing/packed-records.ts';
import { everything } from '../engine-suite.ts';
import { comment, post, temporaryFolder } from '../helpers.ts';

const child = fileURLToPath(new URL('move-child.ts', import.meta.url));
const options = { rules: { keepOriginals: false }, workers: 0 };

/** Number of the write at which each run dies, and on which side of it; run one after the other. */
const DEATHS = [
  [1, 'before'],
  [1, 'behind'],
  [2, 'before'],
  [2, 'behind'],
  [1, 'behind'],
  [3, 'behind'],
] as const;

it('a move that is killed again and again, and run again, brings everything along', async () => {
  using folder = temporaryFolder();
  const [from, to] = ['from', 'to'].map((name) => join(folder.path, name)) as [string, string];
  {
    await using source = await openEmbeddedEngine(from, options);
    const records = Array.from({ length: 7_000 }, (_, i) =>
      comment({ id: (9_000 + i).toString(36), created: 1_200_000_000 + (i >> 3), body: `word${i % 9}` }),
    );
    await source.index('comment', packRecords(records), { source: 'dump', state: 'half' });
    await source.index('post', packRecords([post({ id: 'p', title: 'one' })]));
  }
  let kills = 0;
  for (const [number, when] of DEATHS) {
    const { signal, status, stderr } = spawnSync(process.execPath, [child, from, to, `${number}`, when]);
    if (status === 0) break;
    assert.equal(signal, 'SIGKILL', String(stderr));
    kills++;
  }
  assert.ok(kills >= 5, `${kills}`);
  const last = spawnSync(process.execPath, [child, from, to, '1000', 'before']);
  assert.equal(last.status, 0, String(last.stderr));
  await using source = await openEmbeddedEngine(from, options);
  await using target = await openEmbeddedEngine(to, options);
  assert.deepEqual(await everything(target, 'comment'), await everything(source, 'comment'));
  assert.deepEqual(await target.fingerprints(), await source.fingerprints());
  assert.equal(await target.checkpoint('comment', 'dump'), 'half');
});
