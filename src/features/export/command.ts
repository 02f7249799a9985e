// `colloquy export`: writes every match of a query to standard output, or to a file that a later run can resume; its
// progress and its report.

import { once } from 'node:events';
import { Argument, Command } from 'commander';
import { type App, openApp } from '../../app.ts';
import { linesOf, onStopSignal, tellDropped } from '../../cli/command-line.ts';
import {
  type CommonFlags,
  configWith,
  dataOption,
  expectUnderComments,
  flagOf,
  readFlags,
  tellArrival,
} from '../../cli/options.ts';
import { duration, gigabytes, ProgressBar } from '../../cli/progress.ts';
import { UsageError } from '../../errors.ts';
import { counted } from '../../http/views/format.ts';
import { type Kind, type RecordName, readRecordName } from '../../model/record.ts';
import { quoted } from '../../text/quoted.ts';
import { type ExportPlan, exportPlan, missingNames, openExport, wishOf } from './export-service.ts';
import { exportToFile, type FileProgress, type FileReport, keptRecords } from './file/file-export.ts';
import { partOf } from './file/part-file.ts';
import {
  type Compression,
  EXPORT_PARAMETERS,
  type ExportTable,
  type Format,
  formatOfName,
  type Named,
} from './parameters.ts';

interface ExportFlags
  extends CommonFlags,
    Readonly<Partial<Record<'under' | 'since' | 'sample' | 'seed' | 'fromIds' | 'out', string>>> {
  readonly format?: Format;
  readonly compress?: Compression;
  readonly restart?: boolean;
}

const MAX_TOLD_MISSING = 1_000;

const DEFAULTS: Readonly<Record<string, string>> = {
  format: 'as the name of the file ends, otherwise ndjson',
  compress: 'as the name of the file ends, otherwise none',
};

export function exportCommand(): Command {
  const command = new Command('export')
    .description('write every match of a query, to standard output or into a file')
    .addArgument(new Argument('<kind>', 'what to export').choices(['posts', 'comments']))
    .argument('[query...]', 'the query, as one or several arguments; without one, every record', []);
  for (const [name, parameter] of Object.entries(EXPORT_PARAMETERS.comment)) {
    if (name !== 'query') command.addOption(flagOf(name, parameter, DEFAULTS[name]));
  }
  return command
    .option(
      '--from-ids <file>',
      'in place of a query: the records with these ids, one a line; - reads standard input',
    )
    .option('--out <file>', 'write this file; after an interruption, the same command continues it')
    .option('--restart', 'with --out: start again, and replace a file of this name')
    .option('--json', 'the report as one JSON value')
    .addOption(dataOption())
    .addHelpText(
      'after',
      `
A \`before:\` needs an \`after:\`. The report ends with the SHA-256; with --out it is on standard output,
otherwise on standard error. Put a query that begins with a minus after --.
  colloquy export comments --out solar.ndjson.zst "the inverter" /r/solarpower score:5
  colloquy export posts --format csv after:2024-01-01 before:2025-01-01 | head
  colloquy export comments --under "heat pump" --out pumps.parquet -- -cost
  colloquy export comments --sample 1000 --seed 7 --out some.csv "heat pump"
  colloquy export posts --from-ids ids.txt --out posts.ndjson.zst`,
    )
    .action(async (kinds: string, words: string[], flags: ExportFlags) => {
      process.exitCode = await runExport(kinds, words, flags);
    });
}

/** Returns the exit code: 0 complete; 1 stopped or incomplete. */
async function runExport(kinds: string, words: readonly string[], flags: ExportFlags): Promise<number> {
  expectSense(kinds, words, flags);
  const { out = null } = flags;
  const named = formatOfName(out ?? '');
  const format = flags.format ?? named.format ?? 'ndjson';
  const compress = flags.compress ?? named.compress ?? 'none';
  if (flags.format === undefined) expectOwnEnding(named);
  expectReadable(out, format, compress);
  const kind: Kind = kinds === 'posts' ? 'post' : 'comment';
  const values = readFlags(EXPORT_PARAMETERS[kind] as ExportTable, { ...flags, query: '' });
  using progress = exportBar();
  using stop = onStopSignal();
  const started = performance.now();
  await using app = await openApp(configWith(flags), { sample: true, toRead: true });
  const given =
    flags.fromIds === undefined ? null : await readGivenIds(flags.fromIds, kind, app.config.permalinkBase);
  const { since, ...wish } = wishOf(kind, { ...values, query: words.join(' '), format, compress });
  const plan = exportPlan({
    ...wish,
    ...(flags.since === undefined ? {} : { since: since! }),
    ...(given === null ? {} : { names: given.map(({ name }) => name) }),
  });
  await app.engine.refresh();
  if (app.isSample()) process.stderr.write('(the invented sample: nothing has been imported yet)\n');
  tellDropped(plan.dropped);
  try {
    const written = await (out === null
      ? toStandardOutput(app, plan, stop.signal, progress)
      : exportToFile(app, {
          ...{ plan, out, restart: flags.restart === true, signal: stop.signal },
          version: `Colloquy ${app.version} on Node ${process.versions.node}`,
          onProgress: (now) => showProgress(progress, now),
        }));
    progress[Symbol.dispose]();
    const seconds = (performance.now() - started) / 1000;
    const missing = await missingOf(app, plan, given, written);
    const report = { ...written, plan, file: out, seconds, missing };
    if (written.arrival !== undefined) tellArrival(flags, written.arrival);
    tell(report, flags.json === true);
    return isComplete(report) ? 0 : 1;
  } catch (error) {
    if (!stop.signal.aborted) throw error;
    progress.endWith(stopped(out));
    // Bytes waiting for a stalled reader would keep the process alive.
    if (out === null) process.exit(1);
    return 1;
  }
}

/** Throws a UsageError for conflicting flags. */
function expectSense(kinds: string, words: readonly string[], flags: ExportFlags) {
  const { under, out, restart, sample, seed, fromIds } = flags;
  if (seed !== undefined && sample === undefined)
    throw new UsageError('`--seed`: expected `--sample` with it, found none');
  if (fromIds !== undefined && words.length > 0)
    throw new UsageError(`\`--from-ids\`: expected it in place of a query, found ${quoted(words.join(' '))}`);
  expectUnderComments(under, kinds);
  if (restart && out === undefined) throw new UsageError('`--restart`: expected `--out` with it, found none');
  if (out === '' || out === '-')
    throw new UsageError(
      `\`--out\`: expected the name of a file, found \`${out}\`; without it, records go to standard output`,
    );
}

/** Throws a UsageError for a file extension of another format. */
function expectOwnEnding({ foreign }: Named): void {
  if (foreign === undefined) return;
  throw new UsageError(
    '`--out`: expected a name that ends in `.ndjson`, `.csv` or `.parquet`, then `.gz` or `.zst` if compressed, or ' +
      `in nothing, found \`${foreign}\`; with \`--format\` it may have any name`,
  );
}

/** Throws a UsageError for binary output to a terminal. */
function expectReadable(out: string | null, format: Format, compress: Compression): void {
  const isText = format !== 'parquet' && compress === 'none';
  if (out !== null || isText || !process.stdout.isTTY) return;
  const what = format === 'parquet' ? 'parquet' : `${format} compressed by ${compress}`;
  throw new UsageError(`${what}: expected a file or a pipe, found a terminal; add \`--out FILE\``);
}

/** The given ids that were not found, if any; null: a query was given. */
async function missingOf(app: App, plan: ExportPlan, given: readonly GivenId[] | null, written: FileReport) {
  const { matches } = written;
  if (given === null) return null;
  const count = given.length - matches;
  const typed = new Map(given.map(({ name, typed: text }) => [name, text]));
  const names = count === 0 ? [] : await missingNames(app, plan, MAX_TOLD_MISSING);
  return { count, ids: names.map((name) => typed.get(name)!) };
}

async function toStandardOutput(app: App, plan: ExportPlan, signal: AbortSignal, progress: ProgressBar) {
  // For a reader that closes the pipe (main.ts): it has not got every record.
  process.exitCode = 1;
  // A progress bar would mix with the records.
  const isShown = !process.stdout.isTTY;
  await using run = await openExport(app, plan, signal);
  const { total } = run.head;
  let bytes = 0;
  for await (const block of run.blocks) {
    for (const piece of block.bytes) {
      bytes += piece.length;
      if (!process.stdout.write(piece)) await once(process.stdout, 'drain', { signal });
    }
    const { records: count, withheld, report } = block;
    if (isShown) showProgress(progress, { done: count + withheld, total, isCompared: false });
    if (report === undefined) continue;
    // When it is flushed; a closed one ends the process (main.ts).
    await new Promise<void>((resolve) => process.stdout.write('', (error) => error || resolve()));
    return { ...run.head, count, withheld, bytes, ...report, resumedBehind: 0, index: run.index };
  }
  throw new Error('expected a report with the last block, found none');
}

function tell(report: ExportReport, isJson: boolean): void {
  const words = isJson ? `${JSON.stringify(asJson(report))}\n` : asLines(report);
  (report.file === null ? process.stderr : process.stdout).write(words);
}

function stopped(out: string | null): string {
  if (out === null) return 'stopped: what was written is not whole';
  const kept = keptRecords(out);
  if (kept === 0) return 'stopped before the first step: nothing was kept';
  return (
    `stopped: \`${partOf(out)}\` has ${counted(kept, 'record')}; ` +
    'run the same command again, without `--restart`, to continue after them'
  );
}

const MAX_GIVEN_IDS = 1_000_000;

const MAX_LISTED = 10;
const MAX_SHOWN = 120;

interface GivenId {
  readonly name: RecordName;
  readonly typed: string;
}

/**
 * Each record once; one of the other kind has its kind in `of`. `base`: as in `readRecordName`. Throws a UsageError
 * that lists invalid lines, and for a file with no ids or too many.
 */
async function readGivenIds(file: string, kind: Kind, base: string): Promise<readonly GivenId[]> {
  const given = new Map<string, GivenId>();
  const problems: string[] = [];
  for await (const { text, place } of linesOf(file)) {
    const name = readRecordName(text, base);
    if (name === null) problems.push(`${place}: ${quoted(text, MAX_SHOWN)}`);
    else {
      const key = `${name.of ?? kind} ${name.id}`;
      if (!given.has(key)) given.set(key, { name: { id: name.id, of: name.of ?? kind }, typed: text });
    }
    if (given.size > MAX_GIVEN_IDS) {
      const most = MAX_GIVEN_IDS.toLocaleString('en');
      throw new UsageError(`\`--from-ids\`: expected at most ${most} different ids, found more`);
    }
  }
  if (problems.length > 0) {
    const more = problems.length - MAX_LISTED;
    const listed = [...problems.slice(0, MAX_LISTED), ...(more > 0 ? [`and ${more} more lines`] : [])];
    throw new UsageError(
      `\`--from-ids\`: expected an id or permalink of a ${kind} on each line, found ${listed.join('; ')}`,
    );
  }
  if (given.size === 0) throw new UsageError('`--from-ids`: expected ids, one a line, found none');
  return [...given.values()];
}

const BAR = '{bar} {percentage}% | {records}, {rate} a second | {left} left';

export function exportBar(): ProgressBar {
  return new ProgressBar(BAR, 'by command');
}

export function showProgress(
  bar: ProgressBar,
  { done, total, isCompared = false }: Partial<FileProgress> & Pick<FileProgress, 'done' | 'total'>,
  step = '',
): void {
  const { rate, left } = bar.pace(done, total);
  const share = Math.floor((100 * done) / Math.max(total, 1));
  const what = isCompared ? ' compared with the part' : '';
  const records = `${step}${done.toLocaleString('en')} of ${total.toLocaleString('en')}${what}`;
  const line = `${share} %, ${left} left, ${records}, ${rate} a second`;
  bar.show(done, total, { records, rate, left }, line);
}

const LEAST_IN_MEGABYTES = 100_000;

interface ExportReport extends FileReport {
  readonly plan: ExportPlan;
  /** null: standard output. */
  readonly file: string | null;
  readonly seconds: number;
  /** Of the given ids: how many were not found, and the first of them; null: a query was given. */
  readonly missing: { readonly count: number; readonly ids: readonly string[] } | null;
}

const MAX_SHOWN_MISSING = 20;

/** Whether it has every match, except those known to be removed meanwhile. */
function isComplete({ count, withheld, total }: ExportReport): boolean {
  return count + withheld === total;
}

function asJson({ plan, file, seconds, missing, ...report }: ExportReport) {
  const { wish, query, under, fields } = plan;
  const { kind, order, format, compress, sample, names } = wish;
  const { matches, total, count, withheld, bytes, sha256, cutCells, resumedBehind, index } = report;
  return {
    ...{ kind, query, under, order_by: order, format, compress, fields, file },
    ...(sample === undefined ? {} : { sample: sample.size, seed: sample.seed }),
    ...(missing === null ? {} : { ids: names!.length, missing: missing.count, missing_ids: missing.ids }),
    ...{ matches, total, count, withheld, cut_cells: cutCells, resumed_behind: resumedBehind },
    ...(wish.since === undefined ? {} : { since: wish.since }),
    ...{ bytes, sha256, seconds: Number(seconds.toFixed(3)), index, arrival: report.arrival ?? null },
  };
}

/** Lines for people. The digest is in the format of `sha256sum --check`. */
function asLines(report: ExportReport): string {
  const { plan, file, total, count, withheld, cutCells, bytes, sha256, index, resumedBehind } = report;
  const isWhole = isComplete(report);
  const number = (n: number) => n.toLocaleString('en');
  const records = (n: number) => `${number(n)} ${plan.wish.kind}${n === 1 ? '' : 's'}`;
  const written = count === total ? records(count) : `${number(count)} of ${records(total)}`;
  if (report.wasThere && isWhole)
    return `\`${file}\` is complete already, by the same command: ${written}; \`--restart\` writes it again\n`;
  const lines = [
    `${written}, ${size(bytes)}, ${duration(report.seconds)}`,
    ...(resumedBehind === 0 ? [] : [`${number(resumedBehind)} of them were there from earlier runs`]),
    ...(withheld === 0 ? [] : [`${number(withheld)} were removed while the export ran, and left out`]),
    ...(cutCells === 0 ? [] : [`${number(cutCells)} cells were cut, because a cell holds 32,767 characters`]),
    ...missingLines(report),
    ...(isWhole ? [] : ['not every match is in it: run `check`, then export again']),
    file === null ? `SHA-256 ${sha256}` : `SHA256 (${file}) = ${sha256}`,
    ...(index === null ? [] : [`from the index ${index.fingerprint} of ${records(index.records)}`]),
  ];
  return lines.map((line) => `${line}\n`).join('');
}

function missingLines({ plan, missing }: ExportReport): string[] {
  if (missing === null || missing.count === 0) return [];
  const given = plan.wish.names!.length.toLocaleString('en');
  const listed = missing.ids.slice(0, MAX_SHOWN_MISSING);
  const more = missing.count > listed.length ? ', …' : '';
  return [`${missing.count.toLocaleString('en')} of ${given} ids are not here: ${listed.join(', ')}${more}`];
}

function size(bytes: number): string {
  const exact = `${bytes.toLocaleString('en')} ${bytes === 1 ? 'byte' : 'bytes'}`;
  return bytes < LEAST_IN_MEGABYTES ? exact : `${gigabytes(bytes)} (${exact})`;
}
