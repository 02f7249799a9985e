// Agreement with the reference engine: random corpora, written in batches with copies and removals among
// them, and random queries of the whole grammar. Every answer must be the same: ids, order, totals,
// breakdowns, timelines, cursors.

import assert from 'node:assert/strict';
import fc from 'fast-check';
import { packRecords } from '../src/engines/packing/packed-records.ts';
import type { ComparedRequest } from '../src/model/analyses.ts';
import { COVERAGE_STEPS } from '../src/model/coverage.ts';
import {
  type Answer,
  type BreakdownField,
  type BreakdownRequest,
  isName,
  MAX_NAMED_RECORDS,
  type OneAnswer,
  type OneOfMany,
  type Question,
  type SearchEngine,
  type TimelineRequest,
} from '../src/model/engine.ts';
import { EngineLimit, type LimitReached } from '../src/model/engine-errors.ts';
import type { ExportRequest } from '../src/model/export.ts';
import { ORDERS, type PageRequest, pageRequest, type ThreadRequest } from '../src/model/pages.ts';
import type { Query } from '../src/model/query.ts';
import { KINDS, type Kind, type StoredRecord } from '../src/model/record.ts';
import type { Hidden } from '../src/model/removals.ts';
import { TIMELINE_STEPS } from '../src/model/timeline.ts';
import { exported, openExport } from './engine-export.ts';
import type { EngineHarness } from './engine-harness.ts';
import { queryArbitrary } from './generators/queries.ts';
import { postArbitrary, recordArbitrary, VOCABULARY } from './generators/records.ts';
import { temporaryFolder } from './helpers.ts';
import { openReferenceEngine } from './reference/reference-engine.ts';
import { wholeStats } from './whole-stats.ts';

type Since = Pick<Question, 'since'>;
type Asked = Pick<Question, 'kind' | 'query' | 'under' | 'since'>;

/** How a corpus comes to be. */
export interface CorpusShape {
  /** Different records to begin with. */
  readonly seeds: number;
  /** Each becomes so many, with the same time and score: ties. */
  readonly copies: number;
  readonly batches: number;
  readonly queries: number;
}

/** The shapes that random testing goes through, over and over. */
export const SHAPES: readonly CorpusShape[] = [
  { seeds: 12, copies: 1, batches: 4, queries: 25 },
  { seeds: 60, copies: 1, batches: 12, queries: 30 },
  { seeds: 200, copies: 2, batches: 3, queries: 30 },
  { seeds: 30, copies: 40, batches: 2, queries: 20 },
  { seeds: 300, copies: 1, batches: 70, queries: 30 },
];

const TIMELINES: readonly TimelineRequest[] = [
  {},
  { measure: 'score' },
  ...TIMELINE_STEPS.map((step) => ({ step, measure: 'score' }) as const),
  { measure: 'fingerprint' },
  { step: 'month', measure: 'fingerprint' },
];

/** Batches of a corpus after which something is hidden and taken back. */
const MAX_REMOVAL_ROUNDS = 4;

/** The engine and the reference, which must answer or refuse alike. */
type Both = readonly [SearchEngine, SearchEngine];

/** What both said. */
async function alike<T>(
  both: Both,
  ask: (one: SearchEngine) => Promise<T>,
  where: string,
): Promise<T | LimitReached> {
  const [own, expected] = await Promise.all(both.map((one) => outcomeOf(() => ask(one))));
  assert.deepEqual(own, expected, where);
  return expected!;
}

/** Compares the two on one corpus; returns how many answers were compared. `seed` makes everything. */
export async function compareOnCorpus(
  harness: Pick<EngineHarness, 'place' | 'knows'>,
  shape: CorpusShape,
  seed: number,
): Promise<number> {
  await using place = harness.place();
  using otherFolder = temporaryFolder();
  const rules = { keepOriginals: seed % 2 === 1 };
  await using own = await place.open({ rules });
  await using specified = await openReferenceEngine(otherFolder.path, { rules });
  const kind = KINDS[seed % 2]!;
  const marks = [own, specified].map((one) => new ArrivalMarks(one, kind));
  const both: Both = [marks[0]!.marked(), marks[1]!.marked()];
  const batches = batchesOf(kind, shape, seed);
  // The reference engine sums up every record; others carry sums on.
  const sameFingerprints = () => alike(both, (one) => one.fingerprints(), where(seed, 'fingerprints'));
  if (kind === 'comment') for (const one of both) await addPosts(one, seed);
  for (const [i, batch] of batches.entries()) {
    await alike(both, (one) => one.index(kind, packRecords(batch)), where(seed, 'index'));
    for (const one of marks) await one.set();
    await sameFingerprints();
    if (i % Math.ceil(batches.length / MAX_REMOVAL_ROUNDS) !== 0) continue;
    // Merges leave hidden records behind: what comes back is the same while there are none.
    await both[0].maintain();
    await hideAndRestore(both, kind, batch, seed * batches.length + i);
    for (const one of marks) await one.raise();
    await sameFingerprints();
  }
  const queries = fc.sample(queryArbitrary(queryVocabulary), { numRuns: shape.queries, seed });
  const unders = kind === 'post' ? [] : undersOf(shape, seed);
  const sinces = queries.map((_, i) => sometimesSince(batches.length, seed + i));
  const asked = queries.map((query, i): Asked => {
    return { kind, query, ...(unders[i] && { under: unders[i] }), ...sinces[i] };
  });
  for (const [i, question] of asked.entries()) {
    await compareNews(both, question, seed + i);
    const breakdown = breakdownRequest(seed + i, harness.knows);
    // Of what a share would be, and of what meets the query in part.
    const of = [undefined, { items: [] }, queries[i - 1]][i % 3];
    await compareQuery(both, question, { breakdown, of }, seed + i);
  }
  await compareNamed(both, kind, batches.flat(), seed);
  await compareScans(both, kind, queries[0]!, seed);
  await compareTogether(harness, both, kind, queries, { unders, sinces }, seed);
  await compareCoverage(harness, both, kind, seed);
  await compareExports(both, asked, seed);
  const statsOf = async (one: SearchEngine) => {
    const { bytes: _, segments: __, ...stats } = (await wholeStats(one))[kind];
    return stats;
  };
  await alike(both, statsOf, where(seed, 'stats'));
  await sameFingerprints();
  return queries.length;
}

/** Some of the posts that random comments name; one of them is taken out again. */
async function addPosts(engine: SearchEngine, seed: number): Promise<void> {
  const posts = fc.sample(postArbitrary(true), { numRuns: 16, seed });
  for (const batch of [posts.slice(0, 10), posts.slice(10)]) await engine.index('post', packRecords(batch));
  await engine.hide(1, 'post', { ids: [posts[seed % posts.length]!.id] });
}

/** For every other question; now and then every post matches. */
function undersOf({ queries }: CorpusShape, seed: number): (Query | undefined)[] {
  const random = fc.sample(queryArbitrary(queryVocabulary), { numRuns: queries, seed: seed + 1 });
  return random.map((query, i) => (i % 2 === 0 ? undefined : i % 8 === 1 ? { items: [] } : query));
}

/** Removals of every form, some of which overlap; some are taken back, and the rest stays hidden. */
async function hideAndRestore(
  both: Both,
  kind: Kind,
  batch: readonly StoredRecord[],
  seed: number,
): Promise<void> {
  /** Larger than any number before: what an earlier batch hid is not touched any more. */
  const first = seed * 10 + 1;
  const some = batch.slice(0, (batch.length >> 4) + 1);
  const posts = some.map((record) => (record.kind === 'comment' ? record.post : record.id));
  const ways: readonly Hidden[] = [
    { ids: some.map(({ id }) => id) },
    { ids: batch.filter((_, i) => i % 3 === seed % 3).map(({ id }) => id) },
    { community: VOCABULARY.communities[seed % VOCABULARY.communities.length]! },
    { threads: posts },
  ];
  const picked = ways.filter((_, i) => i === 0 || (seed >> i) % 2 === 0);
  for (const [i, what] of picked.entries())
    await alike(both, (one) => one.hide(first + i, kind, what), where(seed, 'hide'));
  const total = async (one: SearchEngine) => (await one.ask({ kind, query: { items: [] } })).total;
  await alike(both, total, where(seed, 'total'));
  const restore = (number: number) => alike(both, (one) => one.restore(number), where(seed, 'restore'));
  // The first one, of few records, stays; so does every other one now and then.
  for (let i = picked.length - 1; i > 0; i--) await restore(first + i);
  if (seed % 4 === 0) await restore(first);
}

/** What random queries over random records are made of. */
export const queryVocabulary = {
  ...VOCABULARY,
  domains: [...VOCABULARY.domains, 'org', 'com', 'self', 'self.cats'],
  // More common words than the records have: neighbours that are indexed as pairs.
  words: [
    ...[...VOCABULARY.words, 'of the', 'the cat', 'a', 'x a'],
    // Of three tokens and more: settled by payloads, or with a neighbour that is none of a pair by the text.
    ...['the of the', 'of a the', "the don't", '日本日', '日本本日', 'a 日本', 'the solar of'],
    ...['solar panel', 'panel of', 'a roof', 'the solar panel', 'solar panel roof', 'example org'],
    'solar solar',
  ],
};

function batchesOf(kind: Kind, { seeds, copies, batches }: CorpusShape, seed: number): StoredRecord[][] {
  const records = fc.sample(recordArbitrary(kind, seed % 3 === 0), { numRuns: seeds, seed });
  const all = records.flatMap((record) => Array.from({ length: copies }, (_, i) => renamed(record, i)));
  const size = Math.ceil(all.length / batches);
  // Every second batch goes through the whole corpus, so that segments overlap in time and hold copies.
  return Array.from({ length: batches }, (_, n) =>
    n % 2 === 0
      ? all.slice(n * size, (n + 1) * size)
      : all.filter((_record, i) => i % batches === n).slice(0, size),
  );
}

/** The same record under another id; ids of different lengths, in no order of time. */
function renamed(record: StoredRecord, copy: number): StoredRecord {
  return copy === 0 ? record : { ...record, id: `${((copy * 7919) % 4096).toString(36)}${record.id}` };
}

async function compareQuery(
  both: Both,
  asked: Asked,
  { breakdown, of }: { readonly breakdown: BreakdownRequest; readonly of: Query | undefined },
  seed: number,
): Promise<void> {
  const order = ORDERS[seed % 3]!;
  const limit = [1, 2, 7, 100, 1000][seed % 5]!;
  const maxBytes = [undefined, 3_000, 100_000][seed % 7];
  const size = maxBytes === undefined ? { limit } : { limit, maxBytes };
  let page: PageRequest = { order, ...size, after: null };
  for (let pages = 0; pages < 4; pages++) {
    const question: Question = {
      ...asked,
      ...(of && pages === 0 && { of }),
      page,
      breakdowns: [
        { field: 'community', size: 1 + (seed % 4) },
        { field: 'domain', size: 100, distinct: true },
        { field: 'domain', size: 3, skip: seed % 3, prefix: 's'.repeat(seed % 2), distinct: seed % 3 === 0 },
        ...(pages === 0 ? [breakdown] : []),
      ],
      ...(seed % 2 === 0 && { timeline: TIMELINES[(seed >> 1) % TIMELINES.length]! }),
      evidence: seed % 3 !== 0,
    };
    const answer = await alikeAsked(both, question, seed);
    if ('limit' in answer) return;
    if (pages === 0 && asked.kind === 'comment') await compareThreads(both, asked, seed);
    const next = answer.page!.next;
    if (next === null) break;
    page = pageRequest(order, next, size);
  }
  await compareSamples(both, asked, seed);
}

function alikeAsked(both: Both, question: Question, seed: number): Promise<Answer | LimitReached> {
  return alike(both, (one) => one.ask(question), where(seed, JSON.stringify(question)));
}

/** Page behind page, with what is older than a few years in numbers or not. */
async function compareNews(both: Both, asked: Asked, seed: number): Promise<void> {
  const limit = [0, 1, 3, 40][seed % 4]!;
  const maxAge = [null, 5 * 365 * 86_400, 0, 12 * 365 * 86_400][(seed >> 2) % 4]!;
  await alikeAsked(both, { ...asked, news: { limit, maxAge } }, seed);
}

/** Of every fourth query: a sample of each form in turn, and its words. */
async function compareSamples(both: Both, asked: Asked, seed: number): Promise<void> {
  if (seed % 4 !== 0) return;
  const form = seed / 4;
  const sample = { size: [1, 3, 40, 10_000][form % 4]!, seed: String(form % 5) };
  const group = ([undefined, 'community', 'month'] as const)[form % 3];
  const question: Question = {
    ...asked,
    page: { order: 'sample', ...sample, ...(group && { per: group }) },
    words: { ...sample, least: 1 + (form % 3) },
    ...(form % 2 === 0 && { of: { items: [] } }),
    evidence: true,
  };
  await alikeAsked(both, question, seed);
}

/** The matches as if they were comments of one post: what answers one of another post answers nothing that is here. */
async function compareThreads(both: Both, asked: Asked, seed: number): Promise<void> {
  const limit = [1, 3, 100][seed % 3]!;
  const id = VOCABULARY.ids[seed % VOCABULARY.ids.length]!;
  const requests: readonly ThreadRequest[] = [
    { order: 'oldest', after: null, limit, ...(seed % 2 === 0 && { maxBytes: 3_000 }) },
    { order: 'tree', from: seed % 5, limit, around: id },
    { order: 'tree', at: id, limit },
  ];
  await alikeAsked(both, { ...asked, thread: requests[seed % requests.length]!, evidence: true }, seed);
}

/** Questions asked in one call, with their shares; now and then `under` posts. */
async function compareTogether(
  { knows }: Pick<EngineHarness, 'knows'>,
  both: Both,
  kind: Kind,
  queries: readonly Query[],
  { unders, sinces }: { readonly unders: readonly (Query | undefined)[]; readonly sinces: readonly Since[] },
  seed: number,
): Promise<void> {
  const compareAll = (questions: readonly OneOfMany[]) =>
    alike(both, (one) => one.askAll(questions), where(seed, JSON.stringify(questions)));
  const sentiment = knows?.sentiment === false ? undefined : 'sentiment';
  const measures = [undefined, 'score', sentiment, 'fingerprint'] as const;
  // What has items in common: each alone, all without it, all up to it.
  const items = queries.slice(0, 4).flatMap((query) => query.items);
  const parts = items.flatMap((item, i): Query[] => [
    ...[{ items: [item] }, { items: items.toSpliced(i, 1) }, { items: items.slice(0, i + 1) }],
  ]);
  if (parts.length > 0) await compareAll(parts.map((query): OneOfMany => ({ kind, query })));
  for (let at = 0; at + 4 <= queries.length; at += 8) {
    const some = queries.slice(at, at + 4);
    const step = (['day', 'week', 'month', 'quarter', 'year', undefined] as const)[(seed + (at >> 3)) % 6];
    const measure = measures[((seed + at) >> 3) % 4];
    const under = unders[at];
    const questions = some.map(
      (query, i): OneOfMany => ({
        ...{ kind, query },
        ...(i % 2 === 0 && { of: some[(i + 1) % some.length]! }),
        ...(at % 16 === 0 && {
          timeline: { ...(step && { step }), ...(measure && { measure }), keepsBounds: seed % 2 === 0 },
        }),
        ...(under && { under }),
        ...sinces[at + i],
      }),
    );
    await compareAll(questions);
    await compareBeside(both, questions[0]!, { with: some.slice(1), communities: 1 + (seed % 3) }, seed);
  }
}

/** A question whose query stands beside others; an engine may keep no ratings apart. */
async function compareBeside(
  both: Both,
  { kind, query, under }: OneOfMany,
  compared: ComparedRequest,
  seed: number,
): Promise<void> {
  const question: Question = { kind, query, compared, ...(under && { under }) };
  const [own, expected] = await Promise.all(both.map((one) => answerOf(one, question)));
  const told = where(seed, JSON.stringify(question));
  if ('limit' in own! || 'limit' in expected!) return assert.deepEqual(own, expected, told);
  const { ratings, ...rest } = own!.compared!;
  const { ratings: expectedRatings, ...expectedRest } = expected!.compared!;
  assert.deepEqual([rest, ratings ?? expectedRatings], [expectedRest, expectedRatings], told);
}

async function compareCoverage(
  { knows }: Pick<EngineHarness, 'knows'>,
  both: Both,
  kind: Kind,
  seed: number,
): Promise<void> {
  if (knows?.coverage === false) return;
  const communities = [VOCABULARY.communities[seed % VOCABULARY.communities.length]!, 'nowhere'];
  for (const step of COVERAGE_STEPS) {
    const request = { kind, step, communities: step === 'day' ? communities : [] };
    await alike(both, (one) => one.coverage(request), where(seed, `coverage by ${step}`));
  }
}

/** Hours and days of a long time are too many. */
export function answerOf(engine: SearchEngine, question: Question): Promise<Answer | LimitReached> {
  return outcomeOf(() => engine.ask(question));
}

async function outcomeOf<T>(ask: () => Promise<T>): Promise<T | LimitReached> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof EngineLimit) return error.reached;
    throw error;
  }
}

/** Of some that are here, some that were hidden, and some that never came in. */
async function compareNamed(
  both: Both,
  kind: Kind,
  records: readonly StoredRecord[],
  seed: number,
): Promise<void> {
  const some = records.filter((_, i) => i % 5 === seed % 5).map(({ id }) => id);
  const ids = [...some, ...some.slice(0, 9).map((id) => `${id}-`)].slice(0, MAX_NAMED_RECORDS).toReversed();
  const request = { kind, ids, evidence: seed % 3 !== 0 };
  await alike(both, (one) => one.records(request), where(seed, 'records'));
}

async function compareScans(both: Both, kind: Kind, query: Query, seed: number): Promise<void> {
  for (const order of ORDERS) {
    for (const scanned of [query, { items: [] }]) {
      const ids = async (one: SearchEngine) => {
        const batches = await Array.fromAsync(one.scan(kind, scanned, order));
        return batches.flat().map(({ id }) => id);
      };
      await alike(both, ids, where(seed, `scan ${order} ${JSON.stringify(scanned)}`));
    }
  }
}

function where(seed: number, what: string): string {
  return `seed ${seed}: ${what}`;
}

/** An engine of which arrivals are told as marks: two engines count them in numbers of their own. */
class ArrivalMarks {
  readonly #engine: SearchEngine;
  readonly #kind: Kind;
  /** Up. */
  readonly #numbers: number[] = [];
  /** The greatest number that stands for each: what brings nothing in may raise it. */
  readonly #raised: number[] = [];

  constructor(engine: SearchEngine, kind: Kind) {
    this.#engine = engine;
    this.#kind = kind;
  }

  /** Here: the number of what came in last. */
  async set(): Promise<void> {
    const arrival = await this.#last();
    this.#numbers.push(arrival);
    this.#raised.push(arrival);
  }

  /** Nothing has come in behind the last mark. */
  async raise(): Promise<void> {
    const arrival = await this.#last();
    if (arrival < this.#raised.at(-1)!) throw new Error(`expected an arrival that goes up, found ${arrival}`);
    this.#raised[this.#raised.length - 1] = arrival;
  }

  /** The engine, with mark 1 for the first of them and 0 for none in place of a `since`. */
  marked(): SearchEngine {
    const engine = this.#engine;
    const marked: Partial<SearchEngine> = {
      ask: async (question, signal) => this.#told(await engine.ask(this.#asked(question), signal)),
      askAll: async (questions, options, signal) => {
        const all = await engine.askAll(
          questions.map((question) => this.#asked(question)),
          options,
          signal,
        );
        return {
          ...all,
          answers: all.answers.map((one) => this.#news(one)),
          arrival: this.#mark(all.arrival),
        };
      },
      export: async (request: ExportRequest, signal) => {
        const run = await engine.export(this.#asked(request), signal);
        return {
          head: { ...run.head, arrival: this.#mark(run.head.arrival) },
          blocks: run.blocks,
          fingerprints: () => run.fingerprints(),
          [Symbol.asyncDispose]: () => run[Symbol.asyncDispose](),
        };
      },
    };
    return new Proxy(engine, {
      get(target, name) {
        const own = marked[name as keyof SearchEngine] ?? Reflect.get(target, name, target);
        return typeof own === 'function' ? own.bind(target) : own;
      },
    });
  }

  async #last(): Promise<number> {
    return (await this.#engine.ask({ kind: this.#kind, query: { items: [] } })).arrival;
  }

  #asked<T extends Since>(asked: T): T {
    const { since = 0 } = asked;
    return since === 0 ? asked : { ...asked, since: this.#numbers[since - 1]! };
  }

  #told(answer: Answer): Answer {
    return { ...this.#news(answer), arrival: this.#mark(answer.arrival) };
  }

  /** Seconds are of each engine's own clock; the commits of one batch are one. */
  #news<T extends OneAnswer>(answer: T): T {
    if (answer.news === undefined) return answer;
    const { records, older, hasMore } = answer.news;
    const counts = new Map<number, number>();
    for (const { arrival, count } of older) {
      const mark = this.#mark(arrival);
      counts.set(mark, (counts.get(mark) ?? 0) + count);
    }
    const news = {
      ...{ hasMore, records: records.map((one) => ({ ...one, arrival: this.#mark(one.arrival), time: 0 })) },
      older: [...counts].map(([arrival, count]) => ({ arrival, time: 0, count })),
    };
    return { ...answer, news };
  }

  /** The first mark that it is not behind. */
  #mark(arrival: number): number {
    return this.#raised.filter((number) => number < arrival).length + 1;
  }
}

/** Marks a question now and then. */
function sometimesSince(marks: number, seed: number): Pick<Question, 'since'> {
  return seed % 3 !== 1 || marks === 0 ? {} : { since: 1 + ((seed * 7) % marks) };
}

const FIELDS: readonly BreakdownField[] = [
  ...(['community', 'domain', 'score', 'sentiment', 'weekday_hour', 'copies'] as const),
];

/** A request made of this number, of what the engine knows. */
function breakdownRequest(seed: number, knows: EngineHarness['knows'] = {}): BreakdownRequest {
  const isUnknown = (field: BreakdownField) =>
    (field === 'copies' && knows.copies === false) || (field === 'sentiment' && knows.sentiment === false);
  const fields = FIELDS.filter((field) => !isUnknown(field));
  const field = fields[seed % fields.length]!;
  const other = Math.floor(seed / fields.length);
  const step = TIMELINE_STEPS[1 + (other % (TIMELINE_STEPS.length - 1))]!;
  return {
    ...{ field, size: [1, 2, 5, 100][other % 4]! },
    ...(isName(field) && { skip: other % 3, prefix: 's'.repeat((other >> 3) % 2) }),
    ...(field === 'copies' && { skip: other % 2 }),
    ...(other % 2 === 0 && { distinct: true }),
    ...(other % 3 !== 0 && knows.sentiment !== false && { measure: 'sentiment' }),
    ...(other % 5 !== 0 && field !== 'copies' && { by: step }),
  };
}

/** Every so many queries are exported: the records of many of them are few, and their totals were compared. */
const EVERY = 4;

/** Hides something of the last one in both. */
async function compareExports(both: Both, queries: readonly Asked[], seed: number): Promise<void> {
  for (let i = seed % EVERY; i < queries.length; i += EVERY) {
    await compareExport(both, queries[i]!, seed + i);
  }
  await compareWithheld(both, queries[0]!.kind, seed);
}

/** Whole, or behind the place where a page ended; with and without some passed over, and a limit. */
async function compareExport(both: Both, asked: Asked, seed: number): Promise<void> {
  const order = ORDERS[seed % 3]!;
  const page = { order, limit: [1, 2, 7, 100][seed % 4]!, after: null };
  const first = seed % 2 === 0 ? null : await answerOf(both[1], { ...asked, page });
  if (first !== null && 'limit' in first) return;
  const request = {
    ...asked,
    ...{ order, after: first === null ? null : first.page!.next },
    ...{ skip: [0, 1, 30][seed % 3]!, limit: [null, null, 3, 90][seed % 4]! },
    ...(seed % 5 === 0 && { sample: { size: 1 + (seed % 50), seed: '1' } }),
  };
  const whole = async (one: SearchEngine) => {
    const { head, text, last } = await exported(one, request);
    return { head, text, records: last.records };
  };
  await alike(both, whole, `seed ${seed}: export ${JSON.stringify(request)}`);
}

/** A removal of records of every segment, behind the view of an export. */
async function compareWithheld(both: Both, kind: Kind, seed: number): Promise<void> {
  const order = ORDERS[seed % 3]!;
  const page = { order, limit: 90, after: null };
  const records = (await both[1].ask({ kind, query: { items: [] }, page })).page!.records;
  const ids = records.filter((_, i) => i % 3 === seed % 3).map(({ id }) => id);
  const withheld = async (one: SearchEngine) => {
    await using run = await openExport(one, { kind, order });
    // A larger number than those of the removals before.
    await one.hide(Number.MAX_SAFE_INTEGER, kind, { ids });
    const blocks = await Array.fromAsync(run.blocks);
    assert.equal(blocks.at(-1)?.withheld ?? 0, ids.length);
    return { head: run.head, text: Buffer.concat(blocks.flatMap(({ bytes }) => bytes)).toString() };
  };
  await alike(both, withheld, `seed ${seed}: what is withheld in ${order}`);
}
