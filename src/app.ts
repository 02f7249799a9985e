// The composition root: opens what a command needs and puts it together. What only some commands need is loaded when
// they ask for it: a module takes about a millisecond, and most commands ask one question.

import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { Accounts } from './accounts/accounts.ts';
import { Catalogue } from './catalogue/catalogue.ts';
import { type Config, programVersion } from './config.ts';
import { ENGINES, engineOf } from './engines/engines.ts';
import {
  expectDataFolder,
  expectFinishedRemovals,
  expectPlaceForData,
  hasCatalogue,
  warnOfLostCatalogue,
  warnOfNewCatalogue,
} from './folder/data-folder.ts';
import { openSample, sampleUntilFilled } from './folder/sample.ts';
import { blankRejects } from './ingest/rejects-file.ts';
import { deleteLeftSpools } from './ingest/sources/spool.ts';
import type { SearchEngine } from './model/engine.ts';
import { EngineUnavailable } from './model/engine-errors.ts';
import { KEPT_AFTER_HIDING } from './model/removals.ts';
import type { Archive, OnRemoval } from './operation/operation.ts';
import { type RemovalProgress, Remover } from './removals/remover.ts';
import { RECORD_PRINTER } from './search/presenter.ts';
import { SearchService } from './search/search-service.ts';

export interface App extends Archive, AsyncDisposable {
  /** `reached`: what removals reach in features. */
  remover(reached: readonly OnRemoval[], onProgress?: (progress: RemovalProgress) => void): Remover;
  /** Whether the index is in no file of the folder: the engine may be out of reach then. */
  readonly isElsewhere: boolean;
}

export interface AppOptions {
  /**
   * Open too where the engine is out of reach at the moment: its calls say so then, until it is there. Absent: an
   * EngineUnavailable is thrown.
   */
  readonly orUnavailable?: boolean;
  /** Threads that answer questions besides those of the setting, and help none of these. Absent: none. */
  readonly spareThreads?: number;
  /** It serves: threads are worth their start, however small the index is. Absent: false. */
  readonly isLasting?: boolean;
  /** Answer from the invented sample while nothing has been imported. */
  readonly sample?: boolean;
  /** Change a folder that exists: make none. */
  readonly toChange?: boolean;
  /** Only read: make and change nothing, and answer from the sample only if it has been made before. */
  readonly toRead?: boolean;
  /**
   * With `toRead`: write nothing to the folder, not even where it could be written and something is of an older
   * format. Throws a UsageError where a removal was left unfinished.
   */
  readonly isReadOnly?: boolean;
  /**
   * First complete removals that a process left when it died, and erase texts that are due. For imports; a server does
   * this while it answers (`Remover.maintain`), and short commands that only read leave it to them.
   */
  readonly catchUpWithRemovals?: readonly OnRemoval[];
}

/**
 * Opens the data folder; makes it if it does not exist, unless only reading or changing. Throws a UsageError if it
 * should exist and does not, or if it contains something else.
 */
export async function openApp(config: Config, options: AppOptions = {}): Promise<App> {
  await using opened = new AsyncDisposableStack();
  const { toRead = false, toChange = false, isReadOnly = false } = options;
  if (toRead || toChange) await expectDataFolder(config);
  if (!toRead) await expectPlaceForData(config);
  const chosen = await engineOf(config);
  warnOfLostCatalogue(config.dataFolder, chosen);
  const hadCatalogue = hasCatalogue(config.dataFolder);
  const [catalogue, accounts] = toRead
    ? [
        opened.use(Catalogue.openToRead(config.dataFolder, isReadOnly)),
        opened.use(Accounts.openToRead(config.dataFolder, isReadOnly)),
      ]
    : [opened.use(Catalogue.open(config.dataFolder)), opened.use(Accounts.open(config.dataFolder))];
  if (isReadOnly) expectFinishedRemovals(config.dataFolder, catalogue.removals.all());
  const rules = { keepOriginals: catalogue.keepsOriginals() };
  const own = {
    ...{ rules, isReadOnly, memoryBytes: config.memory, printer: RECORD_PRINTER },
    ...{ workers: config.threads, spareWorkers: options.spareThreads ?? 0 },
    isBrief: options.isLasting !== true,
  };
  const ofFolder = {
    removals: catalogue.removals,
    identity: toRead ? catalogue.knownIdentity() : catalogue.identity(),
  };
  const real = opened.use(await chosen.open(config.dataFolder, { ...own, ...ofFolder }));
  const remover: App['remover'] = (reached, onProgress) => {
    const copies = reached.map((onRemoval) => onRemoval({ config, catalogue }));
    const beside = { copies, eraseBeside: () => eraseBeside(config) };
    return new Remover({ engine: real, log: catalogue.removals, ...beside }, onProgress);
  };
  const { catchUpWithRemovals: reached } = options;
  if (reached !== undefined) await remover(reached).catchUp(KEPT_AFTER_HIDING);
  const sampleFolder = join(config.dataFolder, '.sample');
  let engine = real;
  let isSample = () => false;
  const isEmpty = await isEmptyNow(real, options);
  if (isEmpty === false) {
    const { elsewhere } = chosen;
    if (!hadCatalogue && elsewhere !== undefined) warnOfNewCatalogue(config.dataFolder, elsewhere);
    if (!toRead) rmSync(sampleFolder, { recursive: true, force: true });
  } else if (isEmpty === true && options.sample === true) {
    const { open: openEmbedded } = await ENGINES.embedded(config);
    const open = (folder: string) => openEmbedded(folder, own);
    const sample = await openSample(sampleFolder, open, toRead);
    if (sample !== null) {
      const either = await sampleUntilFilled(real, opened.use(sample));
      engine = either;
      isSample = either.isSample;
    }
  }
  const search = new SearchService(engine, catalogue, config);
  const owned = opened.move();
  return {
    version: programVersion().colloquy,
    config,
    engine,
    catalogue,
    accounts,
    search,
    remover,
    isElsewhere: chosen.elsewhere !== undefined,
    isSample,
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** Null: the engine is out of reach, and that is allowed. */
async function isEmptyNow(engine: SearchEngine, { orUnavailable }: AppOptions): Promise<boolean | null> {
  try {
    return await engine.isEmpty();
  } catch (error) {
    if (orUnavailable === true && error instanceof EngineUnavailable) return null;
    throw error;
  }
}

/** Erases texts that are left beside the index: in lists of rejected lines, and in spooled standard input. */
function eraseBeside(config: Config): void {
  blankRejects(rejectsFolder(config));
  deleteLeftSpools();
}

export function rejectsFolder({ dataFolder }: Config): string {
  return join(dataFolder, 'rejects');
}
