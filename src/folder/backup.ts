// A backup: a consistent copy of a data folder while others serve it, import into it and take records out.
//
// One loop of milliseconds fixes what is copied: the state of the removals is noted, the index is held (manifests copied,
// files opened), catalogue and accounts are copied, and the removals in the copy must be those that were noted; else all
// of it again. Otherwise a removal could be finished by its list and not yet done in the index. Then the files are copied,
// from what was opened. All of it stands in `DIR.part` until it is whole and synced.

import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmdirSync,
  rmSync,
  statfsSync,
  statSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { Accounts } from '../accounts/accounts.ts';
import { Catalogue } from '../catalogue/catalogue.ts';
import { StorageError, storageError, UsageError } from '../errors.ts';

/** What an engine holds of its index, to be copied. */
export interface HeldIndex extends Disposable {
  readonly files: number;
  readonly bytes: number;
  copy(options: { readonly onBytes: (bytes: number) => void; readonly signal: AbortSignal }): Promise<void>;
}

/** What the engine does for a backup. */
export interface BackupEngine {
  /** Copies what is small of the index of `folder` into `target` and holds the rest. */
  hold(folder: string, target: string): Promise<HeldIndex>;
  /** Takes the lock of a folder; rejects with a UsageError where another process has it. Disposing gives it back. */
  lock(folder: string): Promise<Disposable>;
}

export interface BackupProgress {
  readonly bytes: number;
  readonly totalBytes: number;
}

export interface BackupOptions {
  readonly onProgress?: (progress: BackupProgress) => void;
  readonly signal?: AbortSignal;
}

export interface BackupReport {
  readonly folder: string;
  /** Files of segments. */
  readonly files: number;
  /** Of all that was copied. */
  readonly bytes: number;
  readonly seconds: number;
}

const MAX_TRIES = 100;

/** Not there or empty: `target` is the whole backup when this resolves. Nothing is left of it where it rejects. */
export async function writeBackup(
  dataFolder: string,
  target: string,
  engine: BackupEngine,
  { onProgress = () => {}, signal = new AbortController().signal }: BackupOptions = {},
): Promise<BackupReport> {
  const started = performance.now();
  const folder = resolve(target);
  const part = `${folder}.part`;
  checkFolders(dataFolder, folder, part);
  const copied = await fillLocked(dataFolder, part, engine, onProgress, signal);
  for (const name of LOCK_FILES) rmSync(join(part, name), { force: true });
  sync(part);
  if (existsSync(folder)) rmdirSync(folder);
  renameSync(part, folder);
  sync(dirname(folder));
  return { folder, ...copied, seconds: (performance.now() - started) / 1000 };
}

/** What the lock of the folder that is being filled consists of. */
const LOCK_FILES = ['writer.lock', 'writer.pid'];

/** Makes `part` where it is not there yet. */
function checkFolders(dataFolder: string, folder: string, part: string): void {
  if (!DATABASES.some((name) => existsSync(join(dataFolder, name)))) {
    throw new UsageError(`expected a data folder at \`${dataFolder}\`, found nothing to back up there`);
  }
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

const DATABASES = ['posts.db', 'comments.db', 'catalogue.db', 'accounts.db'];

/** Another backup that fills the same folder keeps it. */
async function fillLocked(
  ...[dataFolder, part, engine, onProgress, signal]: Parameters<typeof fill>
): Promise<Pick<BackupReport, 'files' | 'bytes'>> {
  try {
    using _lock = await engine.lock(part);
    try {
      return await fill(dataFolder, part, engine, onProgress, signal);
    } catch (error) {
      rmSync(part, { recursive: true, force: true });
      throw error;
    }
  } catch (error) {
    throw storageError(error, part);
  }
}

async function fill(
  dataFolder: string,
  part: string,
  engine: BackupEngine,
  onProgress: (progress: BackupProgress) => void,
  signal: AbortSignal,
): Promise<Pick<BackupReport, 'files' | 'bytes'>> {
  using held = await holdAll(dataFolder, part, engine);
  checkSpace(part, held.bytes);
  let bytes = databaseBytes(part);
  const totalBytes = bytes + held.bytes;
  await held.copy({
    signal,
    onBytes: (more) => {
      bytes += more;
      onProgress({ bytes, totalBytes });
    },
  });
  signal.throwIfAborted();
  for (const name of readdirSync(part)) if (name.endsWith('.db')) sync(join(part, name));
  return { files: held.files, bytes };
}

/** All databases copied as they were at one moment, as far as removals are concerned. */
async function holdAll(dataFolder: string, part: string, engine: BackupEngine): Promise<HeldIndex> {
  await using catalogue = Catalogue.open(dataFolder);
  await using accounts = Accounts.open(dataFolder);
  for (let tries = 1; ; tries++) {
    for (const name of readdirSync(part)) {
      if (!LOCK_FILES.includes(name)) rmSync(join(part, name), { recursive: true });
    }
    const before = removalsIn(catalogue);
    const held = await engine.hold(dataFolder, part);
    try {
      await catalogue.copyTo(join(part, 'catalogue.db'));
      await accounts.copyTo(join(part, 'accounts.db'));
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

/** How far each removal is. */
function removalsIn({ removals }: Catalogue): string {
  const states = removals.all().map(({ id, state, erased }) => [id, state, erased]);
  return JSON.stringify([removals.version(), states]);
}

function databaseBytes(part: string): number {
  return DATABASES.reduce((sum, name) => {
    return sum + (statSync(join(part, name), { throwIfNoEntry: false })?.size ?? 0);
  }, 0);
}

function checkSpace(part: string, bytes: number): void {
  const { bavail, bsize } = statfsSync(part);
  if (bavail * bsize >= bytes) return;
  throw new StorageError(
    `expected ${bytes} free bytes for the backup at \`${part}\`, found ${bavail * bsize}: make room or name a folder on another disk`,
  );
}

/** A file, or the names in a folder. */
function sync(path: string): void {
  if (process.platform === 'win32' && statSync(path).isDirectory()) return;
  const file = openSync(path, 'r');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
