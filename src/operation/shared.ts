// Parameters that several operations have. Contract 4.1, 4.2 and 4.3.

import { parameterFault, ServiceError } from '../errors.ts';
import { DEFAULT_SEED, isSeed, MAX_SEED } from '../model/analyses.ts';
import { ORDERS, type Order } from '../model/pages.ts';
import type { Kind } from '../model/record.ts';
import { MAX_SINCE } from '../search/asking.ts';
import { FIELD_NAMES } from '../search/presenter.ts';
import { quoted } from '../text/quoted.ts';
import { choice, optionalText, type Parameter, type Schema, Type, wholeNumber } from './parameters.ts';

export const query: Parameter<string> = {
  read(given) {
    if (given !== null) return given;
    throw new ServiceError(
      'missing_query',
      'parameter `query`: expected a query (empty for every record), found none',
    );
  },
  schema: Type.String({
    maxLength: 4096,
    description: [
      'What to search for, in the query language: words, "phrases", prefi*, a|b, -not, /r/community,',
      'site:domain, score:n, before:YYYY-MM-DD, after:YYYY-MM-DDTHH:MM, post:ID, id:ID, separated by spaces or',
      'commas. At most 2,048 characters (4,096 in canonical form). If empty, every record.',
    ].join(' '),
    examples: ['cats,/r/aww,-dogs', 'before:2021-01-02', 'score:100,site:youtube.com'],
  }),
  documented: { values: 'the query; if empty, every record', default: 'required' },
};

/** As given; null: absent or empty. search/asking.ts reads it, since its form depends on the order. */
export function cursor(
  description: string,
  example: number,
  documented: Parameter<string | null>['documented'],
): Parameter<string | null> {
  return optionalText(
    Type.Unsafe({
      type: ['integer', 'string'],
      minimum: 0,
      maximum: Number.MAX_SAFE_INTEGER,
      pattern: '^(\\d{1,16}|\\[\\[\\d{1,16}\\]\\])?$',
      description,
      examples: [example],
    }),
    documented,
  );
}

export const orderBy: Parameter<Order> = choice(ORDERS, {
  standard: 'newest',
  description: 'The order of the records. Empty counts as absent.',
  examples: ['newest', 'oldest'],
});

const SCHEMA_NAMES = { post: 'Post', comment: 'Comment' } as const satisfies Record<Kind, string>;

/** The schema of records with the fields that `fieldsOf` chooses. */
export function chosenRecords(kind: Kind, description: string): Schema {
  const name = SCHEMA_NAMES[kind];
  return Type.Array(Type.Union([Type.Ref(`${name}#`), Type.Ref(`${name}Fields#`)]), description);
}

/** As given; null: absent or empty. search/presenter.ts reads it, by the kind. */
export function fieldsOf(kind: Kind): Parameter<string | null> {
  const names = FIELD_NAMES[kind];
  const name = `(${names.join('|')})`;
  return optionalText(
    Type.String({
      pattern: `^(${name}(,${name})*)?$`,
      description: [
        `Fields of a record, separated by commas: records have these fields, in this order. Of ${kind}s:`,
        `${names.map((known) => `\`${known}\``).join(', ')}. If empty or absent, those of the schema`,
        `\`${SCHEMA_NAMES[kind]}\`.`,
      ].join(' '),
      examples: ['id,created,score'],
    }),
    {
      values: '[fields of a record](#choosing-fields), separated by commas',
      default: 'those shown below',
    },
  );
}

/** As given; null: absent or empty. search/asking.ts reads it. */
export const under = optionalText(
  Type.String({
    maxLength: 4096,
    description: [
      'Only comments of posts that match this query; at most 100,000 posts. In the query language, with the limits',
      'of `query`; a `before:` needs an `after:` beside it. If empty or absent, comments of all posts.',
    ].join(' '),
    examples: ['cats,/r/aww,score:100'],
  }),
  {
    values: '[a query for posts](#comments-of-certain-posts); on comments only',
    default: 'comments of all posts',
  },
);

export function underOf(kind: Kind): { readonly under?: typeof under } {
  return kind === 'comment' ? { under } : {};
}

export const since: Parameter<number> = {
  ...wholeNumber({
    ...{ from: 0, to: MAX_SINCE, standard: 0, unit: 'arrivals' },
    description: [
      'Only records that came in after this arrival: the number in the header `Colloquy-Arrival` of an earlier',
      'answer (of its first page, if it has several). 0: every record.',
    ].join(' '),
    examples: [1204],
  }),
  documented: {
    values: '[`Colloquy-Arrival`](#what-is-new) of an earlier answer',
    default: '`0`: every record',
  },
};

export const analysisQuery: Parameter<string> = {
  ...query,
  schema: Type.String({
    maxLength: 4096,
    description:
      'Which records, in the query language and with the limits of a search; a `before:` needs an `after:` beside it. ' +
      'If empty, every record.',
    examples: ['cats,/r/aww,-dogs', 'score:100,after:2021-01-01,before:2022-01-01'],
  }),
};

export const seed: Parameter<string> = {
  read(given, name) {
    if (!given) return DEFAULT_SEED;
    if (isSeed(given)) return given;
    throw parameterFault('bad_value', name, `at most ${MAX_SEED} characters`, quoted(given));
  },
  schema: Type.Optional(
    Type.String({
      maxLength: MAX_SEED,
      default: DEFAULT_SEED,
      description:
        'Any text: each seed draws another sample, and the same seed draws the same one of the same records, on ' +
        'every machine. Empty counts as absent.',
      examples: ['pilot study'],
    }),
  ),
  documented: { values: `any text of at most ${MAX_SEED} characters`, default: `\`${DEFAULT_SEED}\`` },
};
