// What several analyses share: how they ask, parameters, and response fields. Contract 4.2 and 5.12.

import { parameterFault } from '../../errors.ts';
import { IndexSchema } from '../../http/operations/schemas.ts';
import type { OneOfMany } from '../../model/engine.ts';
import { KIND_NAMES } from '../../model/record.ts';
import { choice, type Parameter, type Properties, Type } from '../../operation/parameters.ts';
import { analysisQuery } from '../../operation/shared.ts';
import {
  type AnalysisContext,
  type AnalysisQuery,
  type AskedQueries,
  askTogether,
  droppedOf,
  NORMALISES,
  type Normalise,
  type ReadQueries,
  readAsked,
  scopeOf,
  sinceOf,
} from '../../search/asking.ts';

type Wanted = Omit<OneOfMany, 'kind' | 'query' | 'under' | 'since'>;

/** Asks `wanted` of each query; `head`: first fields of the answer. Throws a ServiceError if the engine refuses one. */
export async function askHeaded(
  context: AnalysisContext,
  read: ReadQueries,
  wanted: (query: AnalysisQuery) => Wanted,
  signal?: AbortSignal,
) {
  const { kind, queries, under } = read;
  const questions = queries.map((query) => ({
    ...{ kind, query: query.query, ...(under && { under: under.query }) },
    ...{ ...sinceOf(read), ...wanted(query) },
  }));
  const { answers, index, arrival } = await askTogether(context, read, questions, signal);
  const head = {
    ...{ kind: KIND_NAMES[kind], query: queries.length === 1 ? queries[0]!.echo : null, index },
    ...(under && { under: under.echo }),
  };
  return { answers, head, dropped: droppedOf(read), arrival };
}

/** The same with the scope of each query, if shares are wanted. `named`: the first fields of what is told of it. */
export async function askScoped(
  context: AnalysisContext,
  wish: AskedQueries & { readonly normalise: Normalise },
  wanted: Wanted,
  signal?: AbortSignal,
) {
  const read = readAsked(wish);
  const scopes = new Map(read.queries.map((query) => [query, scopeOf(query.query, wish.normalise)]));
  const question = (query: AnalysisQuery) => {
    const scope = scopes.get(query)!;
    return { ...wanted, ...(scope && { of: scope.query }) };
  };
  const { answers, ...rest } = await askHeaded(context, read, question, signal);
  const asked = [...scopes].map(([{ echo }, scope], i) => ({
    ...{ scope, answer: answers[i]! },
    named: { query: echo, ...(scope && { of_query: scope.echo }) },
  }));
  return { asked, ...rest };
}

/** A parameter that is repeated, `from` to `to` times. `example`: its values. */
export function severalQueries(
  { from, to: most }: { readonly from: number; readonly to: number },
  example: readonly string[] = ['cats,/r/aww', 'dogs,/r/aww'],
): Parameter<readonly string[]> {
  const readAll = (given: readonly string[], name: string) => {
    const isFew = given.length < from;
    if (!isFew && given.length <= most) return given;
    const expected = from === 1 ? `at most ${most}` : `${from} to ${most}`;
    const code = isFew ? 'missing_query' : 'too_many_queries';
    throw parameterFault(code, name, `${expected} queries`, `${given.length}`);
  };
  return {
    read: (given, name) => readAll([analysisQuery.read(given, name)], name),
    readAll,
    schema: Type.Array(analysisQuery.schema, {
      minItems: from,
      maxItems: most,
      description: `${from === 1 ? `A query, or up to ${most}: the parameter is then` : `${from} to ${most} queries: the parameter is`} given several times.`,
      examples: [example],
    }),
    documented: {
      values: `a query, without an implied window; ${from === 1 ? 'up' : from} to ${most} times`,
      default: 'required',
    },
  };
}

export const normalise: Parameter<Normalise> = choice(NORMALISES, {
  standard: 'scope',
  description: [
    'What shares are of. `scope`: the same query without its words, phrases, prefixes and any-ofs, included or excluded;',
    '`all`: only its dates; `none`: there are no shares. Empty counts as absent.',
  ].join(' '),
  examples: ['all'],
});

export function analysisHead(type: string): Properties {
  return {
    type: Type.Literal(type),
    kind: Type.String('`posts` or `comments`.'),
    query: Type.Nullable(
      Type.String('The query as understood, in canonical form; null where there are several.'),
    ),
    index: IndexSchema,
    under: Type.Optional(
      Type.String('The query for posts as understood, in canonical form; only if `under` was given.'),
    ),
  };
}

export const totalCount = Type.Count('Number of all matching records.');
export const querySchema = Type.String('As understood, in canonical form.');
export const ofQuery = Type.Optional(Type.String('What the shares are of; absent with `normalise=none`.'));
export const of = Type.Optional(Type.Count('Number of records that match `of_query`; absent without it.'));
export const share = Type.Optional(
  Type.Nullable(
    Type.Number({ minimum: 0, description: 'Count ÷ `of`, with 6 decimals; null where `of` is 0.' }),
  ),
);

const rate = (description: string) => Type.Nullable(Type.Number({ minimum: 0, description }));

/** A word that one of two queries uses more than the other. */
export const wordRow = Type.Object({
  word: Type.String('As a search finds it: in lower case, folded.'),
  z: Type.Number('Log-odds with an informative Dirichlet prior, as a z-score.'),
  count: Type.Count('Records of the sample of `query` that have it.'),
  rate: rate('`count` ÷ `tokens` of that sample.'),
  count_against: Type.Count('Records of the other sample that have it.'),
  rate_against: rate('`count_against` ÷ `tokens` of the other sample.'),
});
