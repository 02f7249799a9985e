import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { embeddedEngine, openKind, openOwnEngine } from '../../../../test/embedded-index.ts';
import { compareOnCorpus, SHAPES } from '../../../../test/engine-agreement.ts';
import { folderHarness } from '../../../../test/engine-harness.ts';
import { queryOf, RULES } from '../../../../test/engine-suite.ts';
import { someComments } from '../../../../test/helpers.ts';
import { openSharingEngine } from '../../../../test/sharing-engine.ts';
import type { Answer, Question, SearchEngine } from '../../../model/engine.ts';
import type { Query } from '../../../model/query.ts';
import { packRecords } from '../../packing/packed-records.ts';
import { openEmbeddedEngine } from '../engine.ts';
import type { View } from '../index/view.ts';
import { Deadline } from '../matching/deadline.ts';
import { QueryBinding } from '../matching/matching.ts';
import { WordPool } from '../sets/chunk.ts';
import { Searcher } from './searcher.ts';
import { SharedParts, type Task } from './sharing.ts';

describe('a question of which another searcher found half', () => {
  it('is answered as the reference engine answers it', async () => {
    const counter = { shared: 0 };
    const sharing = folderHarness('sharing engine', (folder, options) =>
      openSharingEngine(folder, options, counter),
    );
    let compared = 0;
    for (const [i, shape] of SHAPES.entries()) {
      compared += await compareOnCorpus(sharing, shape, 500 + i);
    }
    assert.ok(counter.shared * 4 > compared, `${counter.shared} of ${compared} shared out`);
  });
});

describe('questions shared out between threads', () => {
  const texts = ['', 'solar', 'solar|third', 'solar -third', 're*', 're*|third', 'solar score:3..'];
  const queries = texts.map(queryOf);
  const records = someComments(6_000, (i) => ({
    ...{ created: 1_000_000 + (i >>> 3), community: `community${i % 17}`, score: i % 5 },
    body: `solar re${i % 700} ${i % 3 === 0 ? 'third' : ''} https://site${i % 40}.example/`,
  }));
  const asked: readonly Omit<Question, 'kind' | 'query'>[] = [
    { page: { order: 'top', limit: 30, after: null } },
    { page: { order: 'top', limit: 30, after: { score: 3, second: 1_000_400 } }, timeline: {} },
    {
      page: { order: 'newest', limit: 30, after: null },
      breakdowns: [
        { field: 'community', size: 5 },
        { field: 'domain', size: 50 },
      ],
      timeline: {},
    },
  ];

  it('many at once, while records come in and go, are answered as by one thread', async () => {
    await using shared = await openOwnEngine({ workers: 3, shareFromMs: 0 });
    for (let from = 0; from < records.length; from += 2_000) {
      await shared.index('comment', packRecords(records.slice(from, from + 2_000)));
      const before = await answers(shared, queries, asked);
      await using alone = await openEmbeddedEngine(shared.path, { rules: RULES, workers: 0 });
      assert.deepEqual(before, await answers(alone, queries, asked));
    }
  });
});

describe('a helper that fails its part', () => {
  const bodyOf = (i: number) => (i % 2 ? 'odd solar' : 'solar');
  const records = someComments(2_000, (i) => ({ community: `a${i % 9}`, body: bodyOf(i) }));
  const batches = [0, 500, 1_000, 1_500].map((from) => records.slice(from, from + 500));
  const question = {
    query: queryOf('odd solar'),
    page: { order: 'top', limit: 20, after: null },
    breakdowns: [{ field: 'community', size: 20 }],
  } as const;
  const cases: readonly [string, (task: Task, view: View, earlier: readonly Task[]) => boolean][] = [
    ['claims a segment and dies', (task, view) => partsOf(task, view).claim() < 0],
    [
      'claims a segment and gives up',
      (task, view) => {
        const parts = partsOf(task, view);
        parts.giveUp(parts.claim());
        return true;
      },
    ],
    [
      'comes when the next question is asked, with the one before',
      (_task, view, earlier) => {
        for (const task of earlier) new Searcher().help(view, task);
        return true;
      },
    ],
    [
      'sees another view',
      (task, view) => {
        new Searcher().help({ ...view, version: view.version + 1 }, task);
        return true;
      },
    ],
  ];
  for (const [name, act] of cases) {
    it(`changes nothing: it ${name}`, async () => {
      await using engine = await embeddedEngine(...batches);
      using opened = openKind(engine.path);
      const { view } = opened;
      const earlier: Task[] = [];
      let isAlive = true;
      const invite = (task: Task) => {
        isAlive = act(task, view, earlier);
        earlier.push(task);
      };
      const helper = {
        get isAlive() {
          return isAlive;
        },
        invite,
      };
      const searcher = new Searcher({ isWanted: false, idle: () => [helper] }, 0);
      const asked = [question, { ...question, query: queryOf('odd|ab*') }, question];
      for (const one of asked) {
        const { arrival: _, ...expected } = await engine.ask({ kind: 'comment', ...one });
        assert.deepEqual(searcher.ask(view, { kind: 'comment', ...one }, Deadline.never()), expected);
      }
      assert.equal(earlier.length, asked.length);
    });
  }
});

describe('a helper that has found its part', () => {
  it('hands over what it counted, by community and by domain', async () => {
    const body = 'solar https://a.example/';
    const records = someComments(1_000, (i) => ({ community: `a${i % 9}`, body }));
    await using engine = await embeddedEngine(records.slice(0, 500), records.slice(500));
    using opened = openKind(engine.path);
    const { view } = opened;
    const taken: (number | undefined)[][] = [];
    const invite = (task: Task) => {
      new Searcher().help(view, task);
      const binding = new QueryBinding(task.query, new WordPool(), Deadline.never());
      const matches = binding.matchesIn(view.segments[task.segments[0]!]!)!;
      partsOf(task, view).give(0, matches);
      taken.push(task.fields.map((field) => matches.given(field)?.reduce((sum, count) => sum + count, 0)));
    };
    const idle = [{ isAlive: true, invite }];
    const breakdowns = [
      { field: 'community', size: 20 },
      { field: 'domain', size: 20 },
    ] as const;
    const question = { kind: 'comment', query: queryOf('solar'), breakdowns } as const;
    new Searcher({ isWanted: false, idle: () => idle }, 0).ask(view, question, Deadline.never());
    assert.deepEqual(taken, [[500, 500]]);
  });
});

function partsOf({ memory, question, segments, fields }: Task, view: View): SharedParts {
  const shared = segments.map((number) => view.segments[number]!.segment);
  return new SharedParts(memory, question, shared, fields);
}

/** All questions at the same time, three times over: helpers come early, late, and not at all. */
async function answers(
  engine: SearchEngine,
  queries: readonly Query[],
  asked: readonly Omit<Question, 'kind' | 'query'>[],
): Promise<Answer[]> {
  const questions = queries.flatMap((query) =>
    asked.map((what): Question => ({ kind: 'comment', query, ...what })),
  );
  const rounds = await Promise.all([0, 1, 2].map(() => Promise.all(questions.map((one) => engine.ask(one)))));
  for (const round of rounds) assert.deepEqual(round, rounds[0]);
  return rounds[0]!;
}
