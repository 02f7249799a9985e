import assert from 'node:assert/strict';
import { it, mock } from 'node:test';
import { comment, START_OF_2008, temporaryFolder } from '../../../../test/helpers.ts';
import type { TimelineRequest } from '../../../model/engine.ts';
import { packRecords } from '../../../packing/packed-records.ts';
import { openEmbeddedEngine } from '../engine.ts';
import { Deadline } from './deadline.ts';

it('a timeline of scores looks at its deadline in every chunk: it added them up whatever the time', async () => {
  using folder = temporaryFolder();
  await using engine = await openEmbeddedEngine(folder.path, {
    rules: { keepOriginals: false },
    workers: 0,
  });
  const records = Array.from({ length: 100 }, (_, i) =>
    comment({ id: String(i), score: i, created: START_OF_2008 + i }),
  );
  await engine.index('comment', packRecords(records));
  /** How often the deadline of the question is looked at. */
  const looks = async (timeline: TimelineRequest): Promise<number> => {
    const check = mock.method(Deadline.prototype, 'check');
    try {
      await engine.ask({ kind: 'comment', query: { items: [] }, timeline });
      return check.mock.callCount();
    } finally {
      check.mock.restore();
    }
  };
  const ofCounts = await looks({ step: 'day' });
  assert.equal(await looks({ step: 'day', measure: 'score' }), ofCounts + 1);
});
