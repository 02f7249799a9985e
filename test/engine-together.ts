// Questions that are asked together, and the second query that shares are of: part of the contract in
// engine-conformance.ts.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { OneOfMany, SearchEngine, TimelineBucket, TimelineRequest } from '../src/model/engine.ts';
import { EngineLimit } from '../src/model/engine-errors.ts';
import { packRecords } from '../src/packing/packed-records.ts';
import { fingerprintOf } from './engine-fingerprints.ts';
import type { EngineHarness } from './engine-harness.ts';
import { askingMaker, EVERYTHING, engineMaker, firstPage, idsOf, queryOf } from './engine-suite.ts';
import { comment, post, START_OF_2008 } from './helpers.ts';

const DAY = 86_400;

/** A comment of the nth day of 2008. */
function onDay(n: number, id: string, body: string, sentiment: number | null = null, community = 'cats') {
  return comment({ id, body, sentiment, community, post: 'p1', created: START_OF_2008 + n * DAY });
}

const RECORDS = [
  post({ id: 'p1', title: 'solar roof', created: START_OF_2008 }),
  onDay(0, '1', 'solar is good', 0.4404),
  onDay(0, '2', 'solar is bad', -0.5423),
  onDay(0, '3', 'solar'),
  onDay(2, '4', 'wind is good', 0.4404, 'dogs'),
  onDay(3, '5', 'wind and solar', 0.0),
  onDay(9, '6', 'rain'),
];

export function togetherConformance(harness: EngineHarness): void {
  const withEngine = engineMaker(harness);
  const asked = (text: string, more: Partial<OneOfMany> = {}): OneOfMany => ({
    ...{ kind: 'comment', query: queryOf(text) },
    ...more,
  });
  const timed = (text: string, request: TimelineRequest, of?: string): OneOfMany =>
    asked(text, { timeline: request, ...(of !== undefined && { of: queryOf(of) }) });
  const timelines = async (engine: SearchEngine, questions: readonly OneOfMany[]) =>
    (await engine.askAll(questions)).answers.map(({ timeline }) => timeline!);
  const day = (n: number, rest: Omit<TimelineBucket, 'start'>): TimelineBucket => ({
    start: START_OF_2008 + n * DAY,
    ...rest,
  });
  const counts = (buckets: readonly TimelineBucket[]) => buckets.map(({ count }) => count);

  describe(`${harness.name}: questions asked together`, () => {
    const asking = askingMaker(harness);
    it('are answered in their order, with the fingerprint of the view', () =>
      asking(RECORDS, async (engine) => {
        const page = firstPage('oldest', 9);
        const questions = [asked('solar', { page }), asked('nothinglikethis'), asked('wind', { page })];
        const { answers, index, arrival } = await engine.askAll(questions);
        assert.deepEqual(
          answers.map(({ total }) => total),
          [4, 0, 2],
        );
        assert.deepEqual(
          [idsOf(answers[0]!), idsOf(answers[2]!)],
          [
            ['1', '2', '3', '5'],
            ['4', '5'],
          ],
        );
        assert.deepEqual(index, await fingerprintOf(engine, 'comment'));
        const alone = await Promise.all(questions.map((question) => engine.ask(question)));
        assert.deepEqual(
          answers.map((answer) => ({ ...answer, arrival })),
          alone,
        );
      }));

    it('have the fingerprint of what they saw, when more has come in', () =>
      withEngine(RECORDS, async (engine) => {
        const before = await engine.askAll([asked('')]);
        await engine.index('comment', packRecords([onDay(4, '7', 'solar')]));
        const after = await engine.askAll([asked('')]);
        assert.deepEqual([before.index.records, after.index.records], [6, 7]);
        assert.notEqual(after.index.fingerprint, before.index.fingerprint);
        assert.equal(after.answers[0]!.total, 7);
      }));

    it('of an empty index find nothing, and say so by its fingerprint', () =>
      withEngine([], async (engine) => {
        const { answers, index } = await engine.askAll([timed('solar', {}, ''), asked('')]);
        assert.deepEqual(index, { fingerprint: '0'.repeat(16), records: 0 });
        assert.deepEqual(answers, [
          { total: 0, ofTotal: 0, timeline: { step: 'day', buckets: [] } },
          { total: 0 },
        ]);
      }));

    it('must be there, and be about one kind', () =>
      asking(RECORDS, async (engine) => {
        const other: OneOfMany = { kind: 'post', query: EVERYTHING };
        for (const questions of [[], [asked(''), other]]) {
          await assert.rejects(async () => engine.askAll(questions), TypeError);
        }
      }));

    it('have one time budget, and one caller who may go', () =>
      asking(RECORDS, async (engine) => {
        const questions = [asked('solar'), asked('wind')];
        await assert.rejects(engine.askAll(questions, { timeoutMs: 0 }), { code: 'query_timeout' });
        const gone = AbortSignal.abort(new Error('gone'));
        await assert.rejects(engine.askAll(questions, {}, gone), { message: 'gone' });
      }));

    it('throw the limit of any of them', () =>
      asking(RECORDS, async (engine) => {
        const wide = timed('after:1970-01-02 before:2100-01-01', { step: 'hour' });
        await assert.rejects(engine.askAll([timed('solar', { step: 'hour' }), wide]), EngineLimit);
        await assert.rejects(
          engine.askAll([timed('solar', { step: 'hour' }), timed('solar', { step: 'day' })]),
          TypeError,
        );
      }));

    it('`of` is counted beside: in all, and in the buckets of the query', () =>
      asking(RECORDS, async (engine) => {
        const [question] = [timed('wind', {}, '')];
        const { answers, arrival } = await engine.askAll([question!]);
        const expected = {
          ...{ total: 2, ofTotal: 6 },
          timeline: { step: 'day', buckets: [day(2, { count: 1, of: 1 }), day(3, { count: 1, of: 1 })] },
        };
        assert.deepEqual(answers, [expected]);
        assert.deepEqual(await engine.ask(question!), { ...expected, arrival });
        const [cats] = (await engine.askAll([timed('wind', { step: 'week' }, '/r/cats')])).answers;
        assert.equal(cats?.ofTotal, 5);
        assert.deepEqual(cats?.timeline?.buckets, [{ start: START_OF_2008 - DAY, count: 2, of: 4 }]);
      }));

    it('`of` outside the first and the last bucket is counted in none', () =>
      asking(RECORDS, async (engine) => {
        for (const step of ['hour', 'day'] as const) {
          const [timeline] = await timelines(engine, [timed('wind', { step }, '')]);
          const sum = timeline!.buckets.reduce((total, { of }) => total + of!, 0);
          assert.equal(sum, 2, step);
        }
      }));

    it('timelines share their buckets: from the first match of all to the last, empty ones included', () =>
      asking(RECORDS, async (engine) => {
        const [solar, wind, none] = await timelines(engine, [
          timed('solar', { step: 'day' }),
          timed('wind', { step: 'day' }),
          timed('nothinglikethis', { step: 'day' }),
        ]);
        assert.deepEqual(counts(solar!.buckets), [3, 0, 0, 1]);
        assert.deepEqual(counts(wind!.buckets), [0, 0, 1, 1]);
        assert.deepEqual(counts(none!.buckets), [0, 0, 0, 0]);
        for (const { step, buckets } of [solar!, wind!, none!]) {
          assert.deepEqual([step, buckets[0]?.start], ['day', START_OF_2008]);
        }
      }));

    it('timelines of queries with bounds of their own begin and end with the widest of them', () =>
      asking(RECORDS, async (engine) => {
        const [solar, wind] = await timelines(engine, [
          timed('solar after:2008-01-02 before:2008-01-07', {}),
          timed('wind before:2008-01-04', {}),
        ]);
        assert.deepEqual(counts(solar!.buckets), [0, 0, 1, 0, 0]);
        assert.deepEqual(counts(wind!.buckets), [0, 1, 0, 0, 0]);
      }));

    it('where nothing matches, buckets between bounds are there if they are asked for', () =>
      asking(RECORDS, async (engine) => {
        const text = 'nothinglikethis after:2008-01-01 before:2008-01-03';
        const [asUsual] = await timelines(engine, [timed(text, {}, '')]);
        assert.deepEqual(asUsual?.buckets, []);
        const [kept] = await timelines(engine, [
          timed(text, { keepsBounds: true }, 'after:2008-01-01 before:2008-01-03'),
        ]);
        assert.deepEqual(kept?.buckets, [day(0, { count: 0, of: 3 }), day(1, { count: 0, of: 0 })]);
        const [open] = await timelines(engine, [timed('nothinglikethis', { keepsBounds: true })]);
        assert.deepEqual(open?.buckets, []);
      }));

    it('scores are summed up for each timeline that asks for it', () =>
      asking(RECORDS, async (engine) => {
        const [sums, plain] = await timelines(engine, [
          timed('wind', { step: 'year', measure: 'score' }),
          timed('wind', { step: 'year' }),
        ]);
        assert.deepEqual(sums?.buckets, [{ start: START_OF_2008, count: 2, sum: 2 }]);
        assert.deepEqual(plain?.buckets, [{ start: START_OF_2008, count: 2 }]);
      }));

    it('sentiment is summed up in ten-thousandths, over those that are rated', async (test) => {
      if (harness.knows?.sentiment === false) return test.skip('documents have no field of it');
      return asking(RECORDS, async (engine) => {
        const [solar] = await timelines(engine, [timed('solar', { measure: 'sentiment' }, '')]);
        assert.deepEqual(solar?.buckets, [
          day(0, { count: 3, of: 3, sum: -1019, rated: 2 }),
          day(1, { count: 0, of: 0, sum: 0, rated: 0 }),
          day(2, { count: 0, of: 1, sum: 0, rated: 0 }),
          day(3, { count: 1, of: 1, sum: 0, rated: 1 }),
        ]);
        const post: OneOfMany = { kind: 'post', query: EVERYTHING, timeline: { measure: 'sentiment' } };
        assert.deepEqual((await timelines(engine, [post]))[0]?.buckets, [
          day(0, { count: 1, sum: 0, rated: 0 }),
        ]);
      });
    });

    it('`under` holds for each question that has it, and for its `of`', () =>
      withEngine(
        [...RECORDS, comment({ id: '8', body: 'solar', post: 'p9', created: START_OF_2008 })],
        async (engine) => {
          const under = queryOf('roof');
          const { answers } = await engine.askAll([
            asked('solar', { under, of: EVERYTHING }),
            asked('solar', { of: EVERYTHING }),
            asked('solar', { under: queryOf('rain'), of: EVERYTHING }),
            timed('solar', {}, ''),
            { ...timed('solar', {}, ''), under },
          ]);
          assert.deepEqual(
            answers.map(({ total, ofTotal }) => [total, ofTotal]),
            [
              [4, 6],
              [5, 7],
              [0, 0],
              [5, 7],
              [4, 6],
            ],
          );
          assert.deepEqual(
            [counts(answers[3]!.timeline!.buckets), counts(answers[4]!.timeline!.buckets)],
            [
              [4, 0, 0, 1],
              [3, 0, 0, 1],
            ],
          );
        },
      ));
  });
}
