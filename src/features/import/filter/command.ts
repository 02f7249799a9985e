// `colloquy filter`: a part of dumps as a file, without an index; its report for people.

import { availableParallelism } from 'node:os';
import { Command, Option } from 'commander';
import { onStopSignal } from '../../../cli/command-line.ts';
import { columnOption, communityName } from '../../../cli/options.ts';
import { readConfig } from '../../../config.ts';
import { totalOf } from '../../../ingest/normalise/outcome.ts';
import { countLines, noteLines, number } from '../../../ingest/report.ts';
import {
  faultOf,
  importExitCode,
  readWhere,
  type SourceFlags,
  showSources,
  sourceBar,
  tellEmpty,
  untilStopped,
  workerCount,
} from '../sources.ts';
import { type FilterReport, filterSources } from './filter.ts';

interface FilterFlags extends SourceFlags {
  readonly where: string;
  readonly out: string;
  readonly format?: 'ndjson' | 'csv';
}

export function filterCommand(): Command {
  return new Command('filter')
    .description('write the records of dumps that match a query to a file, unchanged')
    .argument('<source...>', 'files, folders, or - for standard input')
    .requiredOption('--where <query>', 'the records to write')
    .requiredOption('--out <file>', 'the file to write; compressed if it ends in .zst or .gz')
    .addOption(
      new Option('--format <format>', 'format of the file (default: lines and rows unchanged)').choices([
        'ndjson',
        'csv',
      ]),
    )
    .addOption(new Option('--kind <kind>', 'treat every record as this kind').choices(['posts', 'comments']))
    .option('--community <name>', 'the community for records that name none')
    .addOption(columnOption())
    .option('--restart', 'replace the file if it exists')
    .option('--json', 'print the report as one JSON value')
    .addHelpText(
      'after',
      `
The file appears when it is complete; if you stop the command, nothing is left. No data folder is needed.
  colloquy filter RC_2024-01.zst --where '/r/energy solar|wind' --out energy.zst
  colloquy filter ~/dumps --where '/r/energy+solar+wind' --out part.ndjson.zst
  zstd -dc --long=31 RC_2024-01.zst | colloquy filter - --where '"heat pump"' --out pumps.csv --format csv`,
    )
    .action(async (sources: string[], flags: FilterFlags) => {
      process.exitCode = await runFilter(sources, flags);
    });
}

/** Returns the exit code: 0 done; 1 stopped, damaged or in part not readable; 2 a source had nothing to read. */
async function runFilter(sources: readonly string[], flags: FilterFlags): Promise<number> {
  const where = readWhere(flags.where);
  using progress = sourceBar();
  using stop = onStopSignal(() => progress.endWith('stopping: the file is not kept'));
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
    onProgress: (now) =>
      showSources(
        progress,
        now,
        `${now.matched.toLocaleString('en')} of ${now.read.toLocaleString('en')} match`,
      ),
  });
  progress[Symbol.dispose]();
  tell(report, flags);
  return importExitCode(report, stop.signal.aborted);
}

function tell(report: FilterReport, { json, out }: FilterFlags): void {
  process.stdout.write(json ? `${JSON.stringify(report)}\n` : filterTable(report));
  tellEmpty(report, 'read');
  const fault = report.file === null ? `\`${out}\` was not written.\n` : faultOf(report);
  if (fault !== null) process.stderr.write(fault);
}

const LINES_SHOWN = 10;

function filterTable(report: FilterReport): string {
  const lines = countLines(report, { taken: [['matched', report.matched]], passedOver: 'passed over' });
  const all = [...lines, ...rejectLines(report), ...noteLines(report.sources)];
  if (report.file !== null) all.push(written(report.file, report));
  return `${all.join('\n')}\n`;
}

function rejectLines({ rejects, rejected }: FilterReport): string[] {
  const shown = rejects
    .slice(0, LINES_SHOWN)
    .map(({ source, line, reason }) => `${source}:${line}: ${reason}`);
  const left = totalOf(rejected) - shown.length;
  return left === 0 ? shown : [...shown, `and ${number(left)} more rejected lines`];
}

function written(file: string, { lines, format, bytes }: FilterReport): string {
  const one = format === 'csv' ? 'row' : 'line';
  return `${file}: ${number(lines)} ${one}${lines === 1 ? '' : 's'}, ${number(bytes ?? 0)} bytes`;
}
