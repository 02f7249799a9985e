// `colloquy sample`: a random sample that anybody can draw again, as the API gives it.

import { Argument, Command, InvalidArgumentError, Option } from 'commander';
import {
  type AskedGroup,
  DEFAULT_SAMPLE,
  drawSample,
  MAX_SAMPLE,
  SAMPLE_GROUPS,
} from '../../analysis/sample.ts';
import { openApp } from '../../app.ts';
import { UsageError } from '../../errors.ts';
import type { Row } from '../../exporting/columns.ts';
import { openTextForm } from '../../exporting/text-forms.ts';
import { DEFAULT_SEED, isSeed, MAX_SEED } from '../../model/analyses.ts';
import type { Kind } from '../../model/record.ts';
import type { CommentRecord, PostRecord } from '../../search/presenter.ts';
import { sinceOf } from '../../search/question-options.ts';
import { tellDropped } from '../command-line.ts';
import { linesOfRecords } from '../listing.ts';
import { configWith, dataOption, expectUnderComments, sinceOption, tellArrival } from '../options.ts';

interface SampleFlags {
  readonly data?: string;
  readonly n: number;
  readonly seed: string;
  readonly per?: AskedGroup;
  readonly fields?: string;
  readonly under?: string;
  readonly since?: number;
  readonly json?: boolean;
  readonly csv?: boolean;
  readonly ndjson?: boolean;
}

export function sampleCommand(): Command {
  return new Command('sample')
    .description('draw a random sample of the matches, which the same seed draws again')
    .addArgument(new Argument('<kind>', 'what to draw from').choices(['posts', 'comments']))
    .argument('[query...]', 'the query, as one or several arguments; without one, every record', [])
    .option('--n <n>', `number of records, 1 to ${MAX_SAMPLE}`, readSize, DEFAULT_SAMPLE)
    .option('--seed <text>', 'another sample for each seed', readSeed, DEFAULT_SEED)
    .addOption(new Option('--per <group>', 'so many records of each').choices(SAMPLE_GROUPS))
    .option('--under <query>', 'only comments of posts that match this query')
    .addOption(sinceOption())
    .option('--json', 'print the answer of the API')
    .addOption(new Option('--csv', 'print the records as CSV, as an export has them').conflicts('json'))
    .addOption(
      new Option('--ndjson', 'print the records as lines of JSON, as an export has them').conflicts([
        'json',
        'csv',
      ]),
    )
    .option(
      '--fields <names>',
      'with --json, --csv or --ndjson: only these fields of each record, separated by commas',
    )
    .addOption(dataOption())
    .addHelpText(
      'after',
      `
The sample of 500 lies inside that of 1,000 with the same seed, and is the same on every machine with these
records. A \`before:\` needs an \`after:\`. Put a query that begins with a minus after --.
  colloquy sample comments --n 500 --seed pilot "heat pump" after:2024-01-01
  colloquy sample posts --n 20 --per month --csv /r/solarpower
More than ${MAX_SAMPLE} records: colloquy export with --sample.`,
    )
    .action(async (kinds: string, words: string[], flags: SampleFlags) => {
      await runSample(kinds, words, flags);
    });
}

async function runSample(kinds: string, words: readonly string[], flags: SampleFlags): Promise<void> {
  const { n, seed, per = null, fields = null, under = null } = flags;
  const isForPeople = !flags.json && !flags.csv && !flags.ndjson;
  if (fields !== null && isForPeople)
    throw new UsageError('`--fields`: expected `--json`, `--csv` or `--ndjson` with it, found none');
  expectUnderComments(under, kinds);
  const kind: Kind = kinds === 'posts' ? 'post' : 'comment';
  await using app = await openApp(configWith(flags), { sample: true, toRead: true });
  // The setting is for servers; here nobody else is waiting.
  const context = { engine: app.engine, queryTimeoutMs: Infinity };
  const wish = { kind, query: words.join(' '), n, seed, per, fields, under, ...sinceOf(flags) };
  const drawn = await drawSample(context, app.search, wish);
  const { answer, dropped, arrival } = drawn;
  if (app.isSample()) process.stderr.write('(the invented sample: nothing has been imported yet)\n');
  tellDropped(dropped);
  tellArrival(flags, arrival);
  if (flags.json) process.stdout.write(`${JSON.stringify(answer)}\n`);
  else if (isForPeople) {
    const number = (count: number) => count.toLocaleString('en');
    const matches = answer.total_count === 1 ? kinds.slice(0, -1) : kinds;
    const of = `${number(answer.data.length)} of ${number(answer.total_count)} ${matches}`;
    process.stdout.write(`${of} that match ${answer.query || '(everything)'}, by the seed ${answer.seed}\n`);
    // Whole: fields are chosen for programs alone.
    process.stdout.write(linesOfRecords(answer.data as readonly (PostRecord | CommentRecord)[]));
  } else {
    const form = openTextForm(flags.csv ? 'csv' : 'ndjson', kind, drawn.fields);
    const rows = answer.data as readonly object[] as readonly Row[];
    process.stdout.write(form.head + rows.map((row) => form.line(row)).join(''));
  }
}

function readSize(text: string): number {
  const size = /^\d{1,5}$/.test(text) ? Number(text) : NaN;
  if (!(size >= 1 && size <= MAX_SAMPLE)) throw new InvalidArgumentError(`expected 1 to ${MAX_SAMPLE}.`);
  return size;
}

function readSeed(text: string): string {
  if (!isSeed(text)) throw new InvalidArgumentError(`expected at most ${MAX_SEED} characters.`);
  return text;
}
