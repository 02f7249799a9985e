// A data folder that is served and not written to: its databases are read as files that do not change, so who
// serves it has to learn when they do. Nothing is written, so nothing coordinates with a process that writes.

import { statSync } from 'node:fs';
import type { Config } from '../config.ts';
import { StorageError, UsageError } from '../errors.ts';
import type { Removal } from '../model/removals.ts';
import { hasLog } from '../sqlite/open.ts';
import { databasesOf } from './data-folder.ts';

const LOOK_EVERY_MS = 1_000;

/** Rejects when a database was changed; disposing ends the looks. */
export interface FolderWatch extends Disposable {
  readonly changed: Promise<never>;
}

/**
 * Begins before the folder is opened. A database with commits in its write-ahead log is left out: another
 * process writes it or has done so, and it is opened as one that changes (`connect` in sqlite/).
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

/** Throws a UsageError where a removal waits to be completed, which writes: its records would be shown. */
export function expectFinishedRemovals(dataFolder: string, removals: readonly Removal[]): void {
  const left = removals.find(({ state }) => state !== 'done' && state !== 'undone');
  if (left === undefined) return;
  throw new UsageError(
    `data folder \`${dataFolder}\`: expected removals that are complete, found that removal ${left.id} is not; ` +
      'serve it once where it can be written, which completes it',
  );
}
