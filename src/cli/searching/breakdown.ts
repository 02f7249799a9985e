// `colloquy breakdown`: what the matches of a query are counted by, on the command line.

import { Argument, Command, InvalidArgumentError, Option } from 'commander';
import { csvText, NORMALISES, type Normalise } from '../../analysis/asking.ts';
import {
  type AskedField,
  BROKEN_DOWN_BY,
  type BreakdownAnswer,
  breakdownOf,
  breakdownTable,
  DEFAULT_ROWS,
  MAX_ROWS,
  type PresentedRow,
  ROW_STEPS,
  type RowStep,
} from '../../analysis/breakdown.ts';
import { openApp } from '../../app.ts';
import { UsageError } from '../../errors.ts';
import type { Kind } from '../../model/record.ts';
import { readableDay } from '../../model/time.ts';
import { oneLine } from '../../text/quoted.ts';
import { commandLine, tellDropped } from '../command-line.ts';
import { table } from '../listing.ts';
import { configWith, dataOption, expectUnderComments, timeoutOption } from '../options.ts';

interface BreakdownOptions {
  readonly data?: string;
  readonly field: AskedField;
  readonly by: RowStep;
  readonly size: number;
  readonly after?: string;
  readonly normalise: Normalise;
  readonly under?: string;
  readonly timeout?: number;
  readonly json?: boolean;
  readonly csv?: boolean;
}

export function breakdownCommand(): Command {
  return new Command('breakdown')
    .description('count what matches by community, domain, score, sentiment, hour of the week or text')
    .addArgument(new Argument('<kind>', 'what to count').choices(['posts', 'comments']))
    .argument('[query...]', 'the query, as one or several arguments; without one, every record', [])
    .addOption(
      new Option('--field <field>', 'what to count by').choices(BROKEN_DOWN_BY.comment).default('subreddit'),
    )
    .addOption(new Option('--by <step>', 'count each row by time too').choices(ROW_STEPS).default('none'))
    .option('--size <n>', `number of rows, 1 to ${MAX_ROWS}`, readSize, DEFAULT_ROWS)
    .option('--after <next>', '`next` of the last answer, for the rows after it')
    .addOption(new Option('--normalise <of>', 'what shares are of').choices(NORMALISES).default('scope'))
    .option('--under <query>', 'only comments of posts that match this query')
    .addOption(timeoutOption())
    .option('--json', 'print the answer of the API')
    .addOption(new Option('--csv', 'print the table of the API').conflicts('json'))
    .addOption(dataOption())
    .addHelpText(
      'after',
      `
For example:
  colloquy breakdown comments --field domain solar
  colloquy breakdown posts --by month --csv solar after:2020-01-01`,
    )
    .action(async (kinds: string, words: string[], options: BreakdownOptions) => {
      const kind: Kind = kinds === 'posts' ? 'post' : 'comment';
      if (!BROKEN_DOWN_BY[kind].includes(options.field))
        throw new UsageError('`--field`: expected another field with `posts`, found `sentiment`');
      if (options.field === 'copies' && options.by !== 'none')
        throw new UsageError('`--by`: expected none with `--field copies`');
      expectUnderComments(options.under, kinds);
      await using app = await openApp(configWith(options), { sample: true, toRead: true });
      const { field, by, size, after = null, normalise, under = null } = options;
      const { answer, dropped } = await breakdownOf(
        // The setting is for servers; here nobody else is waiting.
        { engine: app.engine, queryTimeoutMs: options.timeout ?? Infinity },
        {
          ...{ kind, query: words.join(' '), under },
          ...{ field, by, size, after, normalise },
        },
      );
      if (app.isSample()) process.stderr.write('(the invented sample: nothing has been imported yet)\n');
      tellDropped(dropped);
      process.stdout.write(printed(answer, options));
      if (answer.next !== null)
        process.stderr.write(`More rows: ${nextRows(kinds, words, options, answer.next)}\n`);
    });
}

function printed(answer: BreakdownAnswer, { json, csv }: BreakdownOptions): string {
  if (json) return `${JSON.stringify(answer)}\n`;
  return csv ? csvText(breakdownTable(answer)) : asTable(answer);
}

/** The command as typed, for the rows behind these. */
function nextRows(
  kinds: string,
  words: readonly string[],
  { field, by, size, normalise, under, json, csv, data }: BreakdownOptions,
  next: number,
): string {
  const flags = [
    ...(field === 'subreddit' ? [] : ['--field', field]),
    ...(by === 'none' ? [] : ['--by', by]),
    ...(size === DEFAULT_ROWS ? [] : ['--size', String(size)]),
    ...(normalise === 'scope' ? [] : ['--normalise', normalise]),
    // In one word: the query may begin with a minus.
    ...(under === undefined ? [] : [`--under=${under}`]),
    ...(json ? ['--json'] : []),
    ...(csv ? ['--csv'] : []),
    ...['--after', String(next), ...(data === undefined ? [] : ['--data', data])],
  ];
  const end = words.some((word) => word.startsWith('-')) ? ['--'] : [];
  return commandLine(['breakdown', kinds, ...flags, ...end, ...words]);
}

function readSize(text: string): number {
  const size = /^\d{1,5}$/.test(text) ? Number(text) : NaN;
  if (!(size >= 1 && size <= MAX_ROWS)) throw new InvalidArgumentError(`expected 1 to ${MAX_ROWS}.`);
  return size;
}

/** Characters of a name. */
const MAX_SHOWN = 60;

/** How many records match and how many values they have, then a line for each row; with `by`, for each bucket of it. */
function asTable(answer: BreakdownAnswer): string {
  const { kind, query, under, field, by, total_count: total, distinct, rows } = answer;
  const matches = total === 1 ? `${kind.slice(0, -1)} matches` : `${kind} match`;
  const below = under === undefined ? '' : `, under posts that match ${under}`;
  const values = `${distinct.toLocaleString('en')} different by ${field}`;
  const head = `${total.toLocaleString('en')} ${matches} ${query || '(everything)'}${below}; ${values}\n`;
  if (rows.length === 0) return head;
  const columns = by === undefined ? rowColumns(answer) : ['start', 'count', 'of', 'share'];
  const lines = rows.flatMap((row) => {
    const of = by === undefined ? [row] : (row.by ?? []);
    return of.map((counts) => [
      oneLine(row.name, MAX_SHOWN),
      ...columns.map((column) => cell(counts, column)),
    ]);
  });
  return head + table([field, ...columns], lines);
}

function rowColumns({ field, of_query, rows }: BreakdownAnswer): string[] {
  return [
    'count',
    ...(of_query === undefined ? [] : ['of', 'share']),
    ...(rows[0]!.rated === undefined ? [] : ['mean_sentiment', 'rated']),
    ...(field === 'copies' ? ['communities', 'first', 'last', 'id'] : []),
  ];
}

function cell(counts: Partial<PresentedRow> & { readonly start?: number }, column: string): string {
  const value = (counts as Readonly<Record<string, number | string | null | undefined>>)[column] ?? '';
  if (typeof value === 'string') return value;
  if (column === 'start' || column === 'first' || column === 'last') return readableDay(value);
  return column === 'share' || column === 'mean_sentiment' ? String(value) : value.toLocaleString('en');
}
