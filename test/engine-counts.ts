// Breakdowns and the timeline: part of the contract in engine-conformance.ts.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { packRecords } from '../src/engines/packing/packed-records.ts';
import { COPY_NAME_CHARACTERS } from '../src/model/analyses.ts';
import type {
  Answer,
  Breakdown,
  BreakdownRequest,
  BreakdownRow,
  Question,
  SearchEngine,
  TimelineRequest,
} from '../src/model/engine.ts';
import { hex64, type IndexFingerprint, recordMix, Sum64 } from '../src/model/hash.ts';
import type { Kind } from '../src/model/record.ts';
import type { EngineHarness } from './engine-harness.ts';
import {
  EVERYTHING,
  engineMaker,
  everything,
  firstPage,
  queryOf,
  rowsOf,
  testsOver,
} from './engine-suite.ts';
import { comment, linkPost, post, START_OF_2008 } from './helpers.ts';

const DAY = 86_400;

/** What is asked for, names with their counts, and how many names there are. */
type BreakdownCase = readonly [BreakdownRequest, Readonly<Record<string, number>>, number?];

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
    const test = testsOver(harness, records);
    const ask = async (engine: SearchEngine, text: string, question: Partial<Question>): Promise<Answer> =>
      engine.ask({ kind: 'post', query: queryOf(text), ...question });

    const table: readonly (readonly [string, readonly BreakdownCase[]])[] = [
      [
        'rows come by count down, then name by code unit; `distinct` counts them all',
        [
          [{ field: 'community', size: 2, distinct: true }, { askmen: 2, cats: 2 }, 3],
          [
            { field: 'domain', size: 10, distinct: true },
            { 'youtu.be': 2, 'a.example': 1, 'self.askmen': 1 },
            3,
          ],
        ],
      ],
      [
        '`distinct` is absent where it is not asked for, and the rows are the same',
        [
          [{ field: 'community', size: 1 }, { askmen: 2 }],
          [{ field: 'community', size: 1, prefix: 'd' }, { dogs: 1 }],
        ],
      ],
      [
        'rows that are passed over are those with the highest counts',
        [
          [{ field: 'community', size: 2, skip: 1, distinct: true }, { cats: 2, dogs: 1 }, 3],
          [{ field: 'domain', size: 2, skip: 9, distinct: true }, {}, 3],
        ],
      ],
      [
        'with a prefix only names that begin so are counted, in any case',
        [
          [{ field: 'domain', size: 5, prefix: 'self.ask', distinct: true }, { 'self.askmen': 1 }, 1],
          [{ field: 'community', size: 5, prefix: 'x', distinct: true }, {}, 0],
        ],
      ],
    ];
    for (const [rule, cases] of table) {
      test(rule, async (engine) => {
        const { breakdowns } = await ask(engine, '', { breakdowns: cases.map(([request]) => request) });
        const expected = cases.map(([{ field }, counts, distinct]) => {
          const rows = rowsOf(counts);
          return distinct === undefined ? { field, rows } : { field, rows, distinct };
        });
        assert.deepEqual(breakdowns, expected);
      });
    }

    it('`self.Cubs` and `self.cubs` are one domain, as are `News.example` and `news.example`', () =>
      withEngine(
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
          const told = rows.map(({ name, count, by }) => [name, count, ...by!.map((bucket) => bucket.count)]);
          const expected = [
            ['news.example', 2, 1, 1],
            ['self.cubs', 2, 2],
            ['été.example', 1, 1],
          ];
          assert.deepEqual([told, distinct], [expected, 3]);
          const page = firstPage('newest', 9);
          const found = await ask(engine, 'site:self.CUBS', { page, breakdowns });
          const domains = found.page!.records.map((record) => record.kind === 'post' && record.domain);
          assert.deepEqual(domains, ['self.cubs', 'self.Cubs']);
          assert.equal(found.breakdowns![0]!.rows[0]!.count, 2);
        },
      ));

    it('a comment counts once for each domain it links to', () => {
      const body = 'https://a.example/1 https://www.a.example/2 and www.b.example';
      return withEngine([comment({ id: '1', body }), comment({ id: '2', body: 'none' })], async (engine) => {
        const breakdowns = [{ field: 'domain', size: 10 }] as const;
        const answer = await engine.ask({ kind: 'comment', query: EVERYTHING, breakdowns });
        assert.deepEqual(answer.breakdowns?.[0]?.rows, rowsOf({ 'a.example': 1, 'b.example': 1 }));
      });
    });

    for (const [rule, text, counts] of [
      [
        'a timeline runs from the first match to the last, empty buckets included',
        '',
        { 0: 1, 1: 1, 2: 0, 3: 3 },
      ],
      [
        'a timeline keeps to the bounds of the query where it has some',
        'after:2007-12-31,before:2008-01-03',
        { '-1': 0, 0: 1, 1: 1 },
      ],
    ] as const) {
      test(rule, async (engine) => {
        const { timeline } = await ask(engine, text, { timeline: {} });
        const days = Object.entries(counts).toSorted(([a], [b]) => Number(a) - Number(b));
        const buckets = days.map(([day, count]) => ({ start: START_OF_2008 + Number(day) * DAY, count }));
        assert.deepEqual(timeline, { step: 'day', buckets });
      });
    }

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
          const buckets = [hour(0, 2), hour(1, 0), hour(2, 2)];
          assert.deepEqual(await timelineOf({ step: 'hour' }), { step: 'hour', buckets });
          assert.deepEqual((await timelineOf({ step: 'hour', measure: 'score' }))?.buckets, [
            { ...hour(0, 2), sum: 1_999_999_993 },
            { ...hour(1, 0), sum: 0 },
            { ...hour(2, 2), sum: 4_000_000_000 },
          ]);
          const year = { start: START_OF_2008, count: 4 };
          assert.deepEqual(await timelineOf({ step: 'year' }), { step: 'year', buckets: [year] });
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
          const mixes = (await everything(engine, 'post')).map(recordMix);
          const sumOf = (...of: readonly number[]) => {
            const sum = new Sum64();
            for (const i of of) sum.add(mixes[i]!);
            return hex64(sum.value());
          };
          const february = Date.UTC(2008, 1) / 1000;
          const { timeline: months } = await ask(engine, '', { timeline });
          assert.deepEqual(months?.buckets, [
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

    test('a timeline of 10,000 buckets is given, one of more is an EngineLimit that names the step to take', async (engine) => {
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
        await assert.rejects(asked(), { reached: { limit: 'timeline_buckets', step } });
      }
    });
  });
}

/** Why an engine may not know it. */
const NO_SENTIMENT = 'documents have no field of it';
const NO_TEXTS = 'documents have no field by which texts could be compared';

/** Longer than what copies are too many of. */
const LONG = 'the panels on the roof of the old barn were cleaned again';

export function breakdownConformance(harness: EngineHarness): void {
  const { name, knows = {} } = harness;
  const withEngine = engineMaker(harness);
  const breakdown = async (
    engine: SearchEngine,
    [kind, text]: readonly [Kind, string],
    request: BreakdownRequest,
  ): Promise<Breakdown> => {
    const { breakdowns } = await engine.ask({ kind, query: queryOf(text), breakdowns: [request] });
    return breakdowns![0]!;
  };
  const filled = ({ rows }: Breakdown) => rows.filter(({ count }) => count > 0);

  describe(`${name}: breakdowns by a scale`, () => {
    it('bands of scores are all there, in their order, as the language writes them', () =>
      withEngine(
        [-2_000_000_000, -21, -20, -19, -5, -4, -1, 0, 1, 6, 7, 4_999, 5_000, 3_000_000_000].map((score, i) =>
          post({ id: `${i}`, score }),
        ),
        async (engine) => {
          const scores = await breakdown(engine, ['post', ''], { field: 'score', size: 1, distinct: true });
          const bands = scores.rows.map((row) => row.name).join(' ');
          const small = '..-20 -19..-5 -4..-1 0..0 1..1 2..2 3..3 4..4 5..5 6..7 8..9 10..14 15..19 20..29';
          assert.equal(bands, `${small} 30..49 50..99 100..199 200..499 500..999 1000..4999 5000..`);
          const counts = filled(scores).map((row) => `${row.name}: ${row.count}`);
          const expected =
            '..-20: 3, -19..-5: 2, -4..-1: 2, 0..0: 1, 1..1: 1, 6..7: 2, 1000..4999: 1, 5000..: 2';
          assert.equal(counts.join(', '), expected);
          assert.equal(scores.distinct, 8);
          for (const { name: band, count } of scores.rows) {
            const { total } = await engine.ask({ kind: 'post', query: queryOf(`score:${band}`) });
            assert.equal(total, count, band);
          }
        },
      ));

    it('hours of the week begin on Monday, in UTC', () =>
      withEngine(
        // 1970-01-01 was a Thursday, 2008-01-06 a Sunday, 2106-02-07 too.
        [0, START_OF_2008 + 5 * DAY + 86_399, START_OF_2008 + 6 * DAY, 4_294_967_295].map((created, i) =>
          post({ id: `${i}`, created }),
        ),
        async (engine) => {
          const hours = await breakdown(engine, ['post', ''], { field: 'weekday_hour', size: 1 });
          assert.equal(hours.rows.length, 7 * 24);
          assert.deepEqual([hours.rows[0]!.name, hours.rows.at(-1)!.name], ['1-00', '7-23']);
          assert.deepEqual(filled(hours), rowsOf({ '1-00': 1, '4-00': 1, '7-06': 1, '7-23': 1 }));
        },
      ));

    it(
      'ratings from 0.05 on say something; a comment without one has a row of its own',
      { skip: knows.sentiment === false && NO_SENTIMENT },
      () =>
        withEngine(
          [-1, -0.05, -0.04996, -0.0499, 0, 0.0499, 0.05, 1, null].map((sentiment, i) =>
            comment({ id: `${i}`, sentiment }),
          ),
          async (engine) => {
            const moods = await breakdown(engine, ['comment', ''], { field: 'sentiment', size: 9 });
            assert.deepEqual(moods.rows, rowsOf({ negative: 2, neutral: 4, positive: 2, unrated: 1 }));
            const asked = { field: 'sentiment', size: 9, distinct: true } as const;
            const none = await breakdown(engine, ['comment', 'nothinglikethis'], asked);
            assert.deepEqual([none.rows.length, none.distinct, filled(none)], [4, 0, []]);
          },
        ),
    );
  });

  describe(`${name}: what rows come to`, () => {
    const records = (
      [
        ['1', 'cats', 0, 0.5, 'https://a.example/ www.b.example'],
        ['2', 'cats', 3, -0.1234, 'https://a.example/'],
        ['3', 'cats', 40, null, 'one'],
        ['4', 'dogs', 40, null, 'one'],
      ] as const
    ).map(([id, community, day, sentiment, body]) =>
      comment({ id, community, created: START_OF_2008 + day * DAY, sentiment, body }),
    );
    const test = testsOver(harness, records);
    const month = (n: number, count: number) => ({ start: START_OF_2008 + n * 31 * DAY, count });

    it('by time, names that only came with a later batch were counted in the shares of the first row', () =>
      withEngine(records.slice(0, 1), async (engine) => {
        await engine.index('comment', packRecords([{ ...records[3]!, created: START_OF_2008 + DAY }]));
        const { breakdowns } = await engine.ask({
          ...{ kind: 'comment', query: queryOf('example'), of: queryOf('') },
          breakdowns: [{ field: 'community', size: 9, by: 'month' }],
        });
        const [row, ...others] = breakdowns![0]!.rows;
        assert.deepEqual([row!.name, row!.of, row!.by, others], ['cats', 1, [{ ...month(0, 1), of: 1 }], []]);
      }));

    test('by time, only buckets with a record are given', async (engine) => {
      const rows = async (field: 'community' | 'domain' | 'score', by: 'month' | 'week', text = '') =>
        filled(await breakdown(engine, ['comment', text], { field, size: 9, by }));
      assert.deepEqual(await rows('community', 'month'), [
        { name: 'cats', count: 3, by: [month(0, 2), month(1, 1)] },
        { name: 'dogs', count: 1, by: [month(1, 1)] },
      ]);
      assert.deepEqual(await rows('domain', 'month'), [
        { name: 'a.example', count: 2, by: [month(0, 2)] },
        { name: 'b.example', count: 1, by: [month(0, 1)] },
      ]);
      assert.deepEqual(await rows('community', 'month', 'one'), [
        { name: 'cats', count: 1, by: [month(1, 1)] },
        { name: 'dogs', count: 1, by: [month(1, 1)] },
      ]);
      // 2007-12-31 was a Monday.
      assert.deepEqual((await rows('score', 'week'))[0]!.by, [
        { start: START_OF_2008 - DAY, count: 2 },
        { start: START_OF_2008 + 34 * DAY, count: 2 },
      ]);
    });

    test(
      'ratings are summed up in ten-thousandths, over those that are rated',
      async (engine) => {
        const rows = async (field: BreakdownRequest['field']) =>
          filled(await breakdown(engine, ['comment', ''], { field, size: 9, measure: 'sentiment' }));
        assert.deepEqual(await rows('community'), [
          { name: 'cats', count: 3, sum: 3_766, rated: 2 },
          { name: 'dogs', count: 1, sum: 0, rated: 0 },
        ]);
        assert.deepEqual(await rows('domain'), [
          { name: 'a.example', count: 2, sum: 3_766, rated: 2 },
          { name: 'b.example', count: 1, sum: 5_000, rated: 1 },
        ]);
        assert.deepEqual(await rows('score'), [{ name: '1..1', count: 4, sum: 3_766, rated: 2 }]);
      },
      { skip: knows.sentiment === false && NO_SENTIMENT },
    );

    test('rows and their buckets have how many records of `of` are in them, where the question has one', async (engine) => {
      const rows = async (request: BreakdownRequest, of = 'after:2008-01-02', text = 'one') => {
        const queries = { query: queryOf(text), of: queryOf(of) };
        const { breakdowns } = await engine.ask({ kind: 'comment', ...queries, breakdowns: [request] });
        return filled(breakdowns![0]!);
      };
      assert.deepEqual(await rows({ field: 'community', size: 9 }), [
        { name: 'cats', count: 1, of: 2 },
        { name: 'dogs', count: 1, of: 1 },
      ]);
      assert.deepEqual(await rows({ field: 'community', size: 1, skip: 1 }), [
        { name: 'dogs', count: 1, of: 1 },
      ]);
      assert.deepEqual(await rows({ field: 'domain', size: 9, by: 'month' }, 'https', ''), [
        { name: 'a.example', count: 2, of: 2, by: [{ ...month(0, 2), of: 2 }] },
        { name: 'b.example', count: 1, of: 1, by: [{ ...month(0, 1), of: 1 }] },
      ]);
      assert.deepEqual(await rows({ field: 'community', size: 1, by: 'month' }), [
        { name: 'cats', count: 1, of: 2, by: [{ ...month(1, 1), of: 1 }] },
      ]);
      assert.deepEqual(await rows({ field: 'score', size: 1, by: 'month' }), [
        { name: '1..1', count: 2, of: 3, by: [{ ...month(1, 2), of: 2 }] },
      ]);
      assert.deepEqual(await rows({ field: 'score', size: 1 }, 'nothinglikethis'), [
        { name: '1..1', count: 2, of: 0 },
      ]);
    });
  });

  describe(`${name}: copies`, { skip: knows.copies === false && NO_TEXTS }, () => {
    const copies = async (engine: SearchEngine, kind: Kind, request: Partial<BreakdownRequest> = {}) =>
      breakdown(engine, [kind, ''], { field: 'copies', size: 10, distinct: true, ...request });

    it('are texts that stand at least twice, in whatever spelling, with an example, times and communities', () =>
      withEngine(
        [
          comment({ id: '7', body: LONG, created: 300, community: 'cats', sentiment: 0.25 }),
          comment({ id: '20', body: LONG.toUpperCase(), created: 100, community: 'dogs' }),
          comment({ id: '10', body: `*${LONG}*`, created: 100, community: 'dogs', sentiment: 0.5 }),
          comment({ id: '30', body: `${LONG} and again`, created: 1 }),
          comment({ id: '31', body: `${LONG} and again`, created: 2 }),
          comment({ id: '32', body: `${LONG} once`, created: 2 }),
        ],
        async (engine) => {
          const rows: BreakdownRow[] = [
            { name: LONG, count: 3, copies: { id: '10', first: 100, last: 300, communities: 2 } },
            { name: `${LONG} and again`, count: 2, copies: { id: '30', first: 1, last: 2, communities: 1 } },
          ];
          assert.deepEqual(await copies(engine, 'comment'), { field: 'copies', rows, distinct: 2 });
          assert.deepEqual((await copies(engine, 'comment', { size: 1 })).rows, rows.slice(0, 1));
          assert.deepEqual((await copies(engine, 'comment', { skip: 1 })).rows, rows.slice(1));
          const measured = await copies(engine, 'comment', { measure: 'sentiment' });
          const sums = measured.rows.map(({ sum, rated }) => `${sum} of ${rated}`);
          assert.deepEqual(sums, ['7500 of 2', '0 of 0']);
        },
      ));

    it('stand among the records of `of` as often as their text does, once at the least', () =>
      withEngine(
        [
          ...['1', '2', '3', '4'].map((id) => comment({ id, body: LONG, created: Number(id) })),
          ...['5', '6', '7'].map((id) => comment({ id, body: `${LONG} and again`, created: Number(id) })),
          comment({ id: '8', body: LONG.replace(/ /g, ', '), created: 8 }),
          comment({ id: '9', body: `${LONG} once`, created: 9 }),
        ],
        async (engine) => {
          const asked = { kind: 'comment', breakdowns: [{ field: 'copies', size: 9 }] } as const;
          const counts = async (text: string, of: string) => {
            const { breakdowns } = await engine.ask({ ...asked, query: queryOf(text), of: queryOf(of) });
            return breakdowns![0]!.rows.map(({ count, of: ofCount }) => `${count} of ${ofCount}`).join(', ');
          };
          const before = (second: number) =>
            `after:1970-01-01,before:1970-01-01T00:00:${second}`.replace(/:(\d)$/, ':0$1');
          assert.equal(await counts(before(6), ''), '4 of 5');
          assert.equal(await counts('', before(6)), '5 of 4, 3 of 1');
          assert.equal(await counts(before(4), 'after:1970-01-01T00:00:03'), '3 of 3');
        },
      ));

    it('of posts are of title and text together; withdrawn and short texts are none', () =>
      withEngine(
        [
          post({ id: '1', title: 'look here', selftext: LONG }),
          post({ id: '2', title: 'look', selftext: `here ${LONG}` }),
          post({ id: '3', title: 'look here', selftext: 'gone' }),
          post({ id: '4', title: 'look here', selftext: 'gone' }),
          post({ id: '5', title: `${LONG} twice`, selftext: '[removed]', withdrawn: true }),
          post({ id: '6', title: `${LONG} twice`, selftext: '[removed]', withdrawn: true }),
        ],
        async (engine) => {
          const { rows, distinct } = await copies(engine, 'post');
          assert.deepEqual([rows[0]?.name, rows[0]?.count, distinct], [`look here ${LONG}`, 2, 1]);
        },
      ));

    it('of one count come by name, which is cut, then by their examples', () => {
      const longer = `${LONG} `.repeat(9);
      const texts = [`b ${LONG}`, `${longer} z`, `${longer} y`, `a ${LONG}`];
      const twice = texts.flatMap((body, i) => [
        comment({ id: `${i}0`, body, created: 50 - i }),
        comment({ id: `${i}1`, body, created: 60 }),
      ]);
      return withEngine(twice, async (engine) => {
        const { rows } = await copies(engine, 'comment');
        const cut = longer.slice(0, COPY_NAME_CHARACTERS);
        const told = rows.map((row) => `${row.copies?.id} ${row.name}`);
        assert.deepEqual(told, [`30 a ${LONG}`, `00 b ${LONG}`, `20 ${cut}`, `10 ${cut}`]);
        assert.deepEqual((await copies(engine, 'comment', { size: 1, skip: 2 })).rows, [rows[2]]);
      });
    });
  });
}
