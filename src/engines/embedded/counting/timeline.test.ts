import assert from 'node:assert/strict';
import { it } from 'node:test';
import { embeddedEngine } from '../../../../test/embedded-index.ts';
import { queryOf } from '../../../../test/engine-suite.ts';
import { START_OF_2008, someComments } from '../../../../test/helpers.ts';
import type { TimelineRequest } from '../../../model/engine.ts';
import { Segment } from '../index/segment.ts';
import { Deadline } from '../matching/deadline.ts';
import { SegmentMatches } from '../matching/matching.ts';

it('a timeline of scores looks at its deadline in every chunk: it added them up whatever the time', async (t) => {
  await using engine = await embeddedEngine(someComments(100, (i) => ({ score: i })));
  const { mock: check } = t.mock.method(Deadline.prototype, 'check');
  /** How often the deadline of the question is looked at. */
  const looks = async (timeline: TimelineRequest): Promise<number> => {
    check.resetCalls();
    await engine.ask({ kind: 'comment', query: { items: [] }, timeline });
    return check.callCount();
  };
  const ofCounts = await looks({ step: 'day' });
  assert.equal(await looks({ step: 'day', measure: 'score' }), ofCounts + 1);
});

it('where days begin in a segment is looked for once, whatever is asked of them', async (t) => {
  const days = 400;
  const fieldsOf = (i: number) => {
    return { body: i % 7 === 0 ? 'rare' : 'common', created: START_OF_2008 + i * 43_200 };
  };
  await using engine = await embeddedEngine(someComments(days * 2, fieldsOf));
  const { mock: look } = t.mock.method(Segment.prototype, 'firstAt');
  const ask = async (word: string, step: NonNullable<TimelineRequest['step']>) => {
    look.resetCalls();
    const { timeline } = await engine.ask({ kind: 'comment', query: queryOf(word), timeline: { step } });
    return { looks: look.callCount(), sum: timeline!.buckets.reduce((sum, { count }) => sum + count, 0) };
  };
  const first = await ask('common', 'day');
  assert.equal(first.sum, days * 2 - Math.ceil((days * 2) / 7));
  assert.ok(first.looks > days - 2, `${first.looks} looks`);
  // The beginning and the end of the query, and no day.
  for (const step of ['day', 'week', 'month'] as const) {
    const { looks, sum } = await ask('rare', step);
    assert.equal(sum, Math.ceil((days * 2) / 7));
    assert.ok(looks <= 4, `${looks} looks for buckets of a ${step}`);
  }
});

it('of all records of some time, a timeline is the difference of places: no matches are looked at', async (t) => {
  const [HOUR, DAY] = [3_600, 86_400];
  const records = someComments(300, (i) => ({ created: START_OF_2008 + i * HOUR }));
  await using engine = await embeddedEngine(records);
  const looks = t.mock.method(SegmentMatches.prototype, 'chunkCount');
  const items = [
    { kind: 'after' as const, time: START_OF_2008 + DAY + 5 * HOUR },
    { kind: 'before' as const, time: START_OF_2008 + 4 * DAY + HOUR },
  ];
  const asked = { kind: 'comment', query: { items }, timeline: {} } as const;
  const { total, timeline } = await engine.ask(asked);
  const counts = timeline!.buckets.map(({ count }) => count);
  assert.deepEqual([total, counts], [68, [19, 24, 24, 1]]);
  assert.equal(looks.mock.callCount(), 0);
  await engine.hide(1, 'comment', { ids: ['50'] });
  const left = await engine.ask(asked);
  assert.deepEqual([left.total, left.timeline!.buckets[1]!.count], [67, 23]);
});
