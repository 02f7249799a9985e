import assert from 'node:assert/strict';
import { it } from 'node:test';
import { embeddedEngine } from '../../../../test/embedded-index.ts';
import { queryOf } from '../../../../test/engine-suite.ts';
import { someComments } from '../../../../test/helpers.ts';
import { IndexDamage } from '../../../model/engine-errors.ts';

const BATCHES = 12;

it('a question looks at the clock less often than at segments: that took a tenth of the time of one with few matches', async (t) => {
  const records = someComments(BATCHES, () => ({ body: 'solar' }));
  await using engine = await embeddedEngine(...records.map((one) => [one]));
  const stats = (await engine.stats()).comment;
  assert.ok(!(stats instanceof IndexDamage) && stats.segments > 4);
  const clock = t.mock.method(performance, 'now');
  const breakdowns = [{ field: 'community', size: 10 }] as const;
  const question = { kind: 'comment', query: queryOf('solar'), breakdowns, timeline: {} } as const;
  const { total } = await engine.ask(question);
  assert.equal(total, BATCHES);
  assert.ok(clock.mock.callCount() < 5, `found ${clock.mock.callCount()} looks`);
});
