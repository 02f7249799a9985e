// `colloquy import`: reads dumps into the index, then merges small segments while the user reads the report. `colloquy
// communities`: marks communities, one by one or from a dump of communities.

import { availableParallelism } from 'node:os';
import { Command, Option } from 'commander';
import { openApp, rejectsFolder } from '../../app.ts';
import { Catalogue } from '../../catalogue/catalogue.ts';
import { commandLine, onStopSignal } from '../../cli/command-line.ts';
import { type FeatureEntry, loadFeatures, reachedByRemovals } from '../../cli/feature.ts';
import { printJson } from '../../cli/listing.ts';
import { type CommonFlags, columnOption, communityName, configWith, dataOption } from '../../cli/options.ts';
import { UsageError } from '../../errors.ts';
import { expectPlaceForData } from '../../folder/data-folder.ts';
import { counted } from '../../http/views/format.ts';
import { type ImportOptions, importSources, type Progress } from '../../ingest/importer.ts';
import { emptySources, type ImportReport, reportTable } from '../../ingest/report.ts';
import type { CommunityKnowledge } from '../../model/community.ts';
import type { MergeStep, SearchEngine } from '../../model/engine.ts';
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
} from './sources.ts';

interface ImportFlags extends SourceFlags {
  readonly data?: string;
  readonly where?: string;
}

export function importCommand(features: readonly FeatureEntry[]): Command {
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
      const { data, kind, community, where, restart = false } = flags;
      const wanted: ImportFlagsRead = {
        ...{ data, restart, features, columns: flags.column },
        kind: kind === undefined ? null : kind === 'posts' ? 'post' : 'comment',
        community: community === undefined ? null : communityName(community),
        where: where === undefined ? null : readWhere(where),
      };
      const { report, isStopped } = await importInto(sources, wanted, (done, next) =>
        tell(done, flags, next),
      );
      process.exitCode = importExitCode(report, isStopped);
    });
}

type ImportFlagsRead = Pick<ImportOptions, 'kind' | 'community' | 'columns' | 'where' | 'restart'> & {
  readonly data?: string | undefined;
  /** Removals also reach the copies that these features keep. */
  readonly features: readonly FeatureEntry[];
};

/**
 * Imports with progress on standard error; Ctrl-C stops it after a batch. Calls `onReport` before it merges the index,
 * while the data folder is still open.
 */
export async function importInto(
  sources: readonly string[],
  flags: ImportFlagsRead,
  onReport: (report: ImportReport, next: 'posts' | 'comments') => void = () => {},
): Promise<{ report: ImportReport; isStopped: boolean }> {
  const config = configWith(flags);
  const reached = await reachedByRemovals(await loadFeatures(flags.features));
  await using app = await openApp(config, { catchUpWithRemovals: reached });
  using progress = sourceBar();
  let isRead = false;
  using stop = onStopSignal(() => {
    if (!isRead) progress.endWith('stopping: writing what has been read');
  });
  const deps = {
    engine: app.engine,
    catalogue: app.catalogue,
    permalinkBase: config.permalinkBase,
    rejectsFolder: rejectsFolder(config),
    input: untilStopped(process.stdin, stop.signal),
  };
  const report = await importSources(sources, deps, {
    ...flags,
    workers: workerCount(availableParallelism()),
    signal: stop.signal,
    onProgress: (now) => showSources(progress, now, countsOf(now)),
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
  return `${counted(read, 'record')}${skipped}${others}`;
}

/** Prints the report, and on standard error a hint to search the kinds `next`, which have records. */
function tell(
  report: ImportReport,
  flags: { readonly json?: boolean; readonly data?: string },
  next: 'posts' | 'comments',
): void {
  process.stdout.write(flags.json ? `${JSON.stringify(report)}\n` : reportTable(report));
  tellEmpty(report, 'imported');
  const fault = faultOf(report);
  const isWhole = emptySources(report).length === 0 && report.added + report.replaced + report.unchanged > 0;
  if (report.sources.some(({ state }) => state === 'stopped')) {
    process.stderr.write('Stopped. Run the same command again to continue.\n');
  } else if (fault !== null) process.stderr.write(fault);
  else if (!flags.json && isWhole) {
    const serve = commandLine(['serve'], flags.data);
    process.stderr.write(`Next: ${serve}, or ${commandLine(['search', next, ''], flags.data)}\n`);
  }
}

/** Merging stops after this time; a server continues it. */
const MAX_MERGING_MS = 120_000;

/** Smaller merges take less than a second and are not mentioned. */
const MIN_TOLD_RECORDS = 50_000;

/** Records merged per second on an older machine. */
const RECORDS_A_SECOND = 100_000;

/** Merges the segments of an import, with a note on standard error. Aborting `stopped` is safe at any time. */
export async function mergeImported(engine: SearchEngine, stopped: AbortSignal): Promise<void> {
  const say = (line: string) => process.stderr.write(`${line}\n`);
  const started = performance.now();
  let merged = 0;
  const onMerge = ({ segments, records }: MergeStep) => {
    if (segments > 1 && records >= MIN_TOLD_RECORDS) {
      say(toldBefore(segments, records, merged === 0));
      merged += records;
    }
  };
  const signal = AbortSignal.any([stopped, AbortSignal.timeout(MAX_MERGING_MS)]);
  await engine.maintain({ signal, onMerge });
  if (merged === 0) return;
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  say(
    signal.aborted
      ? `Merging was stopped after ${seconds} s. Nothing is lost: a server continues it.`
      : `Merged in ${seconds} s.`,
  );
}

function toldBefore(segments: number, records: number, isFirst: boolean): string {
  const seconds = Math.ceil(records / RECORDS_A_SECOND);
  const what = `${counted(segments, 'segment')} with ${counted(records, 'record')}, about ${seconds} s`;
  return isFirst
    ? `Merging ${what}: queries are faster afterwards. Ctrl-C stops it without harm.`
    : `Merging ${what}.`;
}

interface SetOptions extends CommonFlags {
  readonly nsfw: keyof typeof WORDS;
}

const WORDS = { yes: true, no: false, unknown: null } as const;

const NOTHING_SAID: CommunityKnowledge = { operator: null, record: null, dump: null, id: '' };

export function communitiesCommand(features: readonly FeatureEntry[]): Command {
  return new Command('communities')
    .description('set or import what is known about communities')
    .addHelpText('after', '\nExample:\n  colloquy communities set energy --nsfw no')
    .addCommand(setCommand())
    .addCommand(communitiesImportCommand(features));
}

function setCommand(): Command {
  return new Command('set')
    .description('set whether a community is nsfw, whatever imports and posts say')
    .argument('<name>', 'name of the community, with or without /r/')
    .addOption(
      new Option('--nsfw <word>', 'unknown undoes an earlier choice')
        .choices(Object.keys(WORDS))
        .makeOptionMandatory(),
    )
    .option('--json', 'print what is known about the community as JSON: name, operator, record, dump, id')
    .addOption(dataOption())
    .addHelpText('after', '\nExample:\n  colloquy communities set /r/energy --nsfw no')
    .action(async (text: string, options: SetOptions) => {
      const name = communityName(text);
      const config = configWith(options);
      await expectPlaceForData(config);
      await using catalogue = Catalogue.open(config.dataFolder);
      catalogue.setNsfw(name, WORDS[options.nsfw]);
      if (options.json) printJson({ name, ...(catalogue.knowledgeOf([name]).get(name) ?? NOTHING_SAID) });
      process.stderr.write(`${sentence(name, options.nsfw)}; answers show this at once\n`);
    });
}

function sentence(name: string, word: SetOptions['nsfw']): string {
  if (word === 'unknown') return `whether /r/${name} is nsfw is now decided by imports and posts`;
  return `/r/${name} is ${word === 'yes' ? 'nsfw' : 'not nsfw'}`;
}

function communitiesImportCommand(features: readonly FeatureEntry[]): Command {
  return new Command('import')
    .description('import a dump of communities: which of them are nsfw, and their ids')
    .argument(
      '<file...>',
      'JSON lines with `display_name`, `over18`, `id`, plain or compressed; - for standard input',
    )
    .option('--json', 'print the report as one JSON value')
    .addOption(dataOption())
    .addHelpText('after', '\nExample:\n  colloquy communities import subreddits_2024-01.zst')
    .action(async (files: string[], flags: CommonFlags) => {
      const wanted = { ...flags, kind: 'community', restart: true, features } as const;
      const { report, isStopped } = await importInto(files, wanted);
      if (report.communities === 0 && report.read > 0)
        throw new UsageError(
          `expected a dump of communities (\`display_name\`, \`over18\`), found ${report.read.toLocaleString('en')} objects without \`display_name\``,
        );
      tell(report, flags, 'posts');
      process.exitCode = importExitCode(report, isStopped);
    });
}
