import assert from 'node:assert/strict';
import { it } from 'node:test';
import { comment, temporaryFolder } from '../../../../test/helpers.ts';
import { IndexDamage } from '../../../model/engine-errors.ts';
import { packRecords } from '../../../packing/packed-records.ts';
import { openEmbeddedEngine } from '../engine.ts';

const BATCHES = 12;

it('a question looks at the clock less often than at segments: that took a tenth of the time of one with few matches', async (t) => {
  using folder = temporaryFolder();
  await using engine = await openEmbeddedEngine(folder.path, {
    rules: { keepOriginals: false },
    workers: 0,
  });
  for (let i = 0; i < BATCHES; i++) {
    await engine.index('comment', packRecords([comment({ id: `c${i}`, created: i, body: 'solar' })]));
  }
  const stats = (await engine.stats()).comment;
  assert.ok(!(stats instanceof IndexDamage) && stats.segments > 4);
  const clock = t.mock.method(performance, 'now');
  const term = { kind: 'term', token: 'solar', typed: 'solar' } as const;
  const { total } = await engine.ask({
    kind: 'comment',
    query: { items: [{ kind: 'words', words: [term], negated: false }] },
    breakdowns: [{ field: 'community', size: 10 }],
    timeline: {},
  });
  assert.equal(total, BATCHES);
  assert.ok(clock.mock.callCount() < 5, `found ${clock.mock.callCount()} looks`);
});
