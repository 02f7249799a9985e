// Breakdowns and the timeline: part of the contract in engine-conformance.ts.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Answer, Question, SearchEngine } from '../src/model/engine.ts';
import type { EngineHarness } from './engine-harness.ts';
import { EVERYTHING, engineMaker, queryOf } from './engine-suite.ts';
import { comment, linkPost, post, START_OF_2008 } from './helpers.ts';

export function countConformance(harness: EngineHarness): void {
  const { name } = harness;
  const withEngine = engineMaker(harness);

  describe(`${name}: breakdowns and timeline`, () => {
    const records = [
      linkPost({ id: '1', domain: 'youtu.be', community: 'cats', created: START_OF_2008 }),
      linkPost({ id: '2', domain: 'youtu.be', community: 'cats', created: START_OF_2008 + 86_400 }),
      linkPost({ id: '3', domain: 'a.example', community: 'dogs', created: START_OF_2008 + 3 * 86_400 }),
      post({ id: '4', domain: 'self.AskMen', community: 'askmen', created: START_OF_2008 + 3 * 86_400 }),
      linkPost({ id: '5', domain: '', community: 'askmen', created: START_OF_2008 + 3 * 86_400 + 5 }),
    ];
    const ask = async (engine: SearchEngine, text: string, question: Partial<Question>): Promise<Answer> =>
      engine.ask({ kind: 'post', query: queryOf(text), ...question });

    it('rows come by count down, then name by code unit; `distinct` counts them all', () =>
      withEngine(records, async (engine) => {
        const breakdowns = [
          { field: 'community', size: 2, distinct: true },
          { field: 'domain', size: 10, distinct: true },
        ] as const;
        const answer = await ask(engine, '', { breakdowns });
        assert.deepEqual(answer.breakdowns, [
          {
            field: 'community',
            rows: [
              { name: 'askmen', count: 2 },
              { name: 'cats', count: 2 },
            ],
            distinct: 3,
          },
          {
            field: 'domain',
            rows: [
              { name: 'youtu.be', count: 2 },
              { name: 'a.example', count: 1 },
              { name: 'self.AskMen', count: 1 },
            ],
            distinct: 3,
          },
        ]);
      }));

    it('`distinct` is absent where it is not asked for, and the rows are the same', () =>
      withEngine(records, async (engine) => {
        const breakdowns = [
          { field: 'community', size: 1 },
          { field: 'community', size: 1, prefix: 'd' },
        ] as const;
        assert.deepEqual((await ask(engine, '', { breakdowns })).breakdowns, [
          { field: 'community', rows: [{ name: 'askmen', count: 2 }] },
          { field: 'community', rows: [{ name: 'dogs', count: 1 }] },
        ]);
      }));

    it('rows that are passed over are those with the highest counts', () =>
      withEngine(records, async (engine) => {
        const breakdowns = [
          { field: 'community', size: 2, skip: 1, distinct: true },
          { field: 'domain', size: 2, skip: 9, distinct: true },
        ] as const;
        const [communities, domains] = (await ask(engine, '', { breakdowns })).breakdowns!;
        assert.deepEqual(communities?.rows, [
          { name: 'cats', count: 2 },
          { name: 'dogs', count: 1 },
        ]);
        assert.equal(communities?.distinct, 3);
        assert.deepEqual(domains, { field: 'domain', rows: [], distinct: 3 });
      }));

    it('with a prefix only names that begin so are counted, in any case', () =>
      withEngine(records, async (engine) => {
        const breakdowns = [
          { field: 'domain', size: 5, prefix: 'self.ask', distinct: true },
          { field: 'community', size: 5, prefix: 'x', distinct: true },
        ] as const;
        const [domains, communities] = (await ask(engine, '', { breakdowns })).breakdowns!;
        assert.deepEqual(domains, {
          field: 'domain',
          rows: [{ name: 'self.AskMen', count: 1 }],
          distinct: 1,
        });
        assert.deepEqual(communities, { field: 'community', rows: [], distinct: 0 });
      }));

    it('a comment counts once for each domain it links to', () => {
      const body = 'https://a.example/1 https://www.a.example/2 and www.b.example';
      return withEngine([comment({ id: '1', body }), comment({ id: '2', body: 'none' })], async (engine) => {
        const breakdowns = [{ field: 'domain', size: 10 }] as const;
        const answer = await engine.ask({ kind: 'comment', query: EVERYTHING, breakdowns });
        assert.deepEqual(answer.breakdowns?.[0]?.rows, [
          { name: 'a.example', count: 1 },
          { name: 'b.example', count: 1 },
        ]);
      });
    });

    it('a timeline runs from the first match to the last, empty buckets included', () =>
      withEngine(records, async (engine) => {
        const { timeline } = await ask(engine, '', { timeline: true });
        const day = (n: number, count: number) => ({ start: START_OF_2008 + n * 86_400, count });
        assert.deepEqual(timeline, { step: 'day', buckets: [day(0, 1), day(1, 1), day(2, 0), day(3, 3)] });
      }));

    it('a timeline keeps to the bounds of the query where it has some', () =>
      withEngine(records, async (engine) => {
        const { timeline } = await ask(engine, 'after:2007-12-31,before:2008-01-03', { timeline: true });
        const day = (n: number, count: number) => ({ start: START_OF_2008 + n * 86_400, count });
        assert.deepEqual(timeline, { step: 'day', buckets: [day(-1, 0), day(0, 1), day(1, 1)] });
      }));

    it('without matches there are no rows and no buckets', () =>
      withEngine(records, async (engine) => {
        const breakdowns = [{ field: 'domain', size: 10, distinct: true }] as const;
        const answer = await ask(engine, 'nothinglikethis', { breakdowns, timeline: true });
        assert.deepEqual(answer.breakdowns, [{ field: 'domain', rows: [], distinct: 0 }]);
        assert.deepEqual(answer.timeline?.buckets, []);
      }));
  });
}
