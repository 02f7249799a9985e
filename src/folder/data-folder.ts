// Checks the place of a data folder before anything is opened, so that a mistyped name creates nothing and nothing is
// written beside other people's files. Also watches the databases of a served folder that is only read: they are read
// as files that do not change, so the server must notice when they do.

import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../config.ts';
import { engineOf } from '../engines/engines.ts';
import { StorageError, UsageError } from '../errors.ts';
import { log } from '../log.ts';
import type { EngineModule } from '../model/engine-module.ts';
import type { Removal } from '../model/removals.ts';
import { hasLog } from '../sqlite/database.ts';

/** Files beside the index. Any of them, or any file of the engine, makes a folder a data folder. */
const CATALOGUE = 'catalogue.db';
const ACCOUNTS = 'accounts.db';
const DATABASES = [CATALOGUE, ACCOUNTS];

/** Permissions of group and others that are too wide: the group may read what its files allow. */
const OTHERS_OR_GROUP_WRITES = 0o027;

/** Names that a new file system or a file manager puts into an otherwise empty folder. */
const NOTHING = /^(?:lost\+found$|\.)/;

/** For commands that need existing data. Throws a UsageError if the folder does not exist or is not ours. */
export async function expectDataFolder(config: Config): Promise<void> {
  const { dataFolder } = config;
  const names = namesIn(dataFolder);
  const hint = '; `colloquy import FILE` makes one';
  if (names === null) throw new UsageError(`expected a data folder at \`${dataFolder}\`, found none${hint}`);
  if (!isOurs(names, await engineOf(config))) {
    const found =
      names.length === 0
        ? `an empty folder${hint}`
        : 'a folder that contains something else; choose another one with `--data`';
    throw new UsageError(`expected a data folder at \`${dataFolder}\`, found ${found}`);
  }
}

/** For callers that write, and may make the folder. Throws a UsageError if it contains something else. */
export async function expectPlaceForData(config: Config): Promise<void> {
  const { dataFolder } = config;
  const names = namesIn(dataFolder);
  if (names !== null) warnOfOwner(dataFolder);
  if (names === null || names.length === 0 || isOurs(names, await engineOf(config))) return;
  throw new UsageError(
    `expected a data folder, an empty one or none at \`${dataFolder}\`, ` +
      'found one that contains something else; choose another with `--data`',
  );
}

export function holdsData(folder: string, engine: EngineModule): boolean {
  const names = namesIn(folder);
  return names !== null && isOurs(names, engine);
}

export async function databasesOf(config: Config): Promise<readonly string[]> {
  const { files } = await engineOf(config);
  return [...files, ...DATABASES].map((name) => join(config.dataFolder, name));
}

/** The first import makes the catalogue at the latest: if only the index is there, what it knew is lost. */
export function hasCatalogue(folder: string): boolean {
  return existsSync(join(folder, CATALOGUE));
}

/** What to do if files of the index exist without the catalogue; null: they do not. */
export function lostCatalogue(folder: string, engine: EngineModule): string | null {
  return hasIndex(folder, engine) && !hasCatalogue(folder) ? lostWords('beside the index') : null;
}

/** The same for the accounts, whose database is made by whoever writes the index. */
export function lostAccounts(folder: string, engine: EngineModule): string | null {
  if (!hasIndex(folder, engine) || existsSync(join(folder, ACCOUNTS))) return null;
  return 'expected the accounts beside the index, found none: accounts, keys and saved searches are lost; put it back from a backup';
}

function hasIndex(folder: string, { files }: EngineModule): boolean {
  return files.some((name) => existsSync(join(folder, name)));
}

export function warnOfLostCatalogue(folder: string, engine: EngineModule): void {
  const words = lostCatalogue(folder, engine);
  if (words !== null) log.warn({ file: join(folder, CATALOGUE) }, words);
}

/** For a folder without catalogue, whose index is elsewhere and has records. */
export function warnOfNewCatalogue(folder: string, elsewhere: string): void {
  const words = lostWords(`of the records that are there already (${elsewhere})`);
  log.warn({ file: join(folder, CATALOGUE) }, words);
}

/** Whether others may look into the folder, or write to it; null: neither. */
export function opennessOf(folder: string): string | null {
  if (process.platform === 'win32') return null;
  const mode = statSync(folder).mode & 0o777;
  return (mode & OTHERS_OR_GROUP_WRITES) === 0 ? null : mode.toString(8);
}

/** Files belong to the user who makes them, and only that user may read them. */
function warnOfOwner(folder: string): void {
  if (process.getuid?.() !== 0) return;
  const { uid } = statSync(folder);
  if (uid === 0) return;
  log.warn(
    { folder },
    `expected the owner of the data folder (${uid}), found root: a server of that owner cannot read the new ` +
      `files; use \`sudo -u "#${uid}"\`, or chown them afterwards`,
  );
}

function lostWords(place: string): string {
  return (
    `expected the catalogue ${place}, found none: a new one knows of no removals; ` +
    'put it back, or restore a backup, before the next import'
  );
}

function isOurs(names: readonly string[], engine: EngineModule): boolean {
  return [...engine.files, ...DATABASES].some((name) => names.includes(name));
}

/** null: the folder does not exist. Throws a UsageError if it is not a folder or cannot be listed. */
function namesIn(folder: string): string[] | null {
  try {
    return readdirSync(folder).filter((name) => !NOTHING.test(name));
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return null;
    const found = code === 'ENOTDIR' ? 'a file' : message;
    throw new UsageError(`expected a data folder at \`${folder}\`, found ${found}`, { cause: error });
  }
}

const LOOK_EVERY_MS = 1_000;

/** Rejects when a database has changed; disposing ends it. */
export interface FolderWatch extends Disposable {
  readonly changed: Promise<never>;
}

/**
 * Begins before the folder is opened. Leaves out databases with commits in their write-ahead log: another process
 * writes them, and they are opened as changing (`connect` in sqlite/).
 */
export async function watchUnchanged(config: Config): Promise<FolderWatch> {
  const databases = await databasesOf(config);
  const before = new Map(databases.filter((file) => !hasLog(file)).map((file) => [file, stateOf(file)]));
  const { promise, reject } = Promise.withResolvers<never>();
  // Nobody may be waiting yet.
  promise.catch(() => undefined);
  const timer = setInterval(() => {
    for (const [file, state] of before) {
      if (!hasLog(file) && stateOf(file) === state) continue;
      clearInterval(timer);
      const hint = 'start the server again to serve what is there now';
      reject(new StorageError(`\`${file}\`: expected a file that nobody changes, found it changed; ${hint}`));
      return;
    }
  }, LOOK_EVERY_MS);
  return { changed: promise, [Symbol.dispose]: () => clearInterval(timer) };
}

function stateOf(file: string): string {
  const found = statSync(file, { throwIfNoEntry: false, bigint: true });
  return found === undefined ? 'none' : [found.ino, found.size, found.mtimeNs].join(' ');
}

/** Throws a UsageError if a removal must still be completed, which needs writing: its records would be shown. */
export function expectFinishedRemovals(dataFolder: string, removals: readonly Removal[]): void {
  const left = removals.find(({ state }) => state !== 'done' && state !== 'undone');
  if (left === undefined) return;
  throw new UsageError(
    `data folder \`${dataFolder}\`: expected removals that are complete, found that removal ${left.id} is not; ` +
      'serve it once where it can be written, which completes it',
  );
}
