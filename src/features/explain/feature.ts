// What a query means and does, as it is asked for: `/api/v1/explain/posts` and `…/comments`, `colloquy explain`.
// Contract 10.5.

import type { Feature } from '../../cli/feature.ts';
import { table } from '../../cli/listing.ts';
import { KINDS, type Kind } from '../../model/record.ts';
import { Type } from '../../operation/json-schema.ts';
import { type Operation, operation } from '../../operation/operation.ts';
import type { Parameter } from '../../operation/parameters.ts';
import { analysisHead, query, totalCount } from '../../operation/shared.ts';
import { type Explanation, explain, explainTable } from './explain.ts';

const explained: Parameter<string> = {
  ...query,
  schema: Type.String({
    maxLength: 4096,
    description:
      'The query to explain, in the query language and with the limits of a search. Nothing is added to it: a ' +
      '`before:` needs no `after:` beside it. If empty, there are no items.',
    examples: ['cats,/r/aww,-dogs', 'before:2021-01-02'],
  }),
  documented: { values: 'the query; a `before:` needs no `after:` beside it', default: 'required' },
};

const item = Type.String({ description: 'In canonical form; several for `/r/a+b`.' });
const means = Type.String({
  description: 'In words: the end of a sentence that begins with `a record that`.',
});
const soFar = (description: string) => Type.Integer({ minimum: 0, description });

const SCHEMA = Type.Object(
  {
    ...analysisHead('explain'),
    total_count: totalCount,
    rows: Type.Array(
      Type.Object({
        item,
        offset: Type.Integer({ minimum: 0, description: 'Where it was written, in UTF-16 units.' }),
        length: Type.Integer({ minimum: 1, description: 'Of what was written, its `-` included.' }),
        means,
        alone: Type.Integer({ minimum: 0, description: 'Number of records that it finds by itself.' }),
        without: Type.Integer({
          minimum: 0,
          description: 'Number of records that the query finds without it.',
        }),
        so_far: soFar('Number of records that the query finds up to it, and with it.'),
      }),
      { description: 'In the order written; without what is not searched for.' },
    ),
    implied: Type.Optional(
      Type.Object(
        { item, means, so_far: soFar('Number of records that a search with this query finds.') },
        { description: 'What a search would add to the query; absent where it adds nothing.' },
      ),
    ),
  },
  { $id: 'Explanation' },
);

function explainOf(kind: Kind): Operation {
  return operation({
    ...{ name: 'explain', kind, tag: 'analysis', isTool: true },
    summary: 'What a query for {kind}s means',
    description:
      'For each item of the query: what it means, how many records it finds alone, how many the query finds ' +
      'without it, and how many up to it. Nothing is added to the query.',
    parameters: { query: explained },
    schema: SCHEMA,
    answerWords: 'The items of the query, in the order written, or a table of them.',
    run: ({ engine, config }, { query: text }, { signal }) =>
      explain({ engine, queryTimeoutMs: config.queryTimeoutMs }, { kind, query: text }, config, signal),
    table: explainTable,
    command: {
      examples: [
        'explain comments "the inverter" /r/solarpower score:5',
        'explain posts --format csv -- -cat site:example.org',
      ],
      print: asText,
    },
  });
}

export const operations: readonly Operation[] = KINDS.map(explainOf);

const HEADINGS = ['ITEM', 'ALONE', 'WITHOUT', 'SO FAR', 'FINDS A RECORD THAT'];

function asText({ kind, query: echo, total_count: total, rows, implied }: Explanation): string {
  const number = (count: number) => count.toLocaleString('en');
  const matches = total === 1 ? `${kind.slice(0, -1)} matches` : `${kind} match`;
  const cells = rows.map(({ item: written, alone, without, so_far, means: words }) => [
    ...[written, number(alone), number(without), number(so_far), words],
  ]);
  const added =
    implied === undefined
      ? ''
      : `A search adds ${implied.item}, because \`before:\` on its own searches one day only: ${number(implied.so_far)} ${kind}\n`;
  const head = `${number(total)} ${matches} ${echo || '(everything)'}\n`;
  return `${head}${added}${rows.length === 0 ? '' : `\n${table(HEADINGS, cells)}`}`;
}

export const feature: Feature = {
  name: 'explain',
  operations: async () => operations,
};
