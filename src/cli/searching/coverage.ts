// `colloquy coverage`: what the index covers, and what it came from.

import { Command, Option } from 'commander';
import { csvText } from '../../analysis/asking.ts';
import { type CoverageAnswer, coverageTable, readCommunityNames } from '../../analysis/coverage.ts';
import { openApp } from '../../app.ts';
import { COVERAGE_STEPS, type CoverageStep } from '../../model/coverage.ts';
import { DAY, readableDay } from '../../model/time.ts';
import { table } from '../listing.ts';
import { configWith, dataOption } from '../options.ts';

interface CoverageOptions {
  readonly data?: string;
  readonly step: CoverageStep;
  readonly subreddit?: string;
  readonly json?: boolean;
  readonly csv?: boolean;
}

export function coverageCommand(): Command {
  return new Command('coverage')
    .description('show what the index covers by month, its gaps, and which files it came from')
    .addOption(new Option('--step <step>', 'what is counted by').choices(COVERAGE_STEPS).default('month'))
    .option('--subreddit <names>', 'the months of these communities too, separated by commas')
    .addOption(new Option('--json', 'print the answer of the API').conflicts('csv'))
    .option('--csv', 'print the months as CSV')
    .addOption(dataOption())
    .addHelpText('after', '\nExample:\n  colloquy coverage --subreddit cats,dogs --csv > months.csv')
    .action(async (options: CoverageOptions) => {
      const config = { ...configWith(options), queryTimeoutMs: Infinity };
      await using app = await openApp(config, { sample: true, toRead: true });
      const { step, subreddit } = options;
      const subreddits = subreddit === undefined ? [] : readCommunityNames(subreddit, '`--subreddit`');
      const answer = await app.coverage.answer({ step, subreddits });
      if (app.isSample()) process.stderr.write('(the invented sample: nothing has been imported yet)\n');
      if (options.json) process.stdout.write(`${JSON.stringify(answer)}\n`);
      else if (options.csv) process.stdout.write(csvText(coverageTable(answer)));
      else process.stdout.write(asText(answer));
    });
}

/** One table of months; then a line for each gap, each source, and the removals. */
function asText(answer: CoverageAnswer): string {
  const { step, kinds, sources, removals } = answer;
  const { columns, rows } = coverageTable(answer);
  const startAt = columns.indexOf('start');
  const shareAt = columns.indexOf('score_at_capture');
  // The column of names is there only for those who asked for some.
  const isKept = (column: number) =>
    columns[column] !== 'subreddit' || rows.some((row) => row[column] !== null);
  const cells = rows.map((row) =>
    row.flatMap((cell, column) => {
      if (!isKept(column)) return [];
      if (column === startAt) return [nameOf(step, Number(cell))];
      if (cell === null) return [''];
      return [column === shareAt || typeof cell === 'string' ? String(cell) : cell.toLocaleString('en')];
    }),
  );
  const headings = columns
    .filter((_, column) => isKept(column))
    .map((name) => (name === 'start' ? step : name));
  const gaps = Object.entries(kinds).flatMap(([kind, { gaps: of }]) =>
    of.map(({ from, to }) => `gap in ${kind}: ${readableDay(from)} to ${readableDay(to - DAY)}\n`),
  );
  const lines = sources.map(sourceLine);
  const removed = removals.number === 0 ? '' : `removals: ${removals.number}\n`;
  return [table(headings, cells), ...gaps, ...lines, removed].join('');
}

function nameOf(step: CoverageStep, start: number): string {
  return readableDay(start).slice(0, step === 'month' ? 'YYYY-MM'.length : undefined);
}

function sourceLine({
  file,
  sha256,
  bytes,
  kind,
  where,
  started,
  finished,
}: CoverageAnswer['sources'][number]) {
  const end = finished === null ? `interrupted ${readableDay(started)}` : `imported ${readableDay(finished)}`;
  const words = [
    ...(kind === null ? [] : [kind]),
    ...(where === null ? [] : [`in part: ${where}`]),
    ...[end, sha256 === null ? 'no checksum' : `${bytes!.toLocaleString('en')} bytes, SHA-256 ${sha256}`],
  ];
  return `source: ${file} (${words.join('; ')})\n`;
}
