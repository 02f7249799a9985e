import assert from 'node:assert/strict';
import { it } from 'node:test';
import { openOwnEngine } from '../../../test/embedded-index.ts';
import { fingerprintOf, madeAnew } from '../../../test/engine-fingerprints.ts';
import { comment } from '../../../test/helpers.ts';
import { packRecords } from '../packing/packed-records.ts';
import { Manifest } from './index/manifest.ts';
import { MAX_SUMMED } from './index/segment-sums.ts';

it('what a commit does not sum up it leaves to readers, and upkeep stores it', async () => {
  await using engine = await openOwnEngine({ workers: 1 });
  const manifest = new Manifest(engine.path, 'comment');
  const unknown = () => manifest.segments().filter(({ sum }) => sum === null).length;
  const expectRight = async (isKnown: boolean) => {
    const [one, two] = await Promise.all([1, 2].map(() => fingerprintOf(engine, 'comment')));
    assert.deepEqual(one, await madeAnew(engine, 'comment'));
    assert.deepEqual(two, one);
    assert.equal(unknown(), isKnown ? 0 : 1);
  };
  const many = Array.from({ length: MAX_SUMMED + 1 }, (_, i) => comment({ id: `${i}`, community: 'many' }));
  const few = Array.from({ length: 9_000 }, (_, i) => comment({ id: `f${i}`, community: 'few', created: 9 }));
  await engine.index('comment', packRecords([...many, ...few]));
  await expectRight(true);
  await engine.hide(1, 'comment', { community: 'many' });
  await expectRight(false);
  await engine.hide(2, 'comment', { ids: ['f1', 'f2'] });
  await expectRight(false);
  await engine.restore(1);
  await expectRight(false);
  await engine.maintain();
  await expectRight(true);
  await engine.restore(2);
  await expectRight(true);
  manifest.close();
});
