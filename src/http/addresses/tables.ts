// The addresses of what a search comes to, as a state that is written and read: comparisons, timelines, pictures
// and breakdowns.

import { COMPARED_QUERIES, LETTERS, type Pair, pairsOf } from '../../analysis/compare.ts';
import { PICTURES, type Picture } from '../../analysis/pictures.ts';
import { ServiceError } from '../../errors.ts';
import type { NameField } from '../../model/engine.ts';
import type { Kind } from '../../model/record.ts';
import { readChoice } from '../../operation/parameters.ts';
import { readBars, readQueryAndKind, type SearchState, TIMELINE_BARS, type TimelineBars } from './search.ts';
import { pageAddress, readFirst, readKind, readPairs } from './written.ts';

/** Queries beside each other, as a page and as one table of CSV. */
export const COMPARE_PAGE = '/compare';
export const COMPARE_FILE = '/compare.csv';

export interface CompareState {
  readonly kind: Kind;
  /** As written, none of them empty: at most COMPARED_QUERIES.to. */
  readonly queries: readonly string[];
  /** What the lines of the timeline show. */
  readonly timeline: TimelineBars;
  /** Which two are told apart by their words. */
  readonly words: Pair;
}

const FIRST_PAIR: Pair = [0, 1];

/** Throws `bad_encoding`, `malformed_request`, `too_many_queries`. */
export function readCompareState(address: string): CompareState {
  const given = readFirst(address);
  const queries = readPairs(address).flatMap(({ name, value }) =>
    name === 'q' && value.trim() !== '' ? value.trim() : [],
  );
  const most = COMPARED_QUERIES.to;
  if (queries.length > most) {
    const message = `parameter \`q\`: expected at most ${most} queries, found ${queries.length}`;
    throw new ServiceError('too_many_queries', message);
  }
  const pairs = pairsOf(Math.max(queries.length, COMPARED_QUERIES.from));
  const words = given.get('words') || pairName(FIRST_PAIR);
  const name = readChoice('words', words, pairs.map(pairName), 'malformed_request');
  return {
    kind: readKind(given.get('kind') ?? '', 'kind'),
    queries,
    timeline: readBars(given.get('timeline') ?? ''),
    words: pairs.find((pair) => pairName(pair) === name)!,
  };
}

/** `A-B`. */
function pairName([one, other]: Pair): string {
  return `${LETTERS[one]}-${LETTERS[other]}`;
}

export function compareAddress(
  { kind, queries, timeline = 'count', words = FIRST_PAIR }: Partial<CompareState>,
  path = COMPARE_PAGE,
): string {
  return pageAddress(path, [
    ['kind', kind === 'comment' ? 'comments' : null],
    ...(queries ?? []).map((query) => ['q', query] as const),
    ['timeline', timeline === TIMELINE_BARS[0] ? null : timeline],
    ['words', pairName(words) === pairName(FIRST_PAIR) ? null : pairName(words)],
  ]);
}

/** The timeline of a search as a table of CSV. */
export const TIMELINE_FILE = '/timeline.csv';

export function timelineFileAddress({ query, kind }: Pick<SearchState, 'query' | 'kind'>): string {
  return pageAddress(TIMELINE_FILE, [
    ['query', query],
    ['in', kind === 'comment' ? 'comments' : null],
  ]);
}

/** Pictures of the matches of a query. */
export const PICTURES_PAGE = '/pictures';

/** One of them as a table of CSV. */
export const PICTURES_FILE = '/pictures.csv';

/** What pictures are of. */
export type PicturesState = Pick<SearchState, 'query' | 'kind'>;

/** Throws `bad_encoding`, `missing_query`, `malformed_request`. */
export function readPicturesState(address: string): PicturesState {
  return readQueryAndKind(address);
}

/** Which picture the file should have. Throws what `readPicturesState` throws. */
export function readPicture(address: string): Picture {
  return readChoice('which', readFirst(address).get('which') ?? '', PICTURES, 'malformed_request');
}

export function picturesAddress({ query, kind }: PicturesState): string {
  return pageAddress(PICTURES_PAGE, [
    ['query', query],
    ['in', kind === 'comment' ? 'comments' : null],
  ]);
}

export function pictureFileAddress({ query, kind }: PicturesState, which: Picture): string {
  return pageAddress(PICTURES_FILE, [
    ['query', query],
    ['in', kind === 'comment' ? 'comments' : null],
    ['which', which],
  ]);
}

export interface BreakdownState {
  readonly query: string;
  readonly kind: Kind;
  readonly field: NameField;
  /** Rows whose names start with this, in any case, are shown; empty: all. */
  readonly prefix: string;
  /** From 1 on. */
  readonly page: number;
}

export const FIELD_NAMES: Readonly<Record<NameField, string>> = {
  community: 'subreddit',
  domain: 'domain',
};

export function breakdownAddress({ query, kind, field, prefix, page }: BreakdownState): string {
  return pageAddress('/breakdown', [
    ['query', query],
    ['field', FIELD_NAMES[field]],
    ['in', kind === 'comment' ? 'comments' : null],
    ['prefix', prefix === '' ? null : prefix],
    ['page', page === 1 ? null : page],
  ]);
}
