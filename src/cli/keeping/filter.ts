// `colloquy filter`: a part of dumps as a file, without an index.

import { availableParallelism } from 'node:os';
import { Command, Option } from 'commander';
import { readConfig } from '../../config.ts';
import { type FilterProgress, filterSources } from '../../ingest/filter/filter.ts';
import { type FilterReport, filterTable } from '../../ingest/filter/filter-report.ts';
import { emptySources, isComplete } from '../../ingest/report.ts';
import { onStopSignal } from '../command-line.ts';
import { columnOption, communityName } from '../options.ts';
import { readWhere, SourceProgress } from '../sources.ts';
import { untilStopped, workerCount } from './import.ts';

interface FilterFlags {
  readonly where: string;
  readonly out: string;
  readonly format?: 'ndjson' | 'csv';
  readonly kind?: 'posts' | 'comments';
  readonly community?: string;
  readonly column?: ReadonlyMap<string, string>;
  readonly restart?: boolean;
  readonly json?: boolean;
}

export function filterCommand(): Command {
  return new Command('filter')
    .description('write the records of dumps that match a query to a file, unchanged')
    .argument('<source...>', 'files, folders, or - for standard input')
    .requiredOption('--where <query>', 'the records to write')
    .requiredOption('--out <file>', 'what to write; compressed where it ends in .zst or .gz')
    .addOption(new Option('--format <format>', 'the form of the file').choices(['ndjson', 'csv']))
    .addOption(new Option('--kind <kind>', 'take everything for this').choices(['posts', 'comments']))
    .option('--community <name>', 'the community of records that name none')
    .addOption(columnOption())
    .option('--restart', 'replace the file if there is one')
    .option('--json', 'the report as one JSON value')
    .addHelpText(
      'after',
      `
The file is there when it is whole; what is stopped leaves nothing. No data folder is needed.
  colloquy filter RC_2024-01.zst --where '/r/energy solar|wind' --out energy.zst
  colloquy filter ~/dumps --where '/r/energy+solar+wind' --out part.ndjson.zst
  zstd -dc --long=31 RC_2024-01.zst | colloquy filter - --where '"heat pump"' --out pumps.csv --format csv`,
    )
    .action(async (sources: string[], flags: FilterFlags) => {
      process.exitCode = await runFilter(sources, flags);
    });
}

/**
 * Returns the exit code: 0 done; 1 stopped, damaged or in part not readable; 2 a source had nothing to read.
 */
async function runFilter(sources: readonly string[], flags: FilterFlags): Promise<number> {
  const where = readWhere(flags.where);
  const stop = new AbortController();
  using progress = new SourceProgress();
  using _signals = onStopSignal(() => {
    progress.endWith('stopping: the file is not kept');
    stop.abort();
  });
  const report = await filterSources(sources, {
    where,
    out: flags.out,
    format: flags.format ?? null,
    kind: flags.kind === undefined ? null : flags.kind === 'posts' ? 'post' : 'comment',
    community: flags.community === undefined ? null : communityName(flags.community),
    columns: flags.column,
    permalinkBase: readConfig().permalinkBase,
    replaces: flags.restart === true,
    workers: workerCount(availableParallelism()),
    input: untilStopped(process.stdin, stop.signal),
    signal: stop.signal,
    onProgress: (now) => progress.show(now, countsOf(now)),
  });
  progress[Symbol.dispose]();
  tell(report, flags);
  if (stop.signal.aborted) return 1;
  if (emptySources(report).length > 0) return 2;
  return isComplete(report) ? 0 : 1;
}

function countsOf({ matched, read }: FilterProgress): string {
  return `${matched.toLocaleString('en')} of ${read.toLocaleString('en')} match`;
}

function tell(report: FilterReport, { json, out }: FilterFlags): void {
  process.stdout.write(json ? `${JSON.stringify(report)}\n` : filterTable(report));
  for (const { source, why } of emptySources(report)) {
    process.stderr.write(`colloquy: \`${source}\`: nothing could be read: ${why}\n`);
  }
  const states = new Set(report.sources.map(({ state }) => state));
  if (report.file === null) process.stderr.write(`\`${out}\` was not written.\n`);
  else if (states.has('broken')) {
    process.stderr.write(
      'A source is damaged or incomplete, or has changed. Texts of it are missing: the report says what to do.\n',
    );
  } else if (states.has('unreadable')) {
    process.stderr.write('Some files or folders may not be read: change their mode and run it again.\n');
  }
}
