// Distinctive words: samples the matches of two queries and scores each word by its log-odds ratio with an informative
// Dirichlet prior, as a z-score (Monroe, Colaresi and Quinn, "Fightin' Words", Political Analysis 16(4), 2008,
// equations 16 and 20 to 23). A word counts once per record, so that one record that repeats it cannot dominate.
//
// Rare words get small scores: a word’s prior is the number of records of both samples that have it. Contract 10.7:
//
//   α  = y1 + y2      α0 = n1 + n2      y: records with the word, n: sums of y over all words, of both samples
//   δ  = ln((y1 + α) / (n1 + α0 − y1 − α)) − ln((y2 + α) / (n2 + α0 − y2 − α))
//   z  = δ / √(1 / (y1 + α) + 1 / (y2 + α))

import { readFileSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { table } from '../../cli/listing.ts';
import { wordsOf as wordsToMark } from '../../http/views/record-text.ts';
import { DEFAULT_SEED, type SampledTexts, type WordCounts } from '../../model/analyses.ts';
import type { Query } from '../../model/query.ts';
import { KINDS, type Kind } from '../../model/record.ts';
import { type Operation, operation } from '../../operation/operation.ts';
import { optionalText, type ParameterValues, Type, wholeNumber } from '../../operation/parameters.ts';
import { analysisQuery, underOf } from '../../operation/shared.ts';
import { type AnalysisContext, readAsked, readBeside, scopeOf, shareOf } from '../../search/asking.ts';
import { tokens } from '../../text/tokenizer.ts';
import { analysisHead, askHeaded, wordRow } from './shared.ts';

/** Words in fewer records of both samples are ignored: their rank would be chance. */
export const LEAST_USES = 5;

interface Uses {
  readonly word: string;
  readonly count: number;
  readonly against: number;
}

interface ScoredWord extends Uses {
  /** Positive if the first sample uses it more than the second. */
  readonly z: number;
}

/** Number of (record, word) pairs in each sample, rare words included. */
interface SampleTokens {
  readonly count: number;
  readonly against: number;
}

/** Words scored before yielding to the event loop: a few milliseconds of work. */
const WORDS_A_TURN = 8_192;

/**
 * `first`: up to `size` words most typical of the first sample, z descending; `second`: those of the second, z
 * ascending. Ties are ordered by code unit. No word is in both lists. Yields to the event loop.
 */
export async function distinctiveWords(
  words: Iterable<Uses>,
  tokens: SampleTokens,
  size: number,
): Promise<{ readonly first: readonly ScoredWord[]; readonly second: readonly ScoredWord[] }> {
  const [first, second] = [new StrongestWords(size), new StrongestWords(size)];
  let scored = 0;
  for (const uses of words) {
    if (++scored % WORDS_A_TURN === 0) await setImmediate();
    const z = zScore(uses, tokens);
    if (z > 0) first.add(uses, z);
    else if (z < 0) second.add(uses, z);
  }
  return { first: first.sorted(), second: second.sorted() };
}

/** The top `size` words of one sign by |z|; holds a few more between trims. */
class StrongestWords {
  readonly #size: number;
  #words: ScoredWord[] = [];
  /** Words with a smaller |z| are rejected. */
  #least = 0;

  constructor(size: number) {
    this.#size = size;
  }

  add(uses: Uses, z: number): void {
    if (Math.abs(z) < this.#least) return;
    this.#words.push({ ...uses, z });
    if (this.#words.length >= this.#size * 2 + 64) this.#dropRest();
  }

  sorted(): readonly ScoredWord[] {
    this.#dropRest();
    return this.#words;
  }

  #dropRest(): void {
    this.#words.sort((a, b) => Math.abs(b.z) - Math.abs(a.z) || (a.word < b.word ? -1 : 1));
    this.#words.length = Math.min(this.#words.length, this.#size);
    if (this.#words.length === this.#size) this.#least = Math.abs(this.#words.at(-1)?.z ?? Infinity);
  }
}

/** 0 if a sample is empty or has no other word, since the score is then undefined. */
export function zScore({ count, against }: Uses, tokens: SampleTokens): number {
  if (tokens.count === 0 || tokens.against === 0) return 0;
  const prior = count + against;
  const all = tokens.count + tokens.against;
  const [first, second] = [count + prior, against + prior];
  const [otherFirst, otherSecond] = [tokens.count + all - first, tokens.against + all - second];
  if (otherFirst === 0 || otherSecond === 0) return 0;
  const difference = Math.log(first / otherFirst) - Math.log(second / otherSecond);
  return difference / Math.sqrt(1 / first + 1 / second);
}

export const WORD_SAMPLES = { from: 100, to: 20_000, standard: 10_000 } as const;

const WORD_LISTS = { from: 10, to: 200, standard: 50 } as const;

type WordsWish = { readonly kind: Kind } & ParameterValues<ReturnType<typeof parametersOf>>;

/** Rates are shares of all (record, word) pairs of their samples; null if the sample has none. */
export type WordRow = ReturnType<typeof rowOf>;

export type WordsAnswer = Awaited<ReturnType<typeof wordsOf>>['answer'];

/** Throws a ServiceError if a query is invalid or cannot be answered. */
export async function wordsOf(context: AnalysisContext, wish: WordsWish, signal?: AbortSignal) {
  const read = readAsked({ ...wish, queries: [wish.query] });
  const { query, echo } = read.queries[0]!;
  const against = readBeside('against', wish.against) ?? { ...scopeOf(query, 'scope')!, dropped: [] };
  const asked = { ...read, againstText: wish.against ?? '' };
  const wanted = { of: against.query, words: { size: wish.sample, seed: DEFAULT_SEED, least: LEAST_USES } };
  const { answers, head, dropped } = await askHeaded(context, asked, () => wanted, signal);
  const { total, ofTotal = 0, words } = answers[0]!;
  const { sample, ofSample, rows, rowsAgainst } = await countedWords(words!, wish.limit);
  return {
    answer: {
      ...{ type: 'words', ...head, query: echo, against: against.echo },
      sampled: sideOf(sample, total),
      sampled_against: sideOf(ofSample, ofTotal),
      ...{ rows, rows_against: rowsAgainst },
    },
    dropped: [...dropped, ...against.dropped],
  };
}

/**
 * The distinctive words of two samples, at most `limit` per list. Stop words and words that `isLeftOut` accepts count
 * towards totals but are not listed.
 */
export async function countedWords(
  { sample, ofSample, words }: WordCounts,
  limit: number,
  isLeftOut: (word: string) => boolean = () => false,
) {
  const pairs = { count: sample.tokens, against: ofSample!.tokens };
  const uses = words
    .values()
    .filter(({ word }) => !STOP_WORDS.has(word) && !isLeftOut(word))
    .map(({ word, count, of }) => ({ word, count, against: of }));
  const { first, second } = await distinctiveWords(uses, pairs, limit);
  return {
    ...{ sample, ofSample: ofSample! },
    rows: first.map((word) => rowOf(word, pairs)),
    rowsAgainst: second.map((word) => rowOf(word, pairs)),
  };
}

/** Whether a token is one of the query's own words. */
export function isAskedFor(query: Query): (token: string) => boolean {
  const words = wordsToMark(query);
  return (token) =>
    words.some((word) =>
      word.kind === 'prefix'
        ? token.startsWith(word.prefix)
        : word.kind === 'term'
          ? word.token === token
          : word.tokens.includes(token),
    );
}

function sideOf({ records, tokens }: SampledTexts, of: number) {
  return { n: records, of, tokens };
}

/** `z` and rates with 6 decimals. */
function rowOf({ word, z, count, against }: ScoredWord, tokens: SampleTokens) {
  return {
    ...{ word, z: Math.round(z * 1_000_000) / 1_000_000, count, rate: shareOf(count, tokens.count) },
    ...{ count_against: against, rate_against: shareOf(against, tokens.against) },
  };
}

/** English stop words, as tokens (https://snowballstem.org/algorithms/english/stop.txt). */
const STOP_WORDS: ReadonlySet<string> = new Set(
  tokens(readFileSync(new URL('stop-words.txt', import.meta.url), 'utf8')),
);

const COLUMNS = ['word', 'z', 'count', 'rate', 'count_against', 'rate_against'] as const;

const against = optionalText(
  Type.String({
    maxLength: 4096,
    description:
      'The query to compare with. If empty or absent, the same query without its words, ' +
      'phrases, prefixes and any-ofs.',
    examples: ['/r/aww'],
  }),
  {
    values: 'a query, without an implied window',
    default: 'the scope: `query` without its words',
  },
);

const sample = wholeNumber({
  ...WORD_SAMPLES,
  unit: 'records of each query',
  description: 'The most records to read of each query: a sample with the seed `1`.',
  examples: [5000],
});

const limit = wholeNumber({
  ...WORD_LISTS,
  unit: 'words in each list',
  description: 'The most words in each list.',
  examples: [20],
});

function parametersOf(kind: Kind) {
  return { query: analysisQuery, against, sample, limit, ...underOf(kind) };
}

const side = (description: string) =>
  Type.Object(
    {
      n: Type.Count('Records of the sample.'),
      of: Type.Count('How many match.'),
      tokens: Type.Count('Pairs of a record of the sample and a word that it has.'),
    },
    description,
  );

const SCHEMA = Type.Object(
  {
    ...analysisHead('words'),
    against: Type.String('The other query, in canonical form.'),
    sampled: side('What was read of `query`.'),
    sampled_against: side('What was read of `against`.'),
    rows: Type.Array(wordRow, 'Words that `query` uses more, z down.'),
    rows_against: Type.Array(wordRow, 'Words that `against` uses more, z up.'),
  },
  { $id: 'Words' },
);

function wordsOfKind(kind: Kind): Operation {
  return operation({
    ...{ name: 'words', kind, tag: 'analysis', isTool: true },
    summary: 'Distinctive words of {kind}s',
    description:
      'Which words one query of {kind}s uses more than another, by samples of both. A word counts once a record; ' +
      'English stop words are not listed. The measure is the log-odds ratio with an informative Dirichlet prior ' +
      '(Monroe, Colaresi and Quinn 2008).',
    parameters: parametersOf(kind),
    schema: SCHEMA,
    isForVisitors: ({ against: other }) => other === null,
    answerWords: 'The words that each of the two uses more than the other, or a table of them.',
    example: { limit: '10' },
    run: (archive, values, { signal }) => wordsOf(archive, { kind, ...values }, signal),
    // One row per word: those of the first query, then those of the second.
    table: ({ rows, rows_against }) => ({
      columns: COLUMNS,
      rows: [...rows, ...rows_against].map((row) => COLUMNS.map((name) => row[name])),
    }),
    command: {
      standard: { limit: '20' },
      notes: 'A `before:` needs an `after:`.',
      examples: ['words comments "heat pump"', 'words posts /r/solarpower --against /r/energy --format csv'],
      print: asText,
    },
  });
}

export const operations: readonly Operation[] = KINDS.map(wordsOfKind);

function asText(answer: WordsAnswer): string {
  const { kind, query, against: other, sampled, sampled_against, rows, rows_against } = answer;
  const number = (count: number) => count.toLocaleString('en');
  const read = ({ n, of }: WordsAnswer['sampled'], echo: string) =>
    `${number(n)} of ${number(of)} ${kind} that match ${echo || '(everything)'}`;
  return [
    `Words of ${read(sampled, query)}\n`,
    tableOf(rows),
    `\nWords of ${read(sampled_against, other)}\n`,
    tableOf(rows_against),
  ].join('');
}

function tableOf(rows: readonly WordRow[]): string {
  if (rows.length === 0) return '(none)\n';
  return table(
    ['word', 'z', 'records', 'records there'],
    rows.map(({ word, z, count, count_against }) => [word, z.toFixed(2), `${count}`, `${count_against}`]),
  );
}
