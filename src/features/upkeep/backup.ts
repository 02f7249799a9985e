// `colloquy backup`: a consistent copy of a data folder, while others serve it, import into it and remove records. A
// loop of some milliseconds takes the snapshot: it notes the removals, holds the index (copies manifests, opens files)
// and copies catalogue and accounts. If the copied removals differ from those noted, it starts again; otherwise a
// removal could be finished in the list but not in the held index. Then it copies the open files. Everything stays in
// `DIR.part` until it is complete and synced. `colloquy check` reads the whole index through its engine, and checks the
// databases beside it.

import {
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmdirSync,
  rmSync,
  statfsSync,
  statSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { Command } from 'commander';
import { Accounts } from '../../accounts/accounts.ts';
import { Catalogue } from '../../catalogue/catalogue.ts';
import { commandLine, onStopSignal } from '../../cli/command-line.ts';
import { type FeatureEntry, type KeptFiles, loadFeatures } from '../../cli/feature.ts';
import { printJson } from '../../cli/listing.ts';
import { type CommonFlags, configWith, dataOption } from '../../cli/options.ts';
import { duration, gigabytes, ProgressBar } from '../../cli/progress.ts';
import { engineOf } from '../../engines/engines.ts';
import { StorageError, storageError, UsageError, wordsOf } from '../../errors.ts';
import { expectDataFolder, holdsData, lostAccounts, lostCatalogue } from '../../folder/data-folder.ts';
import { counted } from '../../http/views/format.ts';
import type { CheckOptions, CheckReport, EngineModule, HeldIndex } from '../../model/engine-module.ts';
import {
  copyDatabase,
  integrityProblems,
  syncFile,
  syncFolder,
  type TableHome,
  tryToLock,
} from '../../sqlite/database.ts';

export async function backupCommand(features: readonly FeatureEntry[]): Promise<Command> {
  const kept = await keptFilesOf(features);
  const command = new Command('backup')
    .description('make a consistent copy of the data folder, even while a server or an import uses it')
    .argument('<folder>', 'the folder for the copy; it must be empty or not exist yet');
  for (const { name, option } of kept) command.option(`--with-${name}`, option);
  return command
    .option('--json', 'as JSON: folder, files, bytes, seconds; elsewhere, if the index is not in the folder')
    .addOption(dataOption())
    .addHelpText(
      'after',
      `
The copy is a data folder. Example:
  colloquy backup /backups/monday --data /srv/colloquy
  colloquy serve --data /backups/monday`,
    )
    .action(async (folder: string, flags: CommonFlags & Readonly<Record<string, unknown>>) => {
      using stop = onStopSignal();
      using bar = new ProgressBar('{bar} {percentage}% | {done} of {all}, {rate} a second | {left} left');
      try {
        const config = configWith(flags);
        const report = await writeBackup(await engineOf(config), config.dataFolder, folder, {
          signal: stop.signal,
          kept: kept.map((files) => ({ files, isWanted: flags[optionOf(files)] === true })),
          onProgress: (progress) => show(bar, progress),
        });
        bar[Symbol.dispose]();
        const { taken, ...rest } = report;
        if (flags.json) printJson({ ...rest, ...taken });
        else process.stdout.write(`${report.folder}: ${contentOf(report, kept)}\n`);
        if (report.elsewhere !== undefined) {
          process.stderr.write(`The index is not in it: it is ${report.elsewhere}\n`);
          return;
        }
        process.stderr.write(`Next: ${commandLine(['check'], resolve(folder))}\n`);
      } catch (error) {
        if (!stop.signal.aborted) throw error;
        process.stderr.write('stopped: no part of the backup was kept\n');
        process.exitCode = 1;
      }
    });
}

async function keptFilesOf(entries: readonly FeatureEntry[]): Promise<readonly KeptFiles[]> {
  const kept = await Promise.all((await loadFeatures(entries)).map(({ files }) => files?.()));
  return kept.filter((files) => files !== undefined);
}

function optionOf({ name }: KeptFiles): string {
  return `with${name[0]!.toUpperCase()}${name.slice(1)}`;
}

function show(bar: ProgressBar, { bytes, totalBytes }: BackupProgress): void {
  const words = {
    done: gigabytes(bytes),
    all: gigabytes(totalBytes),
    rate: gigabytes(bytes / bar.seconds),
    left: duration(bar.secondsLeft(bytes, totalBytes)),
  };
  const line = `${words.done} of ${words.all}, ${words.rate} a second, ${words.left} left`;
  bar.show(bytes, totalBytes, words, line);
}

function contentOf({ bytes, files, elsewhere, taken }: BackupReport, kept: readonly KeptFiles[]): string {
  const more = kept
    .filter(({ name }) => (taken[name] ?? 0) > 0)
    .map(({ name, words }) => ` and ${counted(taken[name]!, ...words)}`)
    .join('');
  if (elsewhere !== undefined) return `${gigabytes(bytes)}, the databases${more === '' ? ' alone' : more}`;
  return `${gigabytes(bytes)} in ${counted(files, 'file')} of the index, and the databases${more}`;
}

interface BackupProgress {
  readonly bytes: number;
  readonly totalBytes: number;
}

interface BackupOptions {
  readonly onProgress?: (progress: BackupProgress) => void;
  readonly signal?: AbortSignal;
  readonly kept: readonly { readonly files: KeptFiles; readonly isWanted: boolean }[];
}

type BackupReport = Awaited<ReturnType<typeof writeBackup>>;

const MAX_TRIES = 100;

/**
 * `elsewhere`: the place of an index that was not copied (EngineModule.elsewhere); absent: it was copied. `taken`:
 * copied files of features: KeptFiles.name → their number.
 *
 * `target` must be empty or not exist; it is the whole backup once this resolves, and nothing of it is left if this
 * rejects. Does not copy an external index. Throws a UsageError if the engine cannot copy its index.
 */
export async function writeBackup(
  engine: EngineModule,
  dataFolder: string,
  target: string,
  options: BackupOptions,
) {
  const started = performance.now();
  const folder = resolve(target);
  const part = `${folder}.part`;
  const snapshot = snapshotOf(engine);
  if (!holdsData(dataFolder, engine)) {
    throw new UsageError(`expected a data folder at \`${dataFolder}\`, found nothing to back up there`);
  }
  makePart(dataFolder, folder, part);
  const copied = await fillLocked(dataFolder, part, snapshot, options);
  rmSync(join(part, LOCK_FILE), { force: true });
  syncFolder(part);
  if (existsSync(folder)) rmdirSync(folder);
  renameSync(part, folder);
  syncFolder(dirname(folder));
  const seconds = (performance.now() - started) / 1000;
  return {
    folder,
    ...copied,
    seconds,
    ...(engine.elsewhere !== undefined && { elsewhere: engine.elsewhere }),
  };
}

const LOCK_FILE = 'backup.lock';

type Snapshot = NonNullable<EngineModule['snapshot']>;

function snapshotOf({ name, snapshot, elsewhere }: EngineModule): Snapshot {
  if (snapshot !== undefined) return snapshot;
  if (elsewhere !== undefined) return async () => NOTHING;
  throw new UsageError(`expected an engine that can copy its index, found \`${name}\`, which cannot`);
}

const NOTHING: HeldIndex = { files: 0, bytes: 0, copy: async () => {}, [Symbol.dispose]: () => {} };

function makePart(dataFolder: string, folder: string, part: string): void {
  try {
    if (existsSync(folder) && readdirSync(folder).length > 0) {
      throw new UsageError(
        `expected a folder that is empty or does not exist yet, found \`${folder}\` with files in it`,
      );
    }
    mkdirSync(part, { recursive: true, mode: statSync(dataFolder).mode & 0o777 });
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(`expected a folder that can be written to, found: ${(error as Error).message}`, {
      cause: error,
    });
  }
}

/** Leaves the folder alone if another backup is filling it. */
async function fillLocked(...[dataFolder, part, snapshot, options]: Parameters<typeof fill>) {
  try {
    using lock = tryToLock(join(part, LOCK_FILE));
    if (lock === null) {
      throw new UsageError(
        `expected to fill \`${part}\` alone, found another backup at work there: ` +
          'wait until it has ended, or stop it, and repeat the command',
      );
    }
    try {
      return await fill(dataFolder, part, snapshot, options);
    } catch (error) {
      rmSync(part, { recursive: true, force: true });
      throw error;
    }
  } catch (error) {
    throw storageError(error, part);
  }
}

async function fill(dataFolder: string, part: string, snapshot: Snapshot, options: BackupOptions) {
  const { onProgress = () => {}, signal = new AbortController().signal, kept } = options;
  using held = await holdAll(dataFolder, part, snapshot);
  const copied = filesIn(part);
  const taken: Record<string, number> = {};
  let bytes = copied.reduce((sum, file) => sum + statSync(file).size, 0);
  {
    await using copy = Catalogue.open(part);
    const all = kept.map((one) => ({ ...one, own: one.files.in({ dataFolder, part, copy }) }));
    const ofFeatures = all.reduce((sum, { own, isWanted }) => sum + (isWanted ? own.bytes() : 0), 0);
    checkSpace(part, held.bytes + ofFeatures);
    const totalBytes = bytes + held.bytes + ofFeatures;
    const onBytes = (more: number) => {
      bytes += more;
      onProgress({ bytes, totalBytes });
    };
    // First, because these files are not held and may be deleted at any moment.
    for (const { files, own, isWanted } of all) {
      if (isWanted) taken[files.name] = await own.copy({ signal, onBytes });
      else own.leaveOut();
    }
    await held.copy({ signal, onBytes });
  }
  signal.throwIfAborted();
  for (const file of copied) syncFile(file);
  return { files: held.files, bytes, taken };
}

/** Holds the index and copies the databases, all in the same state of removals. */
async function holdAll(dataFolder: string, part: string, snapshot: Snapshot): Promise<HeldIndex> {
  await using catalogue = Catalogue.open(dataFolder);
  await using accounts = Accounts.open(dataFolder);
  for (let tries = 1; ; tries++) {
    for (const name of readdirSync(part)) {
      if (name !== LOCK_FILE) rmSync(join(part, name), { recursive: true });
    }
    const before = removalsIn(catalogue);
    const held = await snapshot(dataFolder, part);
    try {
      await copyDatabase(catalogue.database, join(part, 'catalogue.db'));
      await copyDatabase(accounts.database, join(part, 'accounts.db'));
      await using copy = Catalogue.open(part);
      if (removalsIn(copy) === before) return held;
      if (tries === MAX_TRIES) {
        throw new StorageError(
          'expected a moment without a removal, found none: try again when they are done',
        );
      }
    } catch (error) {
      held[Symbol.dispose]();
      throw error;
    }
    held[Symbol.dispose]();
  }
}

function removalsIn({ removals }: Catalogue): string {
  const states = removals.all().map(({ id, state, erased }) => [id, state, erased]);
  return JSON.stringify([removals.version(), states]);
}

function filesIn(part: string): string[] {
  const entries = readdirSync(part, { withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile() && entry.name !== LOCK_FILE)
    .map(({ name }) => join(part, name));
}

function checkSpace(part: string, bytes: number): void {
  const { bavail, bsize } = statfsSync(part);
  if (bavail * bsize >= bytes) return;
  throw new StorageError(
    `expected ${bytes} free bytes for the backup at \`${part}\`, found ${bavail * bsize}: ` +
      'free some space or name a folder on another disk',
  );
}

export function checkCommand(): Command {
  return new Command('check')
    .description('read and verify everything: checksums, counts, order, posting lists against records')
    .option('--json', 'as JSON: segments, records, problems')
    .addOption(dataOption())
    .addHelpText(
      'after',
      '\nYou can run it while a server or an import is running. Example:\n  colloquy check --data /srv/colloquy',
    )
    .action(async (flags: CommonFlags) => {
      const config = configWith(flags);
      await expectDataFolder(config);
      const report = await checkFolder(await engineOf(config), config.dataFolder, {
        progress: (segment) => process.stderr.write(`reading ${segment}\n`),
      });
      if (flags.json) printJson(report);
      else {
        for (const problem of report.problems) process.stdout.write(`${problem}\n`);
        const verdict = report.problems.length === 0 ? 'no problems' : `${report.problems.length} problems`;
        const found = `${counted(report.records, 'record')} in ${counted(report.segments, 'segment')}`;
        process.stdout.write(`${found}: ${verdict}\n`);
      }
      if (report.problems.length === 0) return;
      process.stderr.write('Next: import the dumps again into a new folder (--data), or restore a backup\n');
      process.exitCode = 1;
    });
}

export async function checkFolder(
  engine: EngineModule,
  folder: string,
  options: CheckOptions = {},
): Promise<CheckReport> {
  if (engine.check === undefined) {
    throw new UsageError(
      `expected an engine that can read its index back, found \`${engine.name}\`, which cannot`,
    );
  }
  const report = await engine.check(folder, options);
  const lost = { 'catalogue.db': lostCatalogue(folder, engine), 'accounts.db': lostAccounts(folder, engine) };
  const problems = [
    ...Object.entries(lost).flatMap(([name, words]) => (words === null ? [] : [`${name}: ${words}`])),
    ...(await databaseProblems(folder, 'catalogue.db', Catalogue.openToRead)),
    ...(await databaseProblems(folder, 'accounts.db', Accounts.openToRead)),
  ];
  return { ...report, problems: [...report.problems, ...problems] };
}

/** The problems of a database beside the index. Does not create a missing one. */
async function databaseProblems(
  folder: string,
  name: string,
  open: (folder: string) => AsyncDisposable & TableHome,
): Promise<string[]> {
  if (!existsSync(join(folder, name))) return [];
  try {
    await using home = open(folder);
    return integrityProblems(home.database).map((line) => `${name}: ${line}`);
  } catch (error) {
    return [`${name}: ${wordsOf(error)}`];
  }
}
