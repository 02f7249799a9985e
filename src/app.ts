// The composition root: opens what a command needs and puts it together. The only code that names a concrete engine.

import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Accounts } from './accounts/accounts.ts';
import { Catalogue } from './catalogue/catalogue.ts';
import type { Config } from './config.ts';
import { IndexSnapshot } from './engines/embedded/backup.ts';
import { type CheckReport, checkIndex } from './engines/embedded/check.ts';
import { openEmbeddedEngine } from './engines/embedded/engine.ts';
import { WriterLock } from './engines/embedded/writing/writer-lock.ts';
import { type BackupOptions, type BackupReport, writeBackup } from './folder/backup.ts';
import { expectDataFolder, expectPlaceForData } from './folder/data-folder.ts';
import { hasRecords, openMadeSample, openSample, sampleUntilFilled } from './folder/sample.ts';
import { blankRejects } from './ingest/blank-rejects.ts';
import { deleteLeftSpools } from './ingest/sources/spool.ts';
import { log } from './log.ts';
import type { SearchEngine } from './model/engine.ts';
import { KEPT_AFTER_HIDING } from './model/removals.ts';
import { type RemovalProgress, Remover } from './removals/remover.ts';
import { SearchService } from './search/search-service.ts';

/** What `COLLOQUY_ENGINE` chooses from: how each opens the index of a folder. */
const ENGINES: Readonly<Record<Config['engine'], typeof openEmbeddedEngine>> = {
  embedded: openEmbeddedEngine,
};

export interface App extends AsyncDisposable {
  readonly config: Config;
  readonly engine: SearchEngine;
  readonly catalogue: Catalogue;
  readonly accounts: Accounts;
  readonly search: SearchService;
  remover(onProgress?: (progress: RemovalProgress) => void): Remover;
  /** True while answers come from the invented sample, because nothing has been imported. */
  isSample(): boolean;
}

export interface AppOptions {
  /** Answer from the invented sample while nothing has been imported. */
  readonly sample?: boolean;
  /** Only read: nothing is made or changed, and the sample is answered from only where it was made before. */
  readonly toRead?: boolean;
  /**
   * First bring removals to their end that a process left behind when it died, and erase the texts that are due. For
   * imports; a server does it beside its answers (`Remover.maintain`), and what only reads and ends soon leaves it to them.
   */
  readonly catchUpWithRemovals?: boolean;
}

/**
 * Opens the data folder, made where there is none but to read. Throws a UsageError where it is not there to be read, or
 * holds something else.
 */
export async function openApp(config: Config, options: AppOptions = {}): Promise<App> {
  await using opened = new AsyncDisposableStack();
  const toRead = options.toRead === true;
  if (toRead) expectDataFolder(config.dataFolder);
  else expectPlaceForData(config.dataFolder);
  warnOfLostCatalogue(config);
  const [catalogue, accounts] = toRead
    ? [
        opened.use(Catalogue.openToRead(config.dataFolder)),
        opened.use(Accounts.openToRead(config.dataFolder)),
      ]
    : [opened.use(Catalogue.open(config.dataFolder)), opened.use(Accounts.open(config.dataFolder))];
  const rules = { keepOriginals: catalogue.keepsOriginals() };
  const own = { rules, workers: config.threads };
  const openEngine = ENGINES[config.engine];
  const open = (folder: string) => openEngine(folder, own);
  const real = opened.use(await openEngine(config.dataFolder, { ...own, removals: catalogue.removals }));
  const remover = (onProgress?: (progress: RemovalProgress) => void) =>
    new Remover(
      { log: catalogue.removals, engine: real, eraseBeside: () => eraseBeside(config) },
      onProgress,
    );
  if (options.catchUpWithRemovals === true) await remover().catchUp(KEPT_AFTER_HIDING);
  const sampleFolder = join(config.dataFolder, '.sample');
  let engine = real;
  let isSample = () => false;
  if (await hasRecords(real)) {
    if (!toRead) rmSync(sampleFolder, { recursive: true, force: true });
  } else if (options.sample === true) {
    const sample = toRead ? await openMadeSample(sampleFolder, open) : await openSample(sampleFolder, open);
    if (sample !== null) {
      const either = await sampleUntilFilled(real, opened.use(sample));
      engine = either;
      isSample = () => either.isSample;
    }
  }
  const search = new SearchService(engine, catalogue, config);
  const owned = opened.move();
  return {
    config,
    engine,
    catalogue,
    accounts,
    search,
    remover,
    isSample,
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** It is made with the first import at the latest: where the index stands alone, what only the catalogue knew is gone. */
function warnOfLostCatalogue({ dataFolder }: Config): void {
  const has = (name: string) => existsSync(join(dataFolder, name));
  if (has('catalogue.db') || !(has('posts.db') || has('comments.db'))) return;
  log.warn(
    { file: join(dataFolder, 'catalogue.db') },
    'expected the catalogue beside the index, found none: a new one knows of no removals; put it back, or restore a backup, before the next import',
  );
}

/** Takes texts out of what imports left beside the index: lists of rejected lines, spooled standard input. */
function eraseBeside(config: Config): void {
  blankRejects(rejectsFolder(config));
  deleteLeftSpools();
}

/** Where imports list the lines that they reject. */
export function rejectsFolder({ dataFolder }: Config): string {
  return join(dataFolder, 'rejects');
}

/** Reads a data folder back as a whole; `progress` is told the name of each segment before it is compared. */
export async function checkFolder(config: Config, progress: (segment: string) => void): Promise<CheckReport> {
  expectDataFolder(config.dataFolder);
  const report = await checkIndex(config.dataFolder, progress);
  const problems = [
    ...(await databaseProblems(config.dataFolder, 'catalogue.db', Catalogue.openToRead)),
    ...(await databaseProblems(config.dataFolder, 'accounts.db', Accounts.openToRead)),
  ];
  return { ...report, problems: [...report.problems, ...problems] };
}

/** What is wrong with a database beside the index; one that is not there is not made. */
async function databaseProblems(
  dataFolder: string,
  name: string,
  open: (dataFolder: string) => AsyncDisposable & { problems(): string[] },
): Promise<string[]> {
  if (!existsSync(join(dataFolder, name))) return [];
  try {
    await using database = open(dataFolder);
    return database.problems().map((line) => `${name}: ${line}`);
  } catch (error) {
    return [`${name}: ${(error as Error).message}`];
  }
}

/** A consistent copy of the data folder as a new folder, beside whoever serves, imports or removes. See `writeBackup`. */
export function backupFolder(config: Config, target: string, options: BackupOptions): Promise<BackupReport> {
  return writeBackup(config.dataFolder, target, { hold: IndexSnapshot.take, lock: lockFolder }, options);
}

async function lockFolder(folder: string): Promise<Disposable> {
  const lock = new WriterLock(folder);
  await lock.take();
  return { [Symbol.dispose]: () => lock.release() };
}
