// Questions that are asked together, queries beside each other, and the second query that shares are of: part of the
// contract in engine-conformance.ts.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Compared } from '../src/model/analyses.ts';
import type {
  OneOfMany,
  Question,
  SearchEngine,
  Timeline,
  TimelineBucket,
  TimelineRequest,
} from '../src/model/engine.ts';
import { EngineLimit } from '../src/model/engine-errors.ts';
import type { Kind, StoredRecord } from '../src/model/record.ts';
import { fingerprintOf } from './engine-fingerprints.ts';
import type { EngineHarness } from './engine-harness.ts';
import { EVERYTHING, engineMaker, firstPage, idsOf, queryOf, testsOver } from './engine-suite.ts';
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
  const countsOf = ({ buckets }: Timeline) => buckets.map(({ count }) => count).join();

  describe(`${harness.name}: questions asked together`, () => {
    const test = testsOver(harness, RECORDS);

    test('are answered in their order, with the fingerprint of the view', async (engine) => {
      const page = firstPage('oldest', 9);
      const questions = [asked('solar', { page }), asked('nothinglikethis'), asked('wind', { page })];
      const { answers, index, arrival } = await engine.askAll(questions);
      const told = answers.map((answer) => `${answer.total}: ${idsOf(answer)}`);
      assert.deepEqual(told, ['4: 1,2,3,5', '0: ', '2: 4,5']);
      assert.deepEqual(index, await fingerprintOf(engine, 'comment'));
      const alone = await Promise.all(questions.map((question) => engine.ask(question)));
      const together = answers.map((answer) => ({ ...answer, arrival }));
      assert.deepEqual(together, alone);
    });

    it('of an empty index find nothing, and say so by its fingerprint', () =>
      withEngine([], async (engine) => {
        const { answers, index } = await engine.askAll([timed('solar', {}, ''), asked('')]);
        assert.deepEqual(index, { fingerprint: '0'.repeat(16), records: 0 });
        const timeline = { step: 'day', buckets: [] };
        assert.deepEqual(answers, [{ total: 0, ofTotal: 0, timeline }, { total: 0 }]);
      }));

    for (const [rule, questions, refusal] of [
      ['must be there', [], TypeError],
      ['must be about one kind', [asked(''), { kind: 'post', query: EVERYTHING }], TypeError],
      ['must have one step', [timed('solar', { step: 'hour' }), timed('solar', { step: 'day' })], TypeError],
      [
        'throw the limit of any of them',
        ['solar', 'after:1970-01-02 before:2100-01-01'].map((text) => timed(text, { step: 'hour' })),
        EngineLimit,
      ],
    ] as const) {
      test(rule, (engine) => assert.rejects(async () => engine.askAll(questions), refusal));
    }

    test('have one caller who may go', async (engine) => {
      const gone = AbortSignal.abort(new Error('gone'));
      await assert.rejects(engine.askAll([asked('solar'), asked('wind')], {}, gone), { message: 'gone' });
    });

    test('`of` is counted beside: in all, and in the buckets of the query', async (engine) => {
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
    });

    test('`of` outside the first and the last bucket is counted in none', async (engine) => {
      for (const step of ['hour', 'day'] as const) {
        const [timeline] = await timelines(engine, [timed('wind', { step }, '')]);
        const sum = timeline!.buckets.reduce((total, { of }) => total + of!, 0);
        assert.equal(sum, 2, step);
      }
    });

    for (const [rule, requests, first, expected] of [
      [
        'timelines share their buckets: from the first match of all to the last, empty ones included',
        ['solar', 'wind', 'nothinglikethis'].map((text) => timed(text, { step: 'day' })),
        START_OF_2008,
        ['3,0,0,1', '0,0,1,1', '0,0,0,0'],
      ],
      [
        'timelines of queries with bounds of their own begin and end with the widest of them',
        ['solar after:2008-01-02 before:2008-01-07', 'wind before:2008-01-04'].map((text) => timed(text, {})),
        START_OF_2008 + DAY,
        ['0,0,1,0,0', '0,1,0,0,0'],
      ],
    ] as const) {
      test(rule, async (engine) => {
        const found = await timelines(engine, requests);
        assert.deepEqual(found.map(countsOf), expected);
        for (const { step, buckets } of found) assert.deepEqual([step, buckets[0]?.start], ['day', first]);
      });
    }

    test('where nothing matches, buckets between bounds are there if they are asked for', async (engine) => {
      const text = 'nothinglikethis after:2008-01-01 before:2008-01-03';
      const [asUsual] = await timelines(engine, [timed(text, {}, '')]);
      assert.deepEqual(asUsual?.buckets, []);
      const [kept] = await timelines(engine, [
        timed(text, { keepsBounds: true }, 'after:2008-01-01 before:2008-01-03'),
      ]);
      assert.deepEqual(kept?.buckets, [day(0, { count: 0, of: 3 }), day(1, { count: 0, of: 0 })]);
      const [open] = await timelines(engine, [timed('nothinglikethis', { keepsBounds: true })]);
      assert.deepEqual(open?.buckets, []);
    });

    test('scores are summed up for each timeline that asks for it', async (engine) => {
      const [sums, plain] = await timelines(engine, [
        timed('wind', { step: 'year', measure: 'score' }),
        timed('wind', { step: 'year' }),
      ]);
      assert.deepEqual(sums?.buckets, [{ start: START_OF_2008, count: 2, sum: 2 }]);
      assert.deepEqual(plain?.buckets, [{ start: START_OF_2008, count: 2 }]);
    });

    const skip = harness.knows?.sentiment === false && 'documents have no field of it';
    test(
      'sentiment is summed up in ten-thousandths, over those that are rated',
      async (engine) => {
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
      },
      { skip },
    );

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
          const shares = answers.map(({ total, ofTotal }) => `${total} of ${ofTotal}`);
          assert.deepEqual(shares, ['4 of 6', '5 of 7', '0 of 0', '5 of 7', '4 of 6']);
          const counts = answers.slice(3).map(({ timeline }) => countsOf(timeline!));
          assert.deepEqual(counts, ['4,0,0,1', '3,0,0,1']);
        },
      ));
  });
}

const WORDS = ['solar', 'wind', 'roof', 'the cat', 'heat pump'];

/** Each word by its own pattern. */
function recordAt(i: number): StoredRecord {
  const body = WORDS.filter((_, word) => i % (word + 2) === 0).join(' ');
  const community = ['energy', 'cats', 'dogs'][i % 3]!;
  const fields = { score: i % 11, created: START_OF_2008 + i, post: `p${i % 7}` };
  return comment({ id: `${i}`, body, community, ...fields });
}

export function partsConformance(harness: EngineHarness): void {
  const withEngine = engineMaker(harness);
  const totals = async (engine: SearchEngine, kind: Kind, texts: readonly string[]) => {
    const questions = texts.map((text) => ({ kind, query: queryOf(text) }));
    return (await engine.askAll(questions)).answers.map(({ total }) => total);
  };
  /** The same one by one. */
  const single = (engine: SearchEngine, kind: Kind, texts: readonly string[]) =>
    Promise.all(texts.map(async (text) => (await engine.ask({ kind, query: queryOf(text) })).total));

  describe(`${harness.name}: counts of queries with parts in common`, () => {
    const records = [
      ...[0, 1, 2, 3, 4, 6, 12, 30].map(recordAt),
      post({ id: 'p', title: 'solar wind', created: START_OF_2008 }),
    ];
    const items = 'solar, -wind, /r/energy, score:1..6, /r/cats, "heat pump"|roof, before:2009-01-01'.split(
      ', ',
    );
    const variants = (all: readonly string[]) =>
      all.flatMap((item, i) => [item, all.toSpliced(i, 1).join(' '), all.slice(0, i + 1).join(' ')]);

    it('are those of each query by itself: every item alone, all without it, all up to it', () =>
      withEngine(records, async (engine) => {
        const texts = variants(items);
        assert.deepEqual(await totals(engine, 'comment', texts), await single(engine, 'comment', texts));
        const some = ['solar', 'wind', 'solar wind', 'wind solar', ''];
        assert.deepEqual(await totals(engine, 'post', some), [1, 1, 1, 1, 1]);
        assert.deepEqual(await totals(engine, 'comment', some), [6, 5, 4, 4, 8]);
        // Any of the communities, whatever stands between them.
        const places = ['/r/energy', '/r/cats', '/r/energy solar /r/cats', 'solar', '/r/energy solar'];
        assert.deepEqual(await totals(engine, 'comment', places), [5, 2, 5, 6, 4]);
        assert.deepEqual(await totals(engine, 'comment', ['solar -solar', 'solar', '-solar']), [0, 6, 2]);
      }));
  });
}

const said = (id: string, body: string, community: string, sentiment: number | null = null) =>
  comment({ id, body, community, sentiment, post: 'p1', created: START_OF_2008 + Number(id) });

const BESIDE = [
  post({ id: 'p1', title: 'solar roof', community: 'energy' }),
  post({ id: 'p2', title: 'wind', community: 'energy' }),
  said('1', 'solar is good http://a.example', 'energy', 0.4404),
  said('2', 'solar and wind http://a.example http://b.example', 'energy', -0.5),
  said('3', 'wind http://b.example', 'boats', 0.1),
  said('4', 'wind', 'boats'),
  said('5', 'wind', 'dogs'),
  said('6', 'rain', 'cats'),
];

export function comparedConformance(harness: EngineHarness): void {
  const compare = async (
    engine: SearchEngine,
    kind: Kind,
    [own, ...others]: readonly string[],
    rest: Partial<Question> & { readonly communities?: number } = {},
  ): Promise<Compared> => {
    const { communities = 9, ...more } = rest;
    const compared = { with: others.map(queryOf), communities };
    const { answers } = await engine.askAll([{ kind, query: queryOf(own!), ...more, compared }]);
    return answers[0]!.compared!;
  };

  describe(`${harness.name}: queries beside each other`, () => {
    const test = testsOver(harness, BESIDE);

    test('tell how many records match each, and how many match two of them', async (engine) => {
      const { both } = await compare(engine, 'comment', ['solar', 'wind', 'rain', '']);
      assert.deepEqual(both.map(String), ['2,1,0,2', '1,4,0,4', '0,0,1,1', '2,4,1,6']);
    });

    test('both means both: of communities, sites and ids too, which are any-of in one query', async (engine) => {
      const rows: readonly (readonly [one: string, other: string, both: number])[] = [
        ['/r/energy', '/r/boats', 0],
        ['/r/energy,/r/boats', '/r/boats,/r/dogs', 2],
        ['site:a.example', 'site:b.example', 1],
        ['site:example', 'site:b.example', 2],
        ['id:1,id:2', 'id:2,id:3', 1],
        ['-/r/energy', '-/r/boats', 2],
        ['wind', 'wind', 4],
        ['wind -solar', 'solar', 0],
      ];
      for (const [one, other, expected] of rows) {
        const { both } = await compare(engine, 'comment', [one, other]);
        assert.equal(both[0]![1], expected, `${one} and ${other}`);
        assert.equal(both[1]![0], expected);
      }
    });

    test('have the communities that are highest for any of them, counted for all', async (engine) => {
      const all = await compare(engine, 'comment', ['solar', 'wind']);
      assert.deepEqual(all.communities, [
        { name: 'energy', counts: [2, 1] },
        { name: 'boats', counts: [0, 2] },
        { name: 'dogs', counts: [0, 1] },
      ]);
      const few = await compare(engine, 'comment', ['solar', 'wind'], { communities: 1 });
      assert.deepEqual(few.communities, all.communities.slice(0, 2));
      const none = await compare(engine, 'comment', ['solar', 'wind'], { communities: 0 });
      assert.deepEqual(none.communities, []);
    });

    test('have the sum of their ratings, where the engine keeps them apart', async (engine) => {
      const { ratings } = await compare(engine, 'comment', ['solar', 'wind', 'rain', 'nothinglikethis']);
      const none = { sum: 0, rated: 0 };
      const expected = [{ sum: -596, rated: 2 }, { sum: -4000, rated: 2 }, none, none];
      assert.deepEqual(ratings, harness.knows?.sentiment === false ? undefined : expected);
      const posts = await compare(engine, 'post', ['solar', 'wind']);
      assert.deepEqual(posts.ratings, [none, none]);
    });

    test('stand beside what else is asked, and `under` holds for all', async (engine) => {
      const question: Question = {
        ...{ kind: 'comment', query: queryOf('solar'), of: queryOf(''), timeline: {} },
        compared: { with: [queryOf('wind')], communities: 1 },
      };
      const { compared, ...rest } = await engine.ask(question);
      const { compared: _, ...alone } = question;
      assert.deepEqual(rest, await engine.ask(alone));
      assert.equal(compared!.both[0]![1], 1);
      const under = await compare(engine, 'comment', ['solar', 'wind'], { under: queryOf('wind') });
      assert.deepEqual([under.both.join(), under.communities], ['0,0,0,0', []]);
    });
  });
}
