// Breakdowns and the timeline: part of the contract in engine-conformance.ts.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Answer, Breakdown, Question, SearchEngine, TimelineRequest } from '../src/model/engine.ts';
import { EngineLimit } from '../src/model/engine-errors.ts';
import { hex64, type IndexFingerprint, recordMix, Sum64 } from '../src/model/hash.ts';
import type { EngineHarness } from './engine-harness.ts';
import { askingMaker, EVERYTHING, engineMaker, queryOf } from './engine-suite.ts';
import { comment, linkPost, post, START_OF_2008 } from './helpers.ts';

export function countConformance(harness: EngineHarness): void {
  const { name } = harness;
  const withEngine = engineMaker(harness);

  describe(`${name}: breakdowns and timeline`, () => {
    const asking = askingMaker(harness);
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
      asking(records, async (engine) => {
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
              { name: 'self.askmen', count: 1 },
            ],
            distinct: 3,
          },
        ]);
      }));

    it('`distinct` is absent where it is not asked for, and the rows are the same', () =>
      asking(records, async (engine) => {
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
      asking(records, async (engine) => {
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
      asking(records, async (engine) => {
        const breakdowns = [
          { field: 'domain', size: 5, prefix: 'self.ask', distinct: true },
          { field: 'community', size: 5, prefix: 'x', distinct: true },
        ] as const;
        const [domains, communities] = (await ask(engine, '', { breakdowns })).breakdowns!;
        assert.deepEqual(domains, {
          field: 'domain',
          rows: [{ name: 'self.askmen', count: 1 }],
          distinct: 1,
        });
        assert.deepEqual(communities, { field: 'community', rows: [], distinct: 0 });
      }));

    it('`self.Cubs` and `self.cubs` are one domain, as are `News.example` and `news.example`', () =>
      asking(
        [
          post({ id: '1', domain: 'self.Cubs', community: 'cubs', created: START_OF_2008 }),
          post({ id: '2', domain: 'self.cubs', community: 'cubs', created: START_OF_2008 + 1 }),
          linkPost({ id: '3', domain: 'News.example', created: START_OF_2008 + 2 }),
          linkPost({ id: '4', domain: 'news.example', created: START_OF_2008 + 86_400 }),
          linkPost({ id: '5', domain: 'ÉTÉ.example', created: START_OF_2008 + 86_400 }),
        ],
        async (engine) => {
          const breakdowns = [{ field: 'domain', size: 9, by: 'day', distinct: true }] as const;
          const [{ rows, distinct }] = (await ask(engine, '', { breakdowns })).breakdowns as [Breakdown];
          assert.deepEqual(
            rows.map(({ name, count, by }) => [name, count, by!.map((bucket) => bucket.count)]),
            [
              ['news.example', 2, [1, 1]],
              ['self.cubs', 2, [2]],
              ['été.example', 1, [1]],
            ],
          );
          assert.equal(distinct, 3);
          const found = await ask(engine, 'site:self.CUBS', {
            page: { order: 'newest', limit: 9, after: null },
            breakdowns,
          });
          assert.deepEqual(
            found.page!.records.map((record) => record.kind === 'post' && record.domain),
            ['self.cubs', 'self.Cubs'],
          );
          assert.equal(found.breakdowns![0]!.rows[0]!.count, 2);
        },
      ));

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
      asking(records, async (engine) => {
        const { timeline } = await ask(engine, '', { timeline: {} });
        const day = (n: number, count: number) => ({ start: START_OF_2008 + n * 86_400, count });
        assert.deepEqual(timeline, { step: 'day', buckets: [day(0, 1), day(1, 1), day(2, 0), day(3, 3)] });
      }));

    it('a timeline keeps to the bounds of the query where it has some', () =>
      asking(records, async (engine) => {
        const { timeline } = await ask(engine, 'after:2007-12-31,before:2008-01-03', { timeline: {} });
        const day = (n: number, count: number) => ({ start: START_OF_2008 + n * 86_400, count });
        assert.deepEqual(timeline, { step: 'day', buckets: [day(-1, 0), day(0, 1), day(1, 1)] });
      }));

    it('a timeline has the step that is asked for, and the sum of the scores of each bucket', () =>
      withEngine(
        [
          post({ id: '1', created: START_OF_2008, score: -7 }),
          post({ id: '2', created: START_OF_2008 + 3_599, score: 2_000_000_000 }),
          post({ id: '3', created: START_OF_2008 + 2 * 3_600, score: 2_000_000_000 }),
          post({ id: '4', created: START_OF_2008 + 2 * 3_600, score: 2_000_000_000 }),
        ],
        async (engine) => {
          const hour = (n: number, count: number) => ({ start: START_OF_2008 + n * 3_600, count });
          const timelineOf = async (timeline: TimelineRequest) =>
            (await ask(engine, '', { timeline })).timeline;
          assert.deepEqual(await timelineOf({ step: 'hour' }), {
            step: 'hour',
            buckets: [hour(0, 2), hour(1, 0), hour(2, 2)],
          });
          assert.deepEqual((await timelineOf({ step: 'hour', measure: 'score' }))?.buckets, [
            { ...hour(0, 2), sum: 1_999_999_993 },
            { ...hour(1, 0), sum: 0 },
            { ...hour(2, 2), sum: 4_000_000_000 },
          ]);
          assert.deepEqual(await timelineOf({ step: 'year' }), {
            step: 'year',
            buckets: [{ start: START_OF_2008, count: 4 }],
          });
        },
      ));

    it('the fingerprints of the buckets are those of what matches, and add up to that of the index', () =>
      withEngine(
        [
          post({ id: '1', created: START_OF_2008, score: -7 }),
          post({ id: '2', created: START_OF_2008 + 40 * 86_400, title: 'one more' }),
          post({ id: '3', created: START_OF_2008 + 41 * 86_400, score: 2_000_000_000 }),
        ],
        async (engine) => {
          const timeline = { step: 'month', measure: 'fingerprint' } as const;
          const mixes: ReturnType<typeof recordMix>[] = [];
          for await (const batch of engine.scan('post', EVERYTHING, 'oldest'))
            mixes.push(...batch.map(recordMix));
          const sumOf = (...of: readonly number[]) => {
            const sum = new Sum64();
            for (const i of of) sum.add(mixes[i]!);
            return hex64(sum.value());
          };
          const february = Date.UTC(2008, 1) / 1000;
          const everything = await ask(engine, '', { timeline });
          assert.deepEqual(everything.timeline?.buckets, [
            { start: START_OF_2008, count: 1, fingerprint: sumOf(0) },
            { start: february, count: 2, fingerprint: sumOf(1, 2) },
          ]);
          const { timeline: more } = await ask(engine, 'more', { timeline });
          assert.deepEqual(more?.buckets, [{ start: february, count: 1, fingerprint: sumOf(1) }]);
          const { timeline: years } = await ask(engine, '', { timeline: { ...timeline, step: 'year' } });
          const index = (await engine.fingerprints()).post as IndexFingerprint;
          assert.deepEqual(years?.buckets, [
            { start: START_OF_2008, count: 3, fingerprint: index.fingerprint },
          ]);
        },
      ));

    it('a timeline of 10,000 buckets is given, one of more is an EngineLimit that names the step to take', () =>
      asking(records, async (engine) => {
        const timeline = { step: 'hour' } as const;
        const hours = (count: number) => {
          const end = new Date((START_OF_2008 + count * 3_600) * 1_000).toISOString().slice(0, 16);
          return ask(engine, `after:2008-01-01 before:${end}`, { timeline });
        };
        const { timeline: most } = await hours(10_000);
        assert.deepEqual([most?.buckets.length, most?.buckets[0]?.count], [10_000, 1]);
        for (const [asked, step] of [
          [() => hours(10_001), 'day'],
          [() => ask(engine, 'after:1970-01-02 before:2100-01-01', { timeline }), 'week'],
        ] as const) {
          await assert.rejects(asked(), (error) => {
            assert.ok(error instanceof EngineLimit);
            assert.deepEqual(error.reached, { limit: 'timeline_buckets', step });
            return true;
          });
        }
      }));

    it('without matches there are no rows and no buckets', () =>
      asking(records, async (engine) => {
        const breakdowns = [{ field: 'domain', size: 10, distinct: true }] as const;
        const answer = await ask(engine, 'nothinglikethis', { breakdowns, timeline: {} });
        assert.deepEqual(answer.breakdowns, [{ field: 'domain', rows: [], distinct: 0 }]);
        assert.deepEqual(answer.timeline?.buckets, []);
      }));
  });
}
