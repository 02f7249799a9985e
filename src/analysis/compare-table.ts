// A comparison as one table: a row a number, with the part of the comparison that it belongs to.

import type { Cell, CsvTable } from './asking.ts';
import { type CompareAnswer, LETTERS, type Pair, type Part } from './compare.ts';
import type { WordRow } from './words.ts';

const COLUMNS = [
  ...(['part', 'query', 'other', 'name', 'start', 'count', 'of', 'share'] as const),
  ...(['mean_sentiment', 'rated', 'unrated', 'z'] as const),
] as const;

type Row = Partial<Record<(typeof COLUMNS)[number], Cell>>;

/**
 * Parts: `total` (its name is the query), `timeline`, `overlap` (share: of the matches of `query`), `community` (of
 * them too), `word` (what `query` uses more than `other`; of: words of its sample). Queries are A to D.
 */
export function compareTable(answer: CompareAnswer): CsvTable {
  const rows = [
    ...totals(answer),
    ...times(answer),
    ...overlaps(answer),
    ...communities(answer),
    ...words(answer),
  ];
  return { columns: COLUMNS, rows: rows.map((row) => COLUMNS.map((column) => row[column] ?? null)) };
}

function totals({ queries }: CompareAnswer): Row[] {
  return queries.map(({ query, sentiment, ...part }, i) => ({
    ...{ part: 'total', query: LETTERS[i]!, name: query, ...numbers(part) },
    ...(sentiment && {
      ...{ mean_sentiment: sentiment.mean, rated: sentiment.rated, unrated: sentiment.unrated },
    }),
  }));
}

function times({ buckets }: CompareAnswer): Row[] {
  return buckets.flatMap(({ start, cells }) =>
    cells.map((cell, i) => ({ part: 'timeline', query: LETTERS[i]!, start, ...numbers(cell) })),
  );
}

function overlaps({ overlaps: all, queries }: CompareAnswer): Row[] {
  return all.flatMap(({ pair, both, shares }) =>
    bothWays(pair).map(([one, other], side) => ({
      ...{ part: 'overlap', query: LETTERS[one]!, other: LETTERS[other]!, count: both },
      ...{ of: queries[one]!.count, share: shares[side]! },
    })),
  );
}

function communities({ communities: all }: CompareAnswer): Row[] {
  return all.flatMap(({ name, cells }) =>
    cells.map((cell, i) => ({ part: 'community', query: LETTERS[i]!, name, ...numbers(cell) })),
  );
}

function words({ words: told }: CompareAnswer): Row[] {
  if (told === null) return [];
  return bothWays(told.pair).flatMap(([one, other], side) =>
    told.lists[side]!.map((word) => ({
      ...{ part: 'word', query: LETTERS[one]!, other: LETTERS[other]!, name: word.word },
      ...wordNumbers(word, side),
    })),
  );
}

function bothWays([first, second]: Pair): readonly Pair[] {
  return [
    [first, second],
    [second, first],
  ];
}

function numbers({ count, of, share }: Part): Row {
  return { count, of, share };
}

/** As seen from the side that uses it more. */
function wordNumbers({ z, count, rate, count_against, rate_against }: WordRow, side: number): Row {
  return side === 0 ? { count, share: rate, z } : { count: count_against, share: rate_against, z: -z };
}
