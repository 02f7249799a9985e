// The state of a comparison, read from its URL and written to it.

import { ServiceError } from '../../../errors.ts';
import {
  COMPARE_PAGE,
  pageAddress,
  readFirst,
  readKind,
  readPairs,
  TIMELINE_BARS,
  type TimelineBars,
  tableAddress,
} from '../../../http/addresses.ts';
import type { Kind } from '../../../model/record.ts';
import { readChoice } from '../../../operation/parameters.ts';
import { COMPARED_QUERIES, type Pair, pairName, pairsOf } from './compare.ts';

export interface CompareState {
  readonly kind: Kind;
  /** As written; none is empty; at most COMPARED_QUERIES.to. */
  readonly queries: readonly string[];
  /** Appended to every query; may be empty. */
  readonly all: string;
  readonly hasMore: boolean;
  readonly timeline: TimelineBars;
  readonly words: Pair;
}

const FIRST_PAIR: Pair = [0, 1];

/** Throws `bad_encoding`, `malformed_request`, `too_many_queries`. */
export function readCompareState(address: string): CompareState {
  const given = readFirst(address);
  const queries = readPairs(address).flatMap(({ name, value }) =>
    name === 'query' && value.trim() !== '' ? value.trim() : [],
  );
  const most = COMPARED_QUERIES.to;
  if (queries.length > most) {
    const message = `parameter \`query\`: expected at most ${most} queries, found ${queries.length}`;
    throw new ServiceError('too_many_queries', message);
  }
  const pairs = pairsOf(Math.max(queries.length, COMPARED_QUERIES.from));
  const words = given.get('words') || pairName(FIRST_PAIR);
  const name = readChoice('words', words, pairs.map(pairName), 'malformed_request');
  return {
    kind: readKind(given.get('kind') ?? ''),
    queries,
    all: (given.get('all') ?? '').trim(),
    hasMore: given.has('add'),
    timeline: readChoice('timeline', given.get('timeline') || 'share', TIMELINE_BARS, 'malformed_request'),
    words: pairs.find((pair) => pairName(pair) === name)!,
  };
}

export function compareAddress(state: Partial<CompareState>): string {
  const { kind, queries, all = '', timeline = 'share', words = FIRST_PAIR } = state;
  return pageAddress(COMPARE_PAGE, [
    ['kind', kind === 'comment' ? 'comments' : null],
    ...(queries ?? []).map((query) => ['query', query] as const),
    ['all', all === '' ? null : all],
    ['timeline', timeline === 'share' ? null : timeline],
    ['words', pairName(words) === pairName(FIRST_PAIR) ? null : pairName(words)],
  ]);
}

/** The queries with `all` appended. */
export function askedQueries({ queries, all }: Pick<CompareState, 'queries' | 'all'>): readonly string[] {
  return all === '' ? queries : queries.map((query) => `${query} ${all}`);
}

/** The URL of the whole page as CSV. */
export function fileAddress(state: CompareState): string {
  const { kind, words } = state;
  return tableAddress('compare', kind, [
    ...askedQueries(state).map((query) => ['query', query] as const),
    ['words', pairName(words)],
  ]);
}
