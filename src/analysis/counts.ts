// How many records match each of several queries, and what share of others that is.

import type { IndexFingerprint } from '../model/hash.ts';
import { KIND_NAMES, type KindName } from '../model/record.ts';
import type { Dropped } from '../search/language/dropped.ts';
import {
  type AnalysisContext,
  type AskedQueries,
  askEach,
  droppedOf,
  type Normalise,
  readAsked,
  scopeOf,
  shareOf,
} from './asking.ts';

/** Queries of one request. */
export const MAX_COUNTED = 50;

export interface CountsRequest extends AskedQueries {
  readonly normalise: Normalise;
}

export interface CountsAnswer {
  readonly type: 'counts';
  readonly kind: KindName;
  /** In canonical form; null where there are several. */
  readonly query: string | null;
  readonly index: IndexFingerprint;
  /** In canonical form; absent where none was given. */
  readonly under?: string;
  /** In the order of the queries. */
  readonly counts: readonly QueryCount[];
}

export interface QueryCount {
  readonly query: string;
  /** What the share is of, in canonical form; absent with `normalise=none`, as `of` and `share` are. */
  readonly of_query?: string;
  readonly total_count: number;
  readonly of?: number;
  /** null where `of` is 0. */
  readonly share?: number | null;
}

/** Throws a ServiceError where a query cannot be understood or answered. */
export async function countsOf(
  context: AnalysisContext,
  request: CountsRequest,
  signal?: AbortSignal,
): Promise<{
  readonly answer: CountsAnswer;
  readonly dropped: readonly Dropped[];
  readonly arrival: number;
}> {
  const read = readAsked(request);
  const scopes = new Map(read.queries.map((query) => [query, scopeOf(query.query, request.normalise)]));
  const { answers, index, arrival } = await askEach(
    context,
    read,
    (query) => {
      const scope = scopes.get(query)!;
      return scope === null ? {} : { of: scope.query };
    },
    signal,
  );
  const counts = read.queries.map((query, i): QueryCount => {
    const { total, ofTotal: of = 0 } = answers[i]!;
    const scope = scopes.get(query)!;
    if (scope === null) return { query: query.echo, total_count: total };
    return {
      ...{ query: query.echo, of_query: scope.echo, total_count: total },
      ...{ of, share: shareOf(total, of) },
    };
  });
  return {
    answer: {
      ...{
        type: 'counts',
        kind: KIND_NAMES[read.kind],
        query: counts.length === 1 ? counts[0]!.query : null,
        index,
      },
      ...(read.under === null ? {} : { under: read.under.echo }),
      counts,
    },
    dropped: droppedOf(read),
    arrival,
  };
}
