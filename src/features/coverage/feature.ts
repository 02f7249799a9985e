// The API and command of coverage: `/api/v1/coverage` and `colloquy coverage`.

import type { Feature } from '../../cli/feature.ts';
import { table } from '../../cli/listing.ts';
import { COVERAGE_STEPS } from '../../model/coverage.ts';
import { MAX_TIME } from '../../model/record.ts';
import { DAY, readableDay } from '../../model/time.ts';
import { operation } from '../../operation/operation.ts';
import { choice, type Parameter, Type } from '../../operation/parameters.ts';
import {
  type CoverageAnswer,
  coverageOf,
  coverageTable,
  MAX_COMMUNITIES,
  readCommunityNames,
  type Source,
} from './coverage.ts';

const subreddit: Parameter<readonly string[]> = {
  read: (given, name) => (given ? readCommunityNames(given, `parameter \`${name}\``) : []),
  schema: Type.Optional(
    Type.String({
      maxLength: MAX_COMMUNITIES * 130,
      description:
        `Names of communities, separated by commas, at most ${MAX_COMMUNITIES}, in any case, with or without \`r/\`: ` +
        'of each, the first record, the last, and its months. If empty or absent, none.',
      examples: ['cats', 'cats,dogs'],
    }),
  ),
  documented: { values: `names, separated by commas, at most ${MAX_COMMUNITIES}`, default: 'none' },
};

const step = choice(COVERAGE_STEPS, {
  standard: 'month',
  description: 'What to count by, in UTC. Empty counts as absent.',
  examples: ['day'],
});

const count = Type.Count();

function time(description: string) {
  const words = `${description}, Unix time in seconds.`;
  return Type.Integer({ minimum: 0, maximum: MAX_TIME, description: words });
}

function timeOrNull(description: string) {
  return Type.Nullable(time(description));
}

const start = time('First second of the month or day');

const month = Type.Object({
  ...{ start, records: count },
  communities: Type.Integer({ minimum: 1, description: 'How many communities they come from.' }),
  withdrawn: Type.Count('Texts that were deleted or removed on the site.'),
  unrated: Type.Nullable(Type.Count('Comments without a rating; null of posts, which have none.')),
  score_at_capture: Type.Nullable(
    Type.Number({
      ...{ minimum: 0, maximum: 1 },
      description:
        'The share of records that were copied within a day of their creation: their scores are not final. Counts the ' +
        'records with a known time of copying; null if there is none.',
    }),
  ),
});

const range = {
  first: timeOrNull('Creation of the first record; null where there is none'),
  last: timeOrNull('Creation of the last record'),
};

const covered = Type.Object({
  index: Type.Object({ fingerprint: Type.String({ pattern: '^[0-9a-f]{16}$' }), records: count }),
  ...{ records: count, ...range },
  months: Type.Array(month, 'Up; those that have records. With `step=day`, a row a day.'),
  gaps: Type.Array(
    Type.Object({
      from: time('First second of the first day without a record'),
      to: time('First second of the first day that has records again'),
    }),
    'Days without a record, where the 14 days before them have at least 100 in all, and the 14 after them too.',
  ),
  subreddits: Type.Optional(
    Type.Array(
      Type.Object({
        ...{ name: Type.String(), records: count, ...range },
        months: Type.Array(Type.Object({ start, records: count })),
      }),
      'In the order asked for; only if `subreddit` was given.',
    ),
  ),
});

const sourceSchema = Type.Object({
  name: Type.String('The name of the file; `archive.zip/entry` for one in an archive.'),
  sha256: Type.Nullable(
    Type.String('Of the file as it was published, in hex; null where that cannot be told, or was not noted.'),
  ),
  bytes: Type.Nullable(Type.Count('Of that file.')),
  format: Type.Nullable(Type.String('What it contains and how it is packed: `ndjson.zst`.')),
  kind: Type.Nullable(
    Type.String('`posts`, `comments`, `both` or `communities`; null: nothing was taken in, or not noted.'),
  ),
  first: timeOrNull('Creation of the first record that was taken in'),
  last: timeOrNull('Creation of the last record that was taken in'),
  where: Type.Nullable(Type.String('The query of what was taken in; null: everything was.')),
  counts: Type.Unsafe({ type: 'object', description: 'As in the report of the import.' }),
  started: time('When the import began'),
  finished: timeOrNull('When it ended; null: it was interrupted'),
});

const CoverageSchema = Type.Object(
  {
    type: Type.Literal('coverage'),
    kind: Type.Null(),
    query: Type.Null(),
    index: Type.Null('That of each kind stands with it.'),
    step: Type.String('`month` or `day`.'),
    kinds: Type.Object({ posts: covered, comments: covered }),
    sources: Type.Array(sourceSchema, 'One a source of each import, in the order of the imports.'),
    removals: Type.Object(
      {
        number: count,
        dates: Type.Array(time('When it was begun'), 'Up.'),
      },
      'Those in force, and no more of them than when.',
    ),
  },
  { $id: 'Coverage' },
);

export const coverage = operation({
  name: 'coverage',
  tag: 'analysis',
  isTool: true,
  summary: 'What the index covers',
  description: [
    'Records by month or day and what they lack, days without any between busy ones, which file each import',
    'took, with its checksum, and when records were removed. It tells "nobody said it" from "it was never imported".',
  ].join(' '),
  parameters: { subreddit, step },
  schema: CoverageSchema,
  answerWords: 'The coverage, or a table of it: a row a month or day.',
  example: { subreddit: 'aww' },
  run: async (archive, { subreddit: subreddits, step: by }, { signal }) => ({
    answer: await coverageOf(archive, { subreddits, step: by }, signal),
  }),
  table: coverageTable,
  command: { examples: ['coverage --subreddit cats,dogs --format csv > months.csv'], print: asText },
});

export const feature: Feature = {
  name: 'coverage',
  operations: async () => [coverage],
  pages: async () => (await import('./page.ts')).addPages,
  navigation: { path: '/coverage', name: 'Coverage' },
  guides: [{ path: '/docs/coverage', file: 'coverage.md', name: 'Coverage', endpoints: ['coverage'] }],
};

function asText(answer: CoverageAnswer): string {
  const { step, kinds, sources, removals } = answer;
  const { columns, rows } = coverageTable(answer);
  // Shown only if communities were requested.
  const hasNames = rows.some(([, name]) => name !== null);
  const cells = rows.map(([kind, name, start, ...figures]) => [
    ...[String(kind), ...(hasNames ? [String(name ?? '')] : [])],
    readableDay(Number(start)).slice(0, step === 'month' ? 'YYYY-MM'.length : undefined),
    ...figures.map((figure) => {
      if (figure === null) return '';
      // Shares in full.
      return Number.isInteger(figure) ? figure.toLocaleString('en') : String(figure);
    }),
  ]);
  const headings = ['kind', ...(hasNames ? ['subreddit'] : []), step, ...columns.slice(3)];
  const gaps = Object.entries(kinds).flatMap(([kind, { gaps: of }]) =>
    of.map(({ from, to }) => `gap in ${kind}: ${readableDay(from)} to ${readableDay(to - DAY)}\n`),
  );
  const lines = sources.map(sourceLine);
  const removed = removals.number === 0 ? '' : `removals: ${removals.number}\n`;
  return [table(headings, cells), ...gaps, ...lines, removed].join('');
}

function sourceLine(source: Source) {
  const { name, sha256, bytes, kind, where, started, finished } = source;
  const end = finished === null ? `interrupted ${readableDay(started)}` : `imported ${readableDay(finished)}`;
  const words = [
    ...(kind === null ? [] : [kind]),
    ...(where === null ? [] : [`in part: ${where}`]),
    ...[end, sha256 === null ? 'no checksum' : `${bytes!.toLocaleString('en')} bytes, SHA-256 ${sha256}`],
  ];
  return `source: ${name} (${words.join('; ')})\n`;
}
