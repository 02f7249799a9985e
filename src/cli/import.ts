// `colloquy import`: dumps into the index.

import { availableParallelism } from 'node:os';
import type { Readable } from 'node:stream';
import { Command, Option } from 'commander';
import { openApp, rejectsFolder } from '../app.ts';
import { BrokenSource } from '../ingest/containers/broken.ts';
import { type ImportOptions, importSources, type Progress } from '../ingest/importer.ts';
import { emptySources, type ImportReport, isComplete } from '../ingest/report.ts';
import { reportTable } from '../ingest/report-table.ts';
import { commandLine } from './command-line.ts';
import { communityName } from './community-name.ts';
import { mergeImported } from './merging.ts';
import { columnOption, configWith, dataOption } from './options.ts';
import { onStopSignal } from './signals.ts';
import { SourceProgress } from './source-progress.ts';
import { readWhere } from './where.ts';

interface ImportFlags {
  readonly data?: string;
  readonly kind?: 'posts' | 'comments';
  readonly community?: string;
  readonly column?: ReadonlyMap<string, string>;
  readonly where?: string;
  readonly restart?: boolean;
  readonly json?: boolean;
}

/** More workers than this wait for the index. Each takes some 100 MB. */
const MAX_WORKERS = 3;

export function importCommand(): Command {
  return new Command('import')
    .description('import dumps, data sets and API answers')
    .argument('<source...>', 'files, folders, or - for standard input')
    .addOption(new Option('--kind <kind>', 'treat every record as this kind').choices(['posts', 'comments']))
    .option('--community <name>', 'the community for records that name none')
    .addOption(columnOption())
    .option('--where <query>', 'import only the records that match this query')
    .option('--restart', 'start from the beginning, even if an earlier import was interrupted')
    .option('--json', 'print the report as one JSON value')
    .addOption(dataOption())
    .addHelpText(
      'after',
      `
If an import is interrupted, run it again to continue. If it is complete, running it again changes nothing.
  colloquy import RS_2024-01.zst RC_2024-01.zst
  colloquy import ~/dumps
  colloquy import RC_2024-01.zst --where '/r/energy solar|wind'
  colloquy import thread-titles.csv --community energy
  curl -s https://example.org/comments.ndjson.gz | colloquy import -`,
    )
    .action(async (sources: string[], flags: ImportFlags) => {
      process.exitCode = await runImport(sources, flags);
    });
}

/** Returns the exit code. */
async function runImport(sources: readonly string[], flags: ImportFlags): Promise<number> {
  const kind = flags.kind === undefined ? null : flags.kind === 'posts' ? 'post' : 'comment';
  const toImport: ImportFlagsRead = {
    ...(flags.data === undefined ? {} : { data: flags.data }),
    kind,
    community: flags.community === undefined ? null : communityName(flags.community),
    columns: flags.column,
    where: flags.where === undefined ? null : readWhere(flags.where),
    restart: flags.restart === true,
  };
  const { report, isStopped } = await importInto(sources, toImport, (done, next) => tell(done, flags, next));
  return importExitCode(report, isStopped);
}

/** 0: done; 1: stopped, damaged or partly unreadable; 2: nothing could be imported from some source. */
export function importExitCode(report: ImportReport, isStopped: boolean): number {
  if (isStopped) return 1;
  if (emptySources(report).length > 0) return 2;
  return isComplete(report) ? 0 : 1;
}

type ImportFlagsRead = Pick<ImportOptions, 'kind' | 'community' | 'columns' | 'where' | 'restart'> & {
  readonly data?: string;
};

/**
 * Runs an import with progress on standard error, and Ctrl-C that ends it at the next batch. `onReport` is called while
 * the data folder is still open: afterwards the index is merged.
 */
export async function importInto(
  sources: readonly string[],
  flags: ImportFlagsRead,
  onReport: (report: ImportReport, next: 'posts' | 'comments') => void = () => {},
): Promise<{ report: ImportReport; isStopped: boolean }> {
  const config = configWith(flags);
  await using app = await openApp(config, { catchUpWithRemovals: true });
  const stop = new AbortController();
  using progress = new SourceProgress();
  let isRead = false;
  using _signals = onStopSignal(() => {
    if (!isRead) progress.endWith('stopping: writing what has been read');
    stop.abort();
  });
  const deps = {
    engine: app.engine,
    catalogue: app.catalogue,
    permalinkBase: config.permalinkBase,
    rejectsFolder: rejectsFolder(config),
    input: untilStopped(process.stdin, stop.signal),
  };
  const report = await importSources(sources, deps, {
    kind: flags.kind,
    community: flags.community ?? null,
    columns: flags.columns,
    where: flags.where ?? null,
    restart: flags.restart,
    workers: workerCount(availableParallelism()),
    signal: stop.signal,
    onProgress: (now) => progress.show(now, countsOf(now)),
  });
  const isStopped = stop.signal.aborted;
  isRead = true;
  progress[Symbol.dispose]();
  const { post } = await app.engine.lastArrivals();
  onReport(report, post === 0 ? 'comments' : 'posts');
  // A cluster merges by itself.
  if (!isStopped && !app.isElsewhere) await mergeImported(app.engine, stop.signal);
  return { report, isStopped };
}

function countsOf({ read, removed, passedOver }: Progress): string {
  const skipped = removed === 0 ? '' : ` (${removed.toLocaleString('en')} skipped, removed before)`;
  const others = passedOver === 0 ? '' : ` (${passedOver.toLocaleString('en')} do not match)`;
  return `${read.toLocaleString('en')} records${skipped}${others}`;
}

/** The index keeps one processor busy. */
export function workerCount(processors: number): number {
  return Math.max(1, Math.min(processors - 1, MAX_WORKERS));
}

/** Breaks off at the signal, also while nothing comes. */
export async function* untilStopped(input: Readable, signal: AbortSignal): AsyncGenerator<Buffer> {
  const stop = () => input.destroy(new BrokenSource('stopped'));
  if (signal.aborted) stop();
  signal.addEventListener('abort', stop, { once: true });
  try {
    yield* input;
  } finally {
    signal.removeEventListener('abort', stop);
    input.destroy();
  }
}

/** The report on standard output, and on standard error what comes next: a search of `next`, which there are. */
export function tell(
  report: ImportReport,
  flags: { readonly json?: boolean; readonly data?: string },
  next: 'posts' | 'comments',
): void {
  process.stdout.write(flags.json ? `${JSON.stringify(report)}\n` : reportTable(report));
  const empty = emptySources(report);
  for (const { source, why } of empty) {
    process.stderr.write(`colloquy: \`${source}\`: nothing could be imported: ${why}\n`);
  }
  const states = new Set(report.sources.map(({ state }) => state));
  if (states.has('stopped')) {
    process.stderr.write('Stopped. Run the same command again to continue.\n');
  } else if (states.has('broken')) {
    process.stderr.write(
      'A source is damaged or incomplete, or has changed. Texts of it are missing: the report says what to do.\n',
    );
  } else if (states.has('unreadable')) {
    process.stderr.write(
      'You have no right to read some files or folders. Change their mode and run the command again.\n',
    );
  } else if (!flags.json && empty.length === 0 && report.added + report.replaced + report.unchanged > 0) {
    const serve = commandLine(['serve'], flags.data);
    process.stderr.write(`Next: ${serve}, or ${commandLine(['search', next, ''], flags.data)}\n`);
  }
}
