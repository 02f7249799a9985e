// The API of comparisons: `/api/v1/compare/posts` and `…/comments`. Contract 24.1.

import { ServiceError } from '../../../errors.ts';
import { KINDS, type Kind } from '../../../model/record.ts';
import { Type } from '../../../operation/json-schema.ts';
import { type Operation, operation } from '../../../operation/operation.ts';
import { choice } from '../../../operation/parameters.ts';
import { readQueries } from '../../../search/asking.ts';
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
import { COMPARED_QUERIES, compareOf, compareTable, pairName, pairsOf } from './compare.ts';

const PAIRS = pairsOf(COMPARED_QUERIES.to);

const words = choice(PAIRS.map(pairName), {
  standard: 'A-B',
  description:
    'Which two are told apart by their words: `A` is the first query, `B` the second, and so on. Empty counts as absent.',
  examples: ['A-B'],
});

const count = Type.Integer({ minimum: 0 });
const part = { count, of, share };

const sentiment = Type.Nullable('object', {
  properties: {
    mean: Type.Nullable('number', { description: 'With 4 decimals; null of none.' }),
    rated: count,
    unrated: count,
  },
  required: ['mean', 'rated', 'unrated'],
  description: 'Of comments alone; null where the search engine cannot tell.',
});

const pair = Type.Array(Type.Integer({ minimum: 0 }), {
  ...{ minItems: 2, maxItems: 2, description: 'Two queries, by their places from 0.' },
});

const two = (items: object, description: string) =>
  Type.Array(Type.Unsafe({ ...items }), { minItems: 2, maxItems: 2, description });

const SCHEMA = Type.Object(
  {
    ...analysisHead('compare'),
    step: Type.String({ description: 'How long the buckets are.' }),
    series: Type.Array(
      Type.Object({
        ...{ query: querySchema, of_query: ofQuery, total_count: totalCount, of, share },
        sentiment: Type.Optional(sentiment),
        buckets: Type.Array(
          Type.Object({ start: Type.Integer({ description: 'Unix time in seconds, UTC.' }), ...part }),
          { description: 'Up, without holes; the same times in every series.' },
        ),
      }),
      { description: 'In the order of the queries.' },
    ),
    overlaps: Type.Array(
      Type.Object({
        pair,
        both: Type.Integer({ minimum: 0, description: 'How many records match both.' }),
        shares: two(
          { type: ['number', 'null'], minimum: 0 },
          'Shares of the matches of each query; null if it has none.',
        ),
      }),
      { description: 'Of every two queries.' },
    ),
    communities: Type.Array(
      Type.Object({
        name: Type.String(),
        cells: Type.Array(Type.Object(part), {
          description: 'A cell a query: its matches there, of all of its matches.',
        }),
      }),
      { description: 'Of each query the ten with the most matches.' },
    ),
    words: Type.Nullable('object', {
      properties: {
        pair,
        sampled: two(count, 'Records of each that were read.'),
        lists: two(
          { type: 'array', items: wordRow },
          'Words that the first uses more, z down; words that the second uses more, z up. `count` is of the first.',
        ),
      },
      required: ['pair', 'sampled', 'lists'],
      description:
        'What tells the two apart, from a sample of each; null where the search engine cannot tell.',
    }),
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
    async run({ engine, config: { queryTimeoutMs } }, { query: texts, words: named }, { signal }) {
      const queries = readQueries(texts);
      const told = PAIRS.find((one) => pairName(one) === named)!;
      if (told[1] >= queries.length)
        throw new ServiceError(
          'bad_value',
          `parameter \`words\`: expected two of the queries, found \`${named}\``,
        );
      return await compareOf({ engine, queryTimeoutMs }, { kind, queries, words: told }, signal);
    },
    table: compareTable,
  });
}

export const operations: readonly Operation[] = KINDS.map(compareOfKind);
