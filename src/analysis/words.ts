// Which words tell what matches one query from what matches another: tokens of a sample of each, scored by log-odds.

import { ServiceError } from '../errors.ts';
import { DEFAULT_SEED, type SampledTexts, type WordCounts } from '../model/analyses.ts';
import type { IndexFingerprint } from '../model/hash.ts';
import type { Kind } from '../model/record.ts';
import type { Dropped } from '../search/language/dropped.ts';
import { interpretWithoutWindow } from '../search/language/interpret.ts';
import {
  type AnalysisContext,
  type AskedQueries,
  askTogether,
  type CsvTable,
  droppedOf,
  readAsked,
  type Scope,
  scopeOf,
  shareOf,
} from './asking.ts';
import { distinctiveWords, LEAST_USES, type SampleTokens, type ScoredWord } from './log-odds.ts';

export const WORD_SAMPLES = { from: 100, to: 20_000, standard: 10_000 } as const;

export const WORD_LISTS = { from: 10, to: 200, standard: 50 } as const;

export interface WordsWish extends Omit<AskedQueries, 'queries'> {
  readonly query: string;
  /** A query; null or empty: the scope of the first, without its words. */
  readonly against: string | null;
  readonly sample: number;
  readonly limit: number;
}

export interface WordsAnswer {
  readonly type: 'words';
  readonly kind: `${Kind}s`;
  readonly query: string;
  readonly index: IndexFingerprint;
  /** In canonical form; absent where none was given. */
  readonly under?: string;
  /** In canonical form. */
  readonly against: string;
  readonly sampled: SampledSide;
  readonly sampled_against: SampledSide;
  /** Words that the first query's sample uses more, z down. */
  readonly rows: readonly WordRow[];
  /** Words that the other's uses more, z up. */
  readonly rows_against: readonly WordRow[];
}

export interface SampledSide {
  readonly n: number;
  readonly of: number;
  readonly tokens: number;
}

export interface WordRow {
  readonly word: string;
  /** With 6 decimals. */
  readonly z: number;
  readonly count: number;
  /** Of the words of its sample, with 6 decimals; null where it has none. */
  readonly rate: number | null;
  readonly count_against: number;
  readonly rate_against: number | null;
}

/** Throws a ServiceError where a query cannot be understood or answered. */
export async function wordsOf(
  context: AnalysisContext,
  wish: WordsWish,
  signal?: AbortSignal,
): Promise<{ readonly answer: WordsAnswer; readonly dropped: readonly Dropped[] }> {
  const { kind } = wish;
  const read = readAsked({ kind, queries: [wish.query], under: wish.under ?? null });
  const query = read.queries[0]!;
  const against = readAgainst(wish.against) ?? { ...scopeOf(query.query, 'scope')!, dropped: [] };
  const question = {
    ...{ kind, query: query.query, of: against.query },
    ...(read.under === null ? {} : { under: read.under.query }),
    words: { size: wish.sample, seed: DEFAULT_SEED, least: LEAST_USES },
  };
  const asked = { ...read, againstText: wish.against ?? '' };
  const { answers, index } = await askTogether(context, asked, [question], signal);
  const { total, ofTotal = 0, words } = answers[0]!;
  const { sample, ofSample, rows, rowsAgainst } = await countedWords(words!, wish.limit);
  return {
    answer: {
      ...{ type: 'words', kind: `${kind}s`, query: query.echo, index },
      ...(read.under === null ? {} : { under: read.under.echo }),
      against: against.echo,
      sampled: sideOf(sample, total),
      sampled_against: sideOf(ofSample, ofTotal),
      ...{ rows, rows_against: rowsAgainst },
    },
    dropped: [...droppedOf(read), ...against.dropped],
  };
}

/** The words of two samples: `limit` of each list at the most, in their order. */
export async function countedWords(
  { sample, ofSample, words }: WordCounts,
  limit: number,
): Promise<{
  readonly sample: SampledTexts;
  readonly ofSample: SampledTexts;
  readonly rows: readonly WordRow[];
  readonly rowsAgainst: readonly WordRow[];
}> {
  const tokens = { count: sample.tokens, against: ofSample!.tokens };
  const uses = words.values().map(({ word, count, of }) => ({ word, count, against: of }));
  const { first, second } = await distinctiveWords(uses, tokens, limit);
  return {
    ...{ sample, ofSample: ofSample! },
    rows: first.map((word) => rowOf(word, tokens)),
    rowsAgainst: second.map((word) => rowOf(word, tokens)),
  };
}

/** null: none was given. Throws what the language refuses, with places in `against`. */
function readAgainst(text: string | null): (Scope & { readonly dropped: readonly Dropped[] }) | null {
  if (text === null || text === '') return null;
  try {
    return interpretWithoutWindow(text);
  } catch (error) {
    if (!(error instanceof ServiceError) || error.position === undefined) throw error;
    const position = { ...error.position, parameter: 'against' } as const;
    throw new ServiceError(error.code, `parameter \`against\`: ${error.message}`, { position, cause: error });
  }
}

function sideOf({ records, tokens }: SampledTexts, of: number): SampledSide {
  return { n: records, of, tokens };
}

function rowOf({ word, z, count, against }: ScoredWord, tokens: SampleTokens): WordRow {
  return {
    ...{ word, z: Math.round(z * 1_000_000) / 1_000_000, count, rate: shareOf(count, tokens.count) },
    ...{ count_against: against, rate_against: shareOf(against, tokens.against) },
  };
}

const COLUMNS = ['word', 'z', 'count', 'rate', 'count_against', 'rate_against'] as const;

/** A row a word: those of the first query, then those of the other. */
export function wordsTable({ rows, rows_against }: WordsAnswer): CsvTable {
  const all = [...rows, ...rows_against];
  return { columns: COLUMNS, rows: all.map((row) => COLUMNS.map((name) => row[name])) };
}
