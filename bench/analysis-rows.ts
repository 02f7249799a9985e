// The rows of bench/analysis.ts: a question each, and the same in SQL where DuckDB can ask it of the columns created,
// score, sentiment, community and has_<word>.

import type { SamplePage } from '../src/model/analyses.ts';
import type { BreakdownRequest, OneOfMany, SearchEngine, TimelineRequest } from '../src/model/engine.ts';
import type { Query, Word } from '../src/model/query.ts';

export interface AnalysisRow {
  readonly name: string;
  /** Resolves to how many records matched. */
  ask(): Promise<number>;
  /** `$TABLE` is the file. */
  readonly sql?: string;
}

const EVERYTHING: Query = { items: [] };

/** `words`: the most frequent one first. */
export function rowsOf(engine: SearchEngine, words: readonly string[]): AnalysisRow[] {
  const asking = (questions: readonly OneOfMany[]) => async () => {
    const { answers } = await engine.askAll(questions);
    return answers.reduce((sum, { total }) => sum + total, 0);
  };
  const [word = ''] = words;
  const timeline = (text: string, request: TimelineRequest, of?: Query): OneOfMany => ({
    ...{ kind: 'comment', query: wordQuery(text), timeline: request },
    ...(of && { of }),
  });
  const all = { kind: 'comment', query: EVERYTHING } as const;
  const community: Query = { items: [{ kind: 'score', min: 10, max: null }] };
  return [
    {
      name: 'by month, a very frequent word',
      ask: asking([timeline(word, { step: 'month' })]),
      sql: `SELECT ${by('month')}, count(*) FROM $TABLE WHERE has_${word} GROUP BY 1`,
    },
    {
      name: 'the same with shares',
      ask: asking([timeline(word, { step: 'month' }, EVERYTHING)]),
      sql: `SELECT ${by('month')}, count(*) FILTER (has_${word}), count(*) FROM $TABLE GROUP BY 1`,
    },
    {
      name: 'by day',
      ask: asking([timeline(word, { step: 'day' })]),
      sql: `SELECT ${by('day')}, count(*) FROM $TABLE WHERE has_${word} GROUP BY 1`,
    },
    {
      name: 'the same with shares',
      ask: asking([timeline(word, { step: 'day' }, EVERYTHING)]),
      sql: `SELECT ${by('day')}, count(*) FILTER (has_${word}), count(*) FROM $TABLE GROUP BY 1`,
    },
    {
      name: 'by month, shares of a score',
      ask: asking([
        {
          ...timeline(word, { step: 'month' }, community),
          query: { items: [...wordQuery(word).items, ...community.items] },
        },
      ]),
      sql: `SELECT ${by('month')}, count(*) FILTER (has_${word}), count(*) FROM $TABLE WHERE score >= 10 GROUP BY 1`,
    },
    {
      name: 'mean score by month',
      ask: asking([timeline(word, { step: 'month', measure: 'score' })]),
      sql: `SELECT ${by('month')}, avg(score) FROM $TABLE WHERE has_${word} GROUP BY 1`,
    },
    {
      name: 'mean sentiment by month',
      ask: asking([timeline(word, { step: 'month', measure: 'sentiment' })]),
      sql: `SELECT ${by('month')}, avg(sentiment), count(sentiment) FROM $TABLE WHERE has_${word} GROUP BY 1`,
    },
    {
      name: `${words.length} timelines by month, with shares`,
      ask: asking(words.map((one) => timeline(one, { step: 'month' }, EVERYTHING))),
      sql: `SELECT ${by('month')}, ${words.map((one) => `count(*) FILTER (has_${one})`).join(', ')}, count(*) FROM $TABLE GROUP BY 1`,
    },
    ...breakdownRows(words, asking),
    {
      name: '48 counts with shares',
      ask: asking(
        Array.from({ length: 48 }, (_, i) => ({
          ...{ kind: 'comment', of: EVERYTHING },
          query: {
            items: [...wordQuery(words[i % words.length]!).items, { kind: 'score', min: i >> 3, max: null }],
          },
        })),
      ),
    },
    { name: 'a sample of 1,000 of all', ask: asking([{ ...all, page: samplePage(1_000) }]) },
    {
      name: 'a sample of 1,000 of a very frequent word',
      ask: asking([{ kind: 'comment', query: wordQuery(word), page: samplePage(1_000) }]),
    },
    { name: 'a sample of 10 of each month', ask: asking([{ ...all, page: samplePage(10, 'month') }]) },
    {
      name: 'distinctive words, 10,000 against 10,000 texts',
      ask: asking([
        {
          ...{ kind: 'comment', query: wordQuery(words[1] ?? word), of: EVERYTHING },
          words: { size: 10_000, seed: '1', least: 5 },
        },
      ]),
    },
  ];
}

function samplePage(size: number, per?: SamplePage['per']): SamplePage {
  return { order: 'sample', size, seed: '1', ...(per && { per }) };
}

/** As the endpoint asks: the hundred commonest rows, with their number, and their mean sentiment where it says so. */
function breakdownRows(
  words: readonly string[],
  asking: (questions: readonly OneOfMany[]) => () => Promise<number>,
): AnalysisRow[] {
  const [word = '', ...further] = words;
  const breakdown = (query: Query, request: Partial<BreakdownRequest>, of?: Query) =>
    asking([
      {
        ...{ kind: 'comment', query },
        breakdowns: [{ field: 'community', size: 100, distinct: true, ...request }],
        ...(of && { of }),
      },
    ]);
  const cells = (where: string) =>
    `SELECT community, ${by('month')}, count(*) FROM $TABLE WHERE ${where} AND community IN (SELECT community FROM ` +
    `$TABLE WHERE ${where} GROUP BY 1 ORDER BY count(*) DESC LIMIT 100) GROUP BY 1, 2`;
  const few = further.slice(0, 4).map((token): Word => ({ kind: 'term', token, typed: token }));
  const anyOf: Query = { items: [{ kind: 'words', words: few, negated: false }] };
  return [
    {
      name: 'community × month, every comment',
      ask: breakdown(EVERYTHING, { by: 'month' }),
      sql: cells('true'),
    },
    {
      name: 'community × month, a very frequent word',
      ask: breakdown(wordQuery(word), { by: 'month' }),
      sql: cells(`has_${word}`),
    },
    {
      name: 'the same with shares and mean sentiment',
      ask: breakdown(wordQuery(word), { by: 'month', measure: 'sentiment' }, EVERYTHING),
    },
    {
      name: 'hours of the week, a very frequent word, with shares',
      ask: breakdown(wordQuery(word), { field: 'weekday_hour' }, EVERYTHING),
      sql: `SELECT (created + 259200) // 3600 % 168, count(*) FILTER (has_${word}), count(*) FROM $TABLE GROUP BY 1`,
    },
    { name: 'copies, any of four words', ask: breakdown(anyOf, { field: 'copies' }) },
    { name: 'the same with shares', ask: breakdown(anyOf, { field: 'copies' }, EVERYTHING) },
  ];
}

export function wordQuery(token: string): Query {
  return { items: [{ kind: 'words', words: [{ kind: 'term', token, typed: token }], negated: false }] };
}

function by(unit: 'day' | 'month'): string {
  return `date_trunc('${unit}', make_timestamp(created * 1000000))`;
}
