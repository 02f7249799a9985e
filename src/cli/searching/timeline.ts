// `colloquy timeline`: when the matches of queries were written, as a table.

import { Argument, Command, Option } from 'commander';
import { csvText, NORMALISES, type Normalise } from '../../analysis/asking.ts';
import {
  ASKED_STEPS,
  type AskedStep,
  MAX_SERIES,
  MEASURES,
  type Measure,
  type TimelineAnswer,
  timelineOf,
  timelineTable,
} from '../../analysis/timeline.ts';
import { openApp } from '../../app.ts';
import { UsageError } from '../../errors.ts';
import type { Kind } from '../../model/record.ts';
import { readableDay, readableTime } from '../../model/time.ts';
import { sinceOf } from '../../search/question-options.ts';
import { tellDropped } from '../command-line.ts';
import { table } from '../listing.ts';
import {
  configWith,
  dataOption,
  expectUnderComments,
  sinceOption,
  tellArrival,
  timeoutOption,
} from '../options.ts';

interface TimelineOptions {
  readonly data?: string;
  readonly step: AskedStep;
  readonly measure: Measure;
  readonly normalise: Normalise;
  readonly under?: string;
  readonly since?: number;
  readonly timeout?: number;
  readonly json?: boolean;
  readonly csv?: boolean;
}

export function timelineCommand(): Command {
  return new Command('timeline')
    .description('count matches by hour, day, week, month, quarter or year, and tell their share')
    .addArgument(new Argument('<kind>', 'what to count').choices(['posts', 'comments']))
    .argument('[query...]', 'up to 8 queries, each one argument; without one, every record', [])
    .addOption(new Option('--step <step>', 'how long a bucket is').choices(ASKED_STEPS).default('auto'))
    .addOption(
      new Option('--measure <what>', 'the mean of this too').choices(MEASURES.comment).default('count'),
    )
    .addOption(
      new Option(
        '--normalise <what>',
        'what shares are of: the query without its words, its dates, or nothing',
      )
        .choices(NORMALISES)
        .default('scope'),
    )
    .option('--under <query>', 'only comments of posts that match this query')
    .addOption(sinceOption())
    .addOption(timeoutOption())
    .option('--json', 'print the answer of the API')
    .addOption(new Option('--csv', 'print the table of the API').conflicts('json'))
    .addOption(dataOption())
    .addHelpText(
      'after',
      `
Put a query that begins with a minus after --. A \`before:\` needs an \`after:\`. Examples:
  colloquy timeline comments "cats /r/aww" dogs --step month
  colloquy timeline comments inverter --measure sentiment --csv`,
    )
    .action(async (kinds: string, words: string[], options: TimelineOptions) => {
      const kind: Kind = kinds === 'posts' ? 'post' : 'comment';
      const { step, measure, normalise, under = null } = options;
      if (!MEASURES[kind].includes(measure))
        throw new UsageError('`--measure`: expected `count` or `score` with `posts`, found `sentiment`');
      expectUnderComments(under, kinds);
      const queries = words.length === 0 ? [''] : words;
      if (queries.length > MAX_SERIES)
        throw new UsageError(`expected at most ${MAX_SERIES} queries, found ${queries.length}`);
      const config = configWith(options);
      await using app = await openApp(config, { sample: true, toRead: true });
      const wish = { kind, queries, step, measure, normalise, under, ...sinceOf(options) };
      // The setting is for servers; here nobody else is waiting.
      const context = { engine: app.engine, queryTimeoutMs: options.timeout ?? Infinity };
      const { answer, dropped, arrival } = await timelineOf(context, wish);
      if (app.isSample()) process.stderr.write('(the invented sample: nothing has been imported yet)\n');
      tellDropped(dropped);
      tellArrival(options, arrival);
      if (options.json) process.stdout.write(`${JSON.stringify(answer)}\n`);
      else if (options.csv) process.stdout.write(csvText(timelineTable(answer, wish)));
      else process.stdout.write(asTable(answer, wish));
    });
}

/** The queries with their totals, numbered where there are several, and the table. */
function asTable(answer: TimelineAnswer, wish: Parameters<typeof timelineTable>[1]): string {
  const { series, kind, step } = answer;
  const heads = series.map(({ query, of_query, total_count }, i) => {
    const number = series.length === 1 ? '' : `${i + 1}: `;
    const of = of_query === undefined ? '' : `, as a share of ${of_query || '(everything)'}`;
    return `${number}${total_count.toLocaleString('en')} ${kind} match ${query || '(everything)'}${of}\n`;
  });
  const { columns, rows } = timelineTable(answer, wish);
  const named = step === 'hour' ? readableTime : readableDay;
  const cells = rows.map(([start, ...figures]) => [
    named(Number(start)),
    ...figures.map((one) => String(one ?? '')),
  ]);
  return `${heads.join('')}${table([`${step} (UTC)`, ...columns.slice(1)], cells)}`;
}
