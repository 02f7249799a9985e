import assert from 'node:assert/strict';
import { it, mock } from 'node:test';
import { comment, START_OF_2008, temporaryFolder } from '../../../../test/helpers.ts';
import type { TimelineRequest } from '../../../model/engine.ts';
import { packRecords } from '../../../packing/packed-records.ts';
import { openEmbeddedEngine } from '../engine.ts';
import { Segment } from '../index/segment.ts';
import { Deadline } from '../matching/deadline.ts';
import { SegmentMatches } from '../matching/matching.ts';

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

it('where days begin in a segment is looked for once, whatever is asked of them', async () => {
  using folder = temporaryFolder();
  await using engine = await openEmbeddedEngine(folder.path, {
    rules: { keepOriginals: false },
    workers: 0,
  });
  const days = 400;
  const records = Array.from({ length: days * 2 }, (_, i) =>
    comment({ id: String(i), body: i % 7 === 0 ? 'rare' : 'common', created: START_OF_2008 + i * 43_200 }),
  );
  await engine.index('comment', packRecords(records));
  const look = mock.method(Segment.prototype, 'firstAt');
  const ask = async (word: string, step: NonNullable<TimelineRequest['step']>) => {
    look.mock.resetCalls();
    const items = [
      {
        kind: 'words' as const,
        words: [{ kind: 'term' as const, token: word, typed: word }],
        negated: false,
      },
    ];
    const answer = await engine.ask({ kind: 'comment', query: { items }, timeline: { step } });
    const counts = answer.timeline!.buckets.map(({ count }) => count);
    return { looks: look.mock.callCount(), sum: counts.reduce((sum, count) => sum + count, 0) };
  };
  try {
    const first = await ask('common', 'day');
    assert.equal(first.sum, days * 2 - Math.ceil((days * 2) / 7));
    assert.ok(first.looks > days - 2, `${first.looks} looks`);
    // The beginning and the end of the query, and no day.
    for (const step of ['day', 'week', 'month'] as const) {
      const { looks, sum } = await ask('rare', step);
      assert.equal(sum, Math.ceil((days * 2) / 7));
      assert.ok(looks <= 4, `${looks} looks for buckets of a ${step}`);
    }
  } finally {
    look.mock.restore();
  }
});

it('of all records of some time, a timeline is the difference of places: no matches are looked at', async () => {
  using folder = temporaryFolder();
  await using engine = await openEmbeddedEngine(folder.path, {
    rules: { keepOriginals: false },
    workers: 0,
  });
  const [HOUR, DAY] = [3_600, 86_400];
  const records = Array.from({ length: 300 }, (_, i) =>
    comment({ id: String(i), created: START_OF_2008 + i * HOUR }),
  );
  await engine.index('comment', packRecords(records));
  const looks = mock.method(SegmentMatches.prototype, 'chunkCount');
  try {
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
  } finally {
    looks.mock.restore();
  }
});

it('a timeline begins and ends with the matches, whichever segment has them', async () => {
  using folder = temporaryFolder();
  await using engine = await openEmbeddedEngine(folder.path, {
    rules: { keepOriginals: false },
    workers: 0,
  });
  const DAY = 86_400;
  // Each batch is a segment: the second has the newest and the oldest record, the word is in the first.
  for (const [batch, body] of [
    [[10, 20], 'word'],
    [[0, 30], 'other'],
    [[15], 'word'],
  ] as const) {
    const records = batch.map((day) => comment({ id: `d${day}`, body, created: START_OF_2008 + day * DAY }));
    await engine.index('comment', packRecords(records));
  }
  const items = [
    {
      kind: 'words' as const,
      words: [{ kind: 'term' as const, token: 'word', typed: 'word' }],
      negated: false,
    },
  ];
  const { timeline } = await engine.ask({ kind: 'comment', query: { items }, timeline: {} });
  assert.deepEqual(
    timeline!.buckets.filter(({ count }) => count > 0).map(({ start }) => (start - START_OF_2008) / DAY),
    [10, 15, 20],
  );
  assert.equal(timeline!.buckets.length, 11);
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
