// Analyses by an engine against the same by the reference engine, which looks at every record: random requests over a
// random corpus. Each kind of analysis has its generator of requests.

import assert from 'node:assert/strict';
import fc from 'fast-check';
import { packRecords } from '../src/engines/packing/packed-records.ts';
import { ServiceError } from '../src/errors.ts';
import { BROKEN_DOWN_BY, breakdownOf, ROW_STEPS } from '../src/features/analysis/breakdown.ts';
import { type Explanation, explain } from '../src/features/analysis/explain.ts';
import { drawSample, SAMPLE_GROUPS } from '../src/features/analysis/sample.ts';
import { ASKED_STEPS, countsOf, MEASURES, timelineOf } from '../src/features/analysis/timeline.ts';
import { wordsOf } from '../src/features/analysis/words.ts';
import { coverageOf } from '../src/features/coverage/coverage.ts';
import { type ThreadResult, type ThreadWish, threadJson, threadOf } from '../src/features/reading/threads.ts';
import { COVERAGE_STEPS } from '../src/model/coverage.ts';
import type { SearchEngine } from '../src/model/engine.ts';
import { conditionsOf, matches } from '../src/model/query.ts';
import { KINDS, type Kind, type StoredComment, type StoredRecord } from '../src/model/record.ts';
import { DAY } from '../src/model/time.ts';
import type { ReadArchive } from '../src/operation/operation.ts';
import { NORMALISES } from '../src/search/asking.ts';
import { interpretQuery } from '../src/search/language/interpret.ts';
import { printQuery } from '../src/search/language/syntax.ts';
import { readArchive } from './archive.ts';
import { queryVocabulary } from './engine-agreement.ts';
import type { EngineHarness } from './engine-harness.ts';
import { everything } from './engine-suite.ts';
import { queryArbitrary } from './generators/queries.ts';
import { type Below, pick, randomBelow } from './generators/random.ts';
import { commentArbitrary, postArbitrary, VOCABULARY } from './generators/records.ts';
import { temporaryFolder } from './helpers.ts';
import { openReferenceEngine } from './reference/reference-engine.ts';

/** What a generator draws from. */
export interface Draw {
  readonly kind: Kind;
  readonly below: Below;
  /** A random query, as text; a `before:` may lack its `after:`. */
  query(): string;
  readonly corpus: Corpus;
}

export interface AnalysisRequest {
  /** For messages: what is asked. */
  readonly wish: unknown;
  ask(archive: ReadArchive): Promise<unknown>;
  /** What must hold of an answer by itself. */
  check?(answer: unknown): void;
  /** The code of the refusal that there must be; null: none. Absent: it may be any. */
  readonly refusal?: string | null;
}

/** By name of what is asked. */
export type Generators = Readonly<Record<string, (draw: Draw) => AnalysisRequest>>;

/** What came in, removed or not, and what a scan of every record finds. */
export interface Corpus {
  readonly given: Readonly<Record<Kind, readonly StoredRecord[]>>;
  readonly live: Readonly<Record<Kind, readonly StoredRecord[]>>;
}

const BATCHES = 3;

const IN_THREAD = 30;

/** A community with posts for adults alone, so that records of the other kind are told by it. */
const ADULT = 'cats';

/** Of the posts that have a thread with everything that sources bring. */
export const THREADED: readonly string[] = VOCABULARY.ids.slice(2, 5);

/** Of both kinds: many copies of few records, and records of one copy; comments also in threads. */
export function givenRecords(seed: number): Corpus['given'] {
  const post = [
    ...fc.sample(postArbitrary(true), { numRuns: 60, seed }),
    ...fc.sample(postArbitrary(), { numRuns: 60, seed }),
  ].map((one) => ({ ...one, adult: one.community === ADULT || one.adult }));
  const wide = fc.sample(commentArbitrary(), { numRuns: 400, seed });
  const comment = [
    ...fc.sample(commentArbitrary(true), { numRuns: 200, seed }),
    ...(seed % 2 === 0 ? aroundGap(wide, seed) : overYears(wide, seed)),
    ...threads(seed),
  ];
  return { post, comment };
}

/** In two times, with days between them that have none: both are busy, or one is just not. */
function aroundGap(comments: readonly StoredComment[], seed: number): StoredComment[] {
  const below = randomBelow(seed);
  const early = 25 + below(50);
  return comments.map((comment) => {
    const day = pick(below, below(100) < early ? [0, 1, 2] : [9, 10, 12]);
    return { ...comment, created: 1_210_000_000 + day * DAY + below(DAY) };
  });
}

/** Half of them where they are, the others on days with few or none between. */
function overYears(comments: readonly StoredComment[], seed: number): StoredComment[] {
  const below = randomBelow(seed);
  return comments.map((comment) => {
    const other = 1_199_145_600 + below(1_000) * DAY + pick(below, [0, DAY - 1, below(DAY)]);
    return { ...comment, created: pick(below, [comment.created, other]) };
  });
}

/** Ids begin with the number of the thread; one may answer a comment of the next thread. */
function threads(seed: number): StoredComment[] {
  const below = randomBelow(seed + 1);
  const some = fc.sample(commentArbitrary(), { numRuns: IN_THREAD * THREADED.length, seed: seed + 1 });
  return some.map((comment, i) => {
    const [thread, at] = [Math.floor(i / IN_THREAD), i % IN_THREAD];
    const post = THREADED[thread]!;
    const earlier = at === 0 ? post : `${thread}c${below(at)}`;
    /** Of any time: circles, of one comment too, come of it. */
    const any = `${thread}c${below(IN_THREAD)}`;
    const strange = pick(below, ['', 'lost', `${thread + 1}c${below(IN_THREAD)}`, any]);
    const parent = pick(below, [post, earlier, earlier, earlier, earlier, strange]);
    const created = pick(below, [comment.created, below(6), below(1_000)]);
    return { ...comment, id: `${thread}c${at}`, post, parent, created };
  });
}

/** In batches, so that segments overlap in time. Some are removed; of these, some come back. */
export async function fill(engine: SearchEngine, given: Corpus['given'], seed: number): Promise<void> {
  const { post, comment } = given;
  for (let at = 0; at < BATCHES; at++) {
    await addEvery(engine, 'post', post, at);
    await addEvery(engine, 'comment', comment, at);
  }
  // Merges leave hidden records behind: what comes back is the same while there are none.
  if (seed % 3 === 0) await engine.maintain();
  const ids = (records: readonly StoredRecord[], every: number) =>
    records.filter((_, i) => i % every === seed % every).map(({ id }) => id);
  await engine.hide(1, 'comment', { ids: ids(comment.slice(200), 9) });
  await engine.hide(2, 'post', { ids: post.slice(0, 5).map(({ id }) => id) });
  await engine.hide(3, 'comment', { community: VOCABULARY.communities[seed % 3]! });
  await engine.hide(3, 'post', { community: VOCABULARY.communities[seed % 3]! });
  await engine.hide(4, 'comment', { ids: ids(comment, 11) });
  await engine.hide(5, 'comment', { threads: [VOCABULARY.ids[seed % VOCABULARY.ids.length]!] });
  await engine.restore(4);
  if (seed % 2 === 0) await engine.restore(3);
  if (seed % 4 < 2) await engine.restore(5);
  await addEvery(engine, 'comment', comment.slice(0, 60), seed % BATCHES);
}

/** After answers that an engine may have kept parts of: some more are removed, and some are back. */
export async function removeMore(engine: SearchEngine, given: Corpus['given'], seed: number): Promise<void> {
  const ids = given.comment.flatMap(({ id }, i) => (i % 13 === seed % 13 ? [id] : []));
  await engine.hide(6, 'comment', { ids });
  await engine.hide(6, 'post', { ids: given.post.slice(60, 64).map(({ id }) => id) });
  await engine.restore(1);
  await engine.restore(2);
}

/** Every third one, from this one on. All engines are told alike when they came in. */
async function addEvery(
  engine: SearchEngine,
  kind: Kind,
  records: readonly StoredRecord[],
  first: number,
): Promise<void> {
  const batch = records.filter((_, i) => i % BATCHES === first);
  const arrived = batch.map((_, i) => 1_400_000_000 + first * 100_000 + i * 61);
  await engine.index(kind, packRecords(batch), undefined, arrived);
}

export async function liveRecords(engine: SearchEngine): Promise<Corpus['live']> {
  return { post: await everything(engine, 'post'), comment: await everything(engine, 'comment') };
}

const NOT_HERE: readonly string[] = ['nowhere', 'zzzzzz', 'lost'];

export const LOOK_UPS: Generators = {
  explain({ kind, below, query, corpus }) {
    const wish = { kind, query: query() };
    const impliedWindow = pick(below, ['1d', 'off'] as const);
    return {
      wish: { ...wish, impliedWindow },
      ask: async (context) => (await explain(context, wish, { impliedWindow })).answer,
      check: (answer) => expectExplained(answer as Explanation, wish.query, corpus.live[kind]),
    };
  },
  records({ kind, below, corpus }) {
    const length = 1 + below(pick(below, [3, 20, 80]));
    const names = Array.from({ length }, () => randomName(kind, below, corpus));
    if (below(25) === 0) names.push({ typed: 'no/id', of: kind, id: '' });
    const separator = pick(below, [',', ' , ', ',,']);
    const fields = pick(below, [null, 'id,created,retrieved_utc', 'arrived_utc,type,permalink,id']);
    const wish = { kind, ids: names.map(({ typed }) => typed).join(separator), fields };
    return {
      wish,
      ask: (context) => context.search.records(wish),
      refusal: names.some(({ id }) => id === '') ? 'bad_ids' : null,
    };
  },
  thread: threadRequest,
  coverage({ below }) {
    const names = [...VOCABULARY.communities, 'nowhere'];
    const step = pick(below, COVERAGE_STEPS);
    const catalogue = { listImports: () => [], removals: { all: () => [] } };
    const wish = { step, subreddits: below(3) === 0 ? [] : names.filter(() => below(2) === 0) };
    return { wish, ask: (archive) => coverageOf({ ...archive, catalogue }, wish), refusal: null };
  },
};

/** Each item is read again, from the text that the answer has of it and from where it was written. */
function expectExplained(
  { rows, implied, total_count, query: echo }: Explanation,
  text: string,
  records: readonly StoredRecord[],
): void {
  const found = (queries: readonly string[]) => {
    const { query } = interpretQuery(queries.join(','), { impliedWindow: 'off' });
    const conditions = conditionsOf(query);
    return records.filter((record) => matches(record, conditions)).length;
  };
  const texts = rows.map(({ item }) => item);
  assert.equal(echo, texts.join(','), 'the items are the query');
  assert.equal(total_count, found(texts), 'total_count');
  for (const [i, { item, offset, length, alone, without, so_far }] of rows.entries()) {
    const written = interpretQuery(text.slice(offset, offset + length), { impliedWindow: 'off' });
    assert.equal(written.echo, item, 'an item stands where the answer says');
    const expected = [found([item]), found(texts.toSpliced(i, 1)), found(texts.slice(0, i + 1))];
    assert.deepEqual([alone, without, so_far], expected, `alone, without and so_far of ${item}`);
  }
  if (implied !== undefined)
    assert.equal(implied.so_far, found([...texts, implied.item]), 'the implied item');
}

interface Name {
  readonly typed: string;
  readonly of: Kind;
  /** Empty: it is none. */
  readonly id: string;
}

/** Of one that came in, of either kind, removed or not, or of one that never did; often the same ones. */
function randomName(kind: Kind, below: Below, { given, live }: Corpus): Name {
  const of = below(5) === 0 ? KINDS.find((other) => other !== kind)! : kind;
  const from = pick(below, [live[of], given[of], given[of].slice(0, 30), []]);
  const id = from.length === 0 ? pick(below, [...NOT_HERE, ...VOCABULARY.ids]) : pick(below, from).id;
  const prefixed = `${of === 'post' ? 't3' : 't1'}_${id}`;
  const path = of === 'post' ? `/r/cats/comments/${id}/a_title/` : `/r/cats/comments/p1/_/${id}/`;
  const marked = pick(below, [prefixed, prefixed.toUpperCase().replace(/_.*/, `_${id}`), path]);
  const typed = pick(below, [marked, `https://www.reddit.com${path}`, ...(of === kind ? [id, id] : [])]);
  return { typed, of, id };
}

/** All of them name the comments and their depths. */
const FIELDS = [null, 'id,depth', 'depth,parent_id,post_id,created,id', 'arrived_utc,id,depth'];

/** More than any thread here has comments. */
const MAX_PAGES = 1_000;

function threadRequest({ below, corpus }: Draw): AnalysisRequest {
  const post = pick(below, [
    ...(below(3) === 0 ? VOCABULARY.ids : THREADED),
    ...(below(20) === 0 ? ['nowhere'] : []),
  ]);
  const middle = middleOf(post, below, corpus);
  const shape = pick(below, ['flat', 'tree'] as const);
  const wish: ThreadWish = {
    post: pick(below, [post, `t3_${post}`, `/r/cats/comments/${post}/_/`, `/r/cats/comments/${post}/_/0c1/`]),
    around: middle === null ? null : pick(below, [middle, `t1_${middle}`]),
    ...{ shape, after: null, fields: pick(below, FIELDS) },
    limit: shape === 'tree' ? pick(below, [null, 'all']) : pick(below, [null, 'all', 1, 2, 3, 7, 20, 1000]),
  };
  return { wish, ask: (context) => wholeThread(context, wish) };
}

/** null: the whole thread is asked for. */
function middleOf(post: string, below: Below, { given: { comment } }: Corpus): string | null {
  const own = comment.filter((one) => one.kind === 'comment' && one.post === post);
  const from = pick(below, [[], [], [], own, own, own, comment]);
  if (from.length > 0) return pick(below, from).id;
  return below(8) === 0 ? pick(below, ['lost', 'nowhere', 'p1']) : null;
}

/** All pages, as callers read them. */
async function wholeThread(archive: ReadArchive, wish: ThreadWish): Promise<unknown[]> {
  const pages: unknown[] = [];
  for (let after: string | null = null; ; ) {
    const result: ThreadResult = await threadOf(archive, { ...wish, after });
    assert.equal(result.isShort, false);
    assert.ok(pages.length < MAX_PAGES, 'pages come to an end');
    pages.push(JSON.parse([...threadJson(result)].join('')));
    if (result.answer.next === null) return pages;
    after = String(result.answer.next);
  }
}

const ANALYSES: Generators = {
  timeline({ kind, below, query }) {
    const wish = {
      ...{ kind, queries: several(below, query), under: underOf(kind, below, query) },
      ...{ step: pick(below, ASKED_STEPS), measure: pick(below, MEASURES[kind]) },
      normalise: pick(below, NORMALISES),
    };
    return {
      wish,
      ask: async (context) => (await timelineOf(context, wish)).answer,
      check: (answer) => {
        for (const { total_count, buckets } of (answer as Awaited<ReturnType<typeof timelineOf>>['answer'])
          .series) {
          const sum = buckets.reduce((counted, { count }) => counted + count, 0);
          assert.equal(sum, total_count, 'the buckets add up to the total');
          for (const { count, of = count } of buckets)
            assert.ok(count <= of, 'a count is a part of what it is of');
        }
      },
    };
  },
  counts({ kind, below, query }) {
    const wish = {
      ...{ kind, queries: several(below, query), under: underOf(kind, below, query) },
      normalise: pick(below, NORMALISES),
    };
    return { wish, ask: async (context) => (await countsOf(context, wish)).answer };
  },
  sample({ kind, below, query }) {
    const wish = {
      ...{
        kind,
        query: query(),
        under: underOf(kind, below, query),
        limit: 1 + below(30),
        seed: String(below(9)),
      },
      ...{ per: pick(below, [null, ...SAMPLE_GROUPS]), fields: pick(below, [null, 'id,created']), since: 0 },
    };
    return { wish, ask: async (context) => (await drawSample(context, wish)).answer };
  },
  words({ kind, below, query }) {
    const against = below(2) === 0 ? null : query();
    const sizes = { sample: 1 + below(60), limit: 1 + below(20) };
    const wish = { kind, query: query(), under: underOf(kind, below, query), against, ...sizes };
    return { wish, ask: async (context) => (await wordsOf(context, wish)).answer };
  },
  breakdown({ kind, below, query }) {
    const wish = {
      ...{
        kind,
        query: query(),
        under: underOf(kind, below, query),
        field: pick(below, BROKEN_DOWN_BY[kind]),
      },
      ...{ step: pick(below, ROW_STEPS), limit: pick(below, [1, 2, 5, 100, 10_000]) },
      ...{ after: pick(below, [null, null, '1', '3']), normalise: pick(below, NORMALISES) },
    };
    return {
      wish,
      ask: async (context) => (await breakdownOf(context, wish)).answer,
      check: (answer) => {
        const { total_count, rest, rows } = answer as Awaited<ReturnType<typeof breakdownOf>>['answer'];
        const sum = rows.reduce((counted, { count }) => counted + count, 0);
        if (rest !== null) assert.equal(sum + rest, total_count, 'the rows and the rest add up to the total');
        for (const { count, of = count, buckets } of rows) {
          assert.ok(count <= of, 'a count is a part of what it is of');
          if (buckets !== undefined)
            assert.equal(
              buckets.reduce((counted, cell) => counted + cell.count, 0),
              count,
            );
        }
      },
    };
  },
};

/** By name of what is asked. */
export const GENERATORS: Generators = { ...ANALYSES, ...LOOK_UPS };

function several(below: Below, query: () => string): string[] {
  return Array.from({ length: 1 + below(4) }, query);
}

function underOf(kind: Kind, below: Below, query: () => string): string | null {
  return kind === 'comment' && below(4) === 0 ? query() : null;
}

/** How many requests of one kind both engines answered alike, and refused alike. */
export interface Tally {
  answers: number;
  refusals: number;
}

/** By name of what was asked. */
export type Compared = Map<string, Tally>;

/** Compares so many requests of each of these generators on one corpus. `seed` makes everything. */
export async function compareAnalyses(
  { place }: Pick<EngineHarness, 'place'>,
  requests: number,
  seed: number,
  compared: Compared,
  generators: Generators = GENERATORS,
): Promise<void> {
  await using own = place();
  using folder = temporaryFolder();
  const rules = { keepOriginals: false };
  await using engine = await own.open({ rules });
  await using reference = await openReferenceEngine(folder.path, { rules });
  const given = givenRecords(seed);
  for (const one of [engine, reference]) await fill(one, given, seed);
  let corpus = { given, live: await liveRecords(reference) };
  const below = randomBelow(seed);
  const queries = fc
    .sample(queryArbitrary(queryVocabulary, 3), { numRuns: 40, seed })
    .map((query) => printQuery(query));
  for (let i = 0; i < requests; i++) {
    if (i === requests >> 1) {
      for (const one of [engine, reference]) await removeMore(one, given, seed);
      corpus = { given, live: await liveRecords(reference) };
    }
    for (const [name, make] of Object.entries(generators)) {
      const request = make({ kind: pick(below, KINDS), below, query: () => pick(below, queries), corpus });
      const tally = compared.get(name) ?? { answers: 0, refusals: 0 };
      compared.set(name, tally);
      const isAnswered = await compareRequest(request, [engine, reference]).catch((cause: unknown) => {
        throw new Error(`seed ${seed}, ${name} ${JSON.stringify(request.wish)}`, { cause });
      });
      if (isAnswered) tally.answers++;
      else tally.refusals++;
    }
  }
}

/** Whether both answer; false: both refuse. */
async function compareRequest(
  request: AnalysisRequest,
  [engine, reference]: readonly [SearchEngine, SearchEngine],
): Promise<boolean> {
  const expected = await outcomeOf(request, reference);
  assert.deepEqual(await outcomeOf(request, engine), expected);
  const refused = 'refused' in expected ? expected.refused : null;
  if (request.refusal !== undefined) assert.equal(refused, request.refusal, 'refused or not');
  return refused === null;
}

async function outcomeOf(request: AnalysisRequest, engine: SearchEngine): Promise<object> {
  try {
    const answer = await request.ask(readArchive(engine, { queryTimeoutMs: Infinity }));
    request.check?.(answer);
    return { answer };
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return { refused: error.code, message: error.message, position: error.position };
  }
}
