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

it('ratings that their column cannot hold are summed up by their records', async () => {
  using folder = temporaryFolder();
  await using engine = await openEmbeddedEngine(folder.path, {
    rules: { keepOriginals: false },
    workers: 0,
  });
  const sentiments = [0.12345, null, -1, 1, null, 0, -0.5423, -0];
  const records = sentiments.map((sentiment, i) =>
    comment({ id: `${i}`, sentiment, created: START_OF_2008 + i * 1_800 }),
  );
  await engine.index('comment', packRecords(records));
  const ask = async (step: 'hour' | 'day') => {
    const question = {
      kind: 'comment',
      query: { items: [] },
      timeline: { step, measure: 'sentiment' },
    } as const;
    return (await engine.ask(question)).timeline!.buckets.map(({ sum, rated }) => [sum, rated]);
  };
  assert.deepEqual(await ask('hour'), [
    [1235, 1],
    [0, 2],
    [0, 1],
    [-5423, 2],
  ]);
  assert.deepEqual(await ask('day'), [[-4188, 6]]);
});
