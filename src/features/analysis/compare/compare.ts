// Compares two to four queries of one kind on one index snapshot: totals with shares, timelines, pairwise overlaps,
// communities, mean sentiment, and the distinctive words of one pair. Contract 24.1.

import { parameterFault, ServiceError } from '../../../errors.ts';
import { type Compared, DEFAULT_SEED } from '../../../model/analyses.ts';
import { RATING_UNIT } from '../../../model/copies.ts';
import type { OneAnswer, OneOfMany } from '../../../model/engine.ts';
import { KIND_NAMES, KINDS, type Kind } from '../../../model/record.ts';
import { type Operation, operation } from '../../../operation/operation.ts';
import { choice, Type } from '../../../operation/parameters.ts';
import {
  type AnalysisContext,
  type AnalysisQuery,
  askTogether,
  type Cell,
  type CsvTable,
  droppedOf,
  meanOf,
  type ReadQueries,
  readQueries,
  scopeOf,
  shareOf,
} from '../../../search/asking.ts';
import {
  analysisHead,
  of,
  ofQuery,
  querySchema,
  severalQueries,
  share,
  totalCount,
  wordRow,
} from '../shared.ts';
import { countedWords, isAskedFor, LEAST_USES, type WordRow } from '../words.ts';

/** Number of queries in a comparison, and their names in order. */
export const COMPARED_QUERIES = { from: 2, to: 4 } as const;
export const LETTERS = ['A', 'B', 'C', 'D'] as const;

export const COMPARED_COMMUNITIES = 10;

/** Records sampled for each of the two queries, and words in each list. */
export const COMPARED_SAMPLE = 500;
export const COMPARED_WORDS = 15;

export type Pair = readonly [first: number, second: number];

export type Part = ReturnType<typeof partOf>;

/** Arrays are indexed by query. */
export type CompareAnswer = Awaited<ReturnType<typeof compareOf>>['answer'];

export type ComparedQuery = ReturnType<typeof comparedQuery>;

export type Overlap = ReturnType<typeof overlapsOf>[number];

/** Throws a ServiceError if a query cannot be answered. */
export async function compareOf(
  context: AnalysisContext,
  { kind, queries, words: pair }: Pick<ReadQueries, 'kind' | 'queries'> & { readonly words: Pair },
  signal?: AbortSignal,
) {
  const read: ReadQueries = { kind, queries, under: null, underText: '' };
  const { answers, index } = await askAll(context, read, pair, signal);
  const counted = answers.slice(0, queries.length);
  const compared = counted[0]!.compared!;
  const totals = counted.map(({ total }) => total);
  const found = answers[queries.length];
  const answer = {
    ...{ type: 'compare', kind: KIND_NAMES[kind], query: null, index, step: counted[0]!.timeline!.step },
    series: queries.map((query, i) => comparedQuery(kind, query, counted[i]!, compared.ratings?.[i])),
    overlaps: overlapsOf(compared.both),
    communities: compared.communities.map(({ name, counts }) => ({
      ...{ name, cells: counts.map((count, i) => partOf(count, totals[i]!)) },
    })),
    words: found === undefined ? null : await wordsOf(pair, found, queries),
  };
  return { answer, dropped: droppedOf(read) };
}

/** The last answer has the words of the pair; it is missing if the engine does not support words. */
async function askAll(context: AnalysisContext, read: ReadQueries, pair: Pair, signal?: AbortSignal) {
  const [first, second] = pair;
  const { kind, queries } = read;
  const [, ...others] = queries.map(({ query }) => query);
  const questions = queries.map(
    ({ query }, i): OneOfMany => ({
      ...{ kind, query, of: scopeOf(query, 'scope')!.query, timeline: { keepsBounds: true } },
      ...(i === 0 && { compared: { with: others, communities: COMPARED_COMMUNITIES } }),
    }),
  );
  const words: OneOfMany = {
    ...{ kind, query: queries[first]!.query, of: queries[second]!.query },
    words: { size: COMPARED_SAMPLE, seed: DEFAULT_SEED, least: LEAST_USES },
  };
  try {
    return await askTogether(context, read, [...questions, words], signal);
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== 'not_on_this_engine') throw error;
    return await askTogether(context, read, questions, signal);
  }
}

function comparedQuery(
  kind: Kind,
  { query, echo }: AnalysisQuery,
  { total, ofTotal = 0, timeline }: OneAnswer,
  ratings: NonNullable<Compared['ratings']>[number] | undefined,
) {
  return {
    ...{ query: echo, of_query: scopeOf(query, 'scope')!.echo, total_count: total },
    ...{ of: ofTotal, share: shareOf(total, ofTotal) },
    ...(kind === 'comment' && {
      sentiment:
        ratings === undefined
          ? null
          : {
              mean: meanOf(ratings.sum, ratings.rated, RATING_UNIT),
              ...{ rated: ratings.rated, unrated: total - ratings.rated },
            },
    }),
    buckets: timeline!.buckets.map(({ start, count, of = 0 }) => ({ start, ...partOf(count, of) })),
  };
}

/** `share`: with 6 decimals; null if `of` is 0. */
function partOf(count: number, of: number) {
  return { count, of, share: shareOf(count, of) };
}

function overlapsOf(both: Compared['both']) {
  return pairsOf(both.length).map(([first, second]) => {
    const count = both[first]![second]!;
    const shares = [shareOf(count, both[first]![first]!), shareOf(count, both[second]![second]!)] as const;
    return { pair: [first, second] as const, both: count, shares };
  });
}

/** All pairs of query numbers: 0 and 1, 0 and 2 … */
export function pairsOf(queries: number): Pair[] {
  const numbers = Array.from({ length: queries }, (_, number) => number);
  return numbers.flatMap((first) => numbers.slice(first + 1).map((second): Pair => [first, second]));
}

export function pairName([one, other]: Pair): string {
  return `${LETTERS[one]}-${LETTERS[other]}`;
}

async function wordsOf(pair: Pair, { words }: OneAnswer, queries: readonly AnalysisQuery[]) {
  const own = pair.map((number) => isAskedFor(queries[number]!.query));
  const isOwn = (word: string) => own.some((isOf) => isOf(word));
  const { sample, ofSample, rows, rowsAgainst } = await countedWords(words!, COMPARED_WORDS, isOwn);
  return { pair, sampled: [sample.records, ofSample.records] as const, lists: [rows, rowsAgainst] as const };
}

const COLUMNS = [
  ...(['part', 'query', 'other', 'name', 'start', 'count', 'of', 'share'] as const),
  ...(['mean_sentiment', 'rated', 'unrated', 'z'] as const),
] as const;

type Row = Partial<Record<(typeof COLUMNS)[number], Cell>>;

/**
 * Parts: `total` (the name is the query), `timeline`, `overlap` and `community` (shares are of the matches of `query`),
 * `word` (words that `query` uses more than `other`; share: the rate). Queries are A to D.
 */
export function compareTable({ series, overlaps, communities, words: told }: CompareAnswer): CsvTable {
  const rows: Row[] = [
    ...series.map(({ query, sentiment, total_count: count, of, share }, i) => ({
      ...{ part: 'total', query: LETTERS[i]!, name: query, count, of, share },
      ...(sentiment && {
        ...{ mean_sentiment: sentiment.mean, rated: sentiment.rated, unrated: sentiment.unrated },
      }),
    })),
    ...series.flatMap(({ buckets }, i) =>
      buckets.map((bucket) => ({ part: 'timeline', query: LETTERS[i]!, ...bucket })),
    ),
    ...overlaps.flatMap(({ pair, both, shares }) =>
      pair.map((one, side) => ({
        ...{ part: 'overlap', query: LETTERS[one]!, other: LETTERS[pair[1 - side]!]!, count: both },
        ...{ of: series[one]!.total_count, share: shares[side]! },
      })),
    ),
    ...communities.flatMap(({ name, cells }) =>
      cells.map((cell, i) => ({ part: 'community', query: LETTERS[i]!, name, ...cell })),
    ),
    ...(told?.pair ?? []).flatMap((one, side) =>
      told!.lists[side]!.map((word) => ({
        ...{ part: 'word', query: LETTERS[one]!, other: LETTERS[told!.pair[1 - side]!]!, name: word.word },
        ...wordNumbers(word, side),
      })),
    ),
  ];
  return { columns: COLUMNS, rows: rows.map((row) => COLUMNS.map((column) => row[column] ?? null)) };
}

/** Figures of the query that uses the word more; z is positive. */
function wordNumbers({ z, count, rate, count_against, rate_against }: WordRow, side: number): Row {
  return side === 0 ? { count, share: rate, z } : { count: count_against, share: rate_against, z: -z };
}

const PAIRS = pairsOf(COMPARED_QUERIES.to);

const words = choice(PAIRS.map(pairName), {
  standard: 'A-B',
  description:
    'Which two are told apart by their words: `A` is the first query, `B` the second, and so on. Empty counts as absent.',
  examples: ['A-B'],
});

const count = Type.Count();
const part = { count, of, share };

const sentiment = Type.Nullable(
  Type.Object(
    {
      mean: Type.Nullable(Type.Number('With 4 decimals; null of none.')),
      rated: count,
      unrated: count,
    },
    'Of comments alone; null where the search engine cannot tell.',
  ),
);

const pair = Type.Array(Type.Count(), {
  ...{ minItems: 2, maxItems: 2, description: 'Two queries, by their places from 0.' },
});

const two = (items: object, description: string) =>
  Type.Array(Type.Unsafe({ ...items }), { minItems: 2, maxItems: 2, description });

const SCHEMA = Type.Object(
  {
    ...analysisHead('compare'),
    step: Type.String('How long the buckets are.'),
    series: Type.Array(
      Type.Object({
        ...{ query: querySchema, of_query: ofQuery, total_count: totalCount, of, share },
        sentiment: Type.Optional(sentiment),
        buckets: Type.Array(
          Type.Object({ start: Type.Integer('Unix time in seconds, UTC.'), ...part }),
          'Up, without holes; the same times in every series.',
        ),
      }),
      'In the order of the queries.',
    ),
    overlaps: Type.Array(
      Type.Object({
        pair,
        both: Type.Count('How many records match both.'),
        shares: two(
          { type: ['number', 'null'], minimum: 0 },
          'Shares of the matches of each query; null if it has none.',
        ),
      }),
      'Of every two queries.',
    ),
    communities: Type.Array(
      Type.Object({
        name: Type.String(),
        cells: Type.Array(Type.Object(part), 'A cell a query: its matches there, of all of its matches.'),
      }),
      'Of each query the ten with the most matches.',
    ),
    words: Type.Nullable(
      Type.Object(
        {
          pair,
          sampled: two(count, 'Records of each that were read.'),
          lists: two(
            { type: 'array', items: wordRow },
            'Words that the first uses more, z down; words that the second uses more, z up. `count` is of the first.',
          ),
        },
        'What tells the two apart, from a sample of each; null where the search engine cannot tell.',
      ),
    ),
  },
  { $id: 'Compare' },
);

function compareOfKind(kind: Kind): Operation {
  return operation({
    ...{ name: 'compare', kind, tag: 'analysis', isTool: true },
    summary: 'Comparison of searches of {kind}s',
    description:
      'Compares two to four queries in one view: how many {kind}s each finds, when and where, and how many each ' +
      'pair shares. It also gives the words that tell two of them apart.',
    // Two communities of the sample data whose words differ.
    parameters: { query: severalQueries(COMPARED_QUERIES, ['/r/solarpower', '/r/homelab']), words },
    schema: SCHEMA,
    isForVisitors: () => true,
    answerWords: 'The comparison, or a table of it: a row a number.',
    async run(archive, { query: texts, words: named }, { signal }) {
      const queries = readQueries(texts);
      const told = PAIRS.find((one) => pairName(one) === named)!;
      if (told[1] >= queries.length)
        throw parameterFault('bad_value', 'words', 'two of the queries', `\`${named}\``);
      return await compareOf(archive, { kind, queries, words: told }, signal);
    },
    table: compareTable,
  });
}

export const operations: readonly Operation[] = KINDS.map(compareOfKind);
