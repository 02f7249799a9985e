// Analyses by an engine against the same by the reference engine, which looks at every record: random requests over a
// random corpus. Each kind of analysis has its generator of requests here; look-up-requests.ts has the others.

import assert from 'node:assert/strict';
import fc from 'fast-check';
import { NORMALISES } from '../src/analysis/asking.ts';
import { BROKEN_DOWN_BY, breakdownOf, ROW_STEPS } from '../src/analysis/breakdown.ts';
import { drawSample, SAMPLE_GROUPS } from '../src/analysis/sample.ts';
import { ASKED_STEPS, countsOf, MEASURES, timelineOf } from '../src/analysis/timeline.ts';
import { wordsOf } from '../src/analysis/words.ts';
import { ServiceError } from '../src/errors.ts';
import type { SearchEngine } from '../src/model/engine.ts';
import { KINDS, type Kind } from '../src/model/record.ts';
import { printQuery } from '../src/search/language/print-query.ts';
import {
  type AnalysisRequest,
  fill,
  type Generators,
  givenRecords,
  LOOK_UPS,
  liveRecords,
  removeMore,
  searchBy,
} from './analysis-requests.ts';
import { queryVocabulary } from './engine-agreement.ts';
import type { EngineHarness } from './engine-harness.ts';
import { queryArbitrary } from './generators/queries.ts';
import { type Below, pick, randomBelow } from './generators/real-queries.ts';
import { temporaryFolder } from './helpers.ts';
import { openReferenceEngine } from './reference/reference-engine.ts';

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
        n: 1 + below(30),
        seed: String(below(9)),
      },
      ...{ per: pick(below, [null, ...SAMPLE_GROUPS]), fields: pick(below, [null, 'id,created']) },
    };
    return {
      wish,
      ask: async (context) => (await drawSample(context, searchBy(context), wish)).answer,
    };
  },
  words({ kind, below, query }) {
    const against = below(2) === 0 ? null : query();
    const sizes = { sample: 1 + below(60), size: 1 + below(20) };
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
      ...{ by: pick(below, ROW_STEPS), size: pick(below, [1, 2, 5, 100, 10_000]) },
      ...{ after: pick(below, [null, null, '1', '3']), normalise: pick(below, NORMALISES) },
    };
    return {
      wish,
      ask: async (context) => (await breakdownOf(context, wish)).answer,
      check: (answer) => {
        const { total_count, rest, rows } = answer as Awaited<ReturnType<typeof breakdownOf>>['answer'];
        const sum = rows.reduce((counted, { count }) => counted + count, 0);
        if (rest !== null) assert.equal(sum + rest, total_count, 'the rows and the rest add up to the total');
        for (const { count, of = count, by } of rows) {
          assert.ok(count <= of, 'a count is a part of what it is of');
          if (by !== undefined)
            assert.equal(
              by.reduce((counted, cell) => counted + cell.count, 0),
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
    const answer = await request.ask({ engine, queryTimeoutMs: Infinity });
    request.check?.(answer);
    return { answer };
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return { refused: error.code, message: error.message, position: error.position };
  }
}
