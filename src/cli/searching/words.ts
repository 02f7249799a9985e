// `colloquy words`: the words that tell what matches one query from what matches another, as the API gives them.

import { Argument, Command, InvalidArgumentError, Option } from 'commander';
import { csvText } from '../../analysis/asking.ts';
import {
  WORD_LISTS,
  WORD_SAMPLES,
  type WordRow,
  type WordsAnswer,
  wordsOf,
  wordsTable,
} from '../../analysis/words.ts';
import { openApp } from '../../app.ts';
import type { Kind } from '../../model/record.ts';
import { tellDropped } from '../command-line.ts';
import { table } from '../listing.ts';
import { configWith, dataOption, expectUnderComments } from '../options.ts';

interface WordsFlags {
  readonly data?: string;
  readonly against?: string;
  readonly sample: number;
  readonly size: number;
  readonly under?: string;
  readonly json?: boolean;
  readonly csv?: boolean;
}

/** Words of each list that people see where they do not say. */
const SHOWN = 20;

export function wordsCommand(): Command {
  return new Command('words')
    .description('tell which words set the matches of a query apart')
    .addArgument(new Argument('<kind>', 'what to read').choices(['posts', 'comments']))
    .argument('<query...>', 'the query, as one or several arguments')
    .option('--against <query>', 'hold it against this query (default: the same without its words)')
    .option('--sample <n>', 'records of each that are read', within(WORD_SAMPLES), WORD_SAMPLES.standard)
    .option('--size <n>', 'words in each list', within(WORD_LISTS), SHOWN)
    .option('--under <query>', 'only comments of posts that match this query')
    .option('--json', 'print the answer of the API')
    .addOption(new Option('--csv', 'print the lists as one table of CSV').conflicts('json'))
    .addOption(dataOption())
    .addHelpText(
      'after',
      `
A \`before:\` needs an \`after:\`. Put a query that begins with a minus after --.
  colloquy words comments "heat pump"
  colloquy words posts /r/solarpower --against /r/energy --csv`,
    )
    .action(async (kinds: string, words: string[], flags: WordsFlags) => {
      const { against = null, sample, size, under = null } = flags;
      expectUnderComments(under, kinds);
      const kind: Kind = kinds === 'posts' ? 'post' : 'comment';
      await using app = await openApp(configWith(flags), { sample: true, toRead: true });
      // The setting is for servers; here nobody else is waiting.
      const context = { engine: app.engine, queryTimeoutMs: Infinity };
      const wish = { kind, query: words.join(' '), against, sample, size, under };
      const { answer, dropped } = await wordsOf(context, wish);
      if (app.isSample()) process.stderr.write('(the invented sample: nothing has been imported yet)\n');
      tellDropped(dropped);
      if (flags.json) process.stdout.write(`${JSON.stringify(answer)}\n`);
      else process.stdout.write(flags.csv ? csvText(wordsTable(answer)) : asTables(answer));
    });
}

function asTables({
  kind,
  query,
  against,
  sampled,
  sampled_against,
  rows,
  rows_against,
}: WordsAnswer): string {
  const number = (count: number) => count.toLocaleString('en');
  const read = ({ n, of }: WordsAnswer['sampled'], echo: string) =>
    `${number(n)} of ${number(of)} ${kind} that match ${echo || '(everything)'}`;
  return [
    `Words of ${read(sampled, query)}\n`,
    asTable(rows),
    `\nWords of ${read(sampled_against, against)}\n`,
    asTable(rows_against),
  ].join('');
}

function asTable(rows: readonly WordRow[]): string {
  if (rows.length === 0) return '(none)\n';
  return table(
    ['word', 'z', 'uses', 'uses there'],
    rows.map(({ word, z, count, count_against }) => [word, z.toFixed(2), `${count}`, `${count_against}`]),
  );
}

function within({ from, to }: { readonly from: number; readonly to: number }) {
  return (text: string): number => {
    const value = /^\d{1,5}$/.test(text) ? Number(text) : NaN;
    if (!(value >= from && value <= to)) throw new InvalidArgumentError(`expected ${from} to ${to}.`);
    return value;
  };
}
