// Stands between our code and the file system, for tests that kill, fail and lose power: every call of node:fs that
// concerns the folders under test is told of before and after. Our modules import named functions of node:fs; replacing
// them on the module and syncing its exports reaches those too, so that production code needs no hook.

import fs from 'node:fs';
import promises from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { resolve, sep } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

export interface FileCall {
  /** As in node:fs; those of node:fs/promises begin with `promises.`. */
  readonly name: string;
  /** Absolute; of the open file where a descriptor was given. */
  readonly path: string;
  /** Where to: of renames, copies and links. */
  readonly target: string | null;
  readonly args: readonly unknown[];
}

export interface FileWatcher {
  /** What it throws is what the call throws; arguments that it returns are used in place of the caller's. */
  before?(call: FileCall): readonly unknown[] | undefined;
  after?(call: FileCall, result: unknown): void;
}

const SYNC =
  `open close read readv write writev fsync fdatasync fstat ftruncate truncate readFile writeFile appendFile
  rename rm unlink mkdir rmdir readdir stat lstat chmod copyFile link mkdtemp cp utimes access realpath opendir`
    .split(/\s+/)
    .map((name) => `${name}Sync`);
/** With a callback: what streams use. */
const CALLBACK = ['open', 'close', 'read', 'write', 'writev', 'fsync', 'fstat', 'stat'];
const PROMISED = [
  ...['open', 'mkdtemp', 'rm', 'stat', 'mkdir', 'readdir', 'readFile', 'writeFile', 'rename', 'unlink'],
  ...['copyFile', 'cp', 'link', 'lstat', 'access', 'chmod'],
];
const WITH_TARGET = /^(promises\.)?(rename|copyFile|link|cp)(Sync)?$/;

type Callable = (...args: unknown[]) => unknown;
type Module = Record<string, Callable>;

export interface Watch extends Disposable {
  /** Paths of what is open at the moment. */
  openPaths(): readonly string[];
}

/** Until the end of the scope. Calls inside of another one (`writeFileSync` opens) are not told of. One at a time. */
export function watchFileCalls(folders: readonly string[], watcher: FileWatcher): Watch {
  const files = new OpenFiles(folders.map((folder) => resolve(folder)));
  const originals: [Module, string, Callable][] = [];
  const replace = (module: unknown, name: string, wrap: (original: Callable) => Callable) => {
    const original = (module as Module)[name]!;
    originals.push([module as Module, name, original]);
    (module as Module)[name] = wrap(original);
  };
  let depth = 0;
  for (const name of SYNC) {
    replace(fs, name, (original) => (...args) => {
      const call = depth > 0 ? null : files.callOf(name, args);
      if (call === null) return original(...args);
      depth++;
      try {
        const result = original(...(watcher.before?.(call) ?? args));
        files.follow(call, result);
        watcher.after?.(call, result);
        return result;
      } finally {
        depth--;
      }
    });
  }
  for (const name of CALLBACK) replace(fs, name, (original) => withCallback(name, original, files, watcher));
  for (const name of PROMISED) {
    replace(promises, name, (original) => async (...args) => {
      const call = files.callOf(`promises.${name}`, args);
      if (call === null) return await original(...args);
      const result = await original(...(watcher.before?.(call) ?? args));
      watcher.after?.(call, result);
      return result;
    });
  }
  syncBuiltinESMExports();
  return {
    openPaths: () => files.paths(),
    [Symbol.dispose]() {
      for (const [module, name, original] of originals) module[name] = original;
      syncBuiltinESMExports();
    },
  };
}

function withCallback(name: string, original: Callable, files: OpenFiles, watcher: FileWatcher): Callable {
  return (...args) => {
    const call = files.callOf(name, args);
    const done = args.at(-1);
    if (call === null || typeof done !== 'function') return original(...args);
    try {
      const given = watcher.before?.(call) ?? args;
      return original(...given.slice(0, -1), (error: unknown, ...results: unknown[]) => {
        if (error === null || error === undefined) {
          files.follow(call, results[0]);
          watcher.after?.(call, results[0]);
        }
        (done as Callable)(error, ...results);
      });
    } catch (error) {
      process.nextTick(() => (done as Callable)(error));
      return undefined;
    }
  };
}

/** Which descriptors belong to the folders under test. */
class OpenFiles {
  readonly #folders: readonly string[];
  readonly #paths = new Map<number, string>();

  constructor(folders: readonly string[]) {
    this.#folders = folders;
  }

  /** null: none of our business. */
  callOf(name: string, args: readonly unknown[]): FileCall | null {
    const [first, second] = args;
    const path = typeof first === 'number' ? this.#paths.get(first) : this.#ours(first);
    if (path === undefined) return null;
    // Gone even where closing fails.
    if (name === 'closeSync' || name === 'close') this.#paths.delete(first as number);
    const target = WITH_TARGET.test(name) && typeof second === 'string' ? resolve(second) : null;
    return { name, path, target, args };
  }

  paths(): readonly string[] {
    return [...this.#paths.values()];
  }

  follow({ name, path }: FileCall, result: unknown): void {
    if (name === 'openSync' || name === 'open') this.#paths.set(result as number, path);
  }

  #ours(path: unknown): string | undefined {
    if (typeof path !== 'string') return undefined;
    const absolute = resolve(path);
    const isOurs = this.#folders.some((folder) => absolute === folder || absolute.startsWith(folder + sep));
    return isOurs ? absolute : undefined;
  }
}

interface CommitWatcher {
  before?(sql: string, file: string): void;
  after?(sql: string, file: string): void;
}

/**
 * The same for SQLite, in this thread: what is executed as a statement of its own (BEGIN, COMMIT, PRAGMA) is told of
 * before and after. What SQLite itself does with its files cannot be seen from here.
 */
export function watchCommits(watcher: CommitWatcher): Disposable {
  const prototype = DatabaseSync.prototype;
  const original = prototype.exec;
  prototype.exec = function exec(this: DatabaseSync, sql: string): void {
    const file = this.location() ?? '';
    watcher.before?.(sql, file);
    original.call(this, sql);
    watcher.after?.(sql, file);
  };
  return {
    [Symbol.dispose]() {
      prototype.exec = original;
    },
  };
}
