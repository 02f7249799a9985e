// Who may write a file: one process at a time, by a lock beside it that the system releases when the
// process dies.

import { existsSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { storageError, UsageError } from '../../errors.ts';
import { tryToLock } from '../../sqlite/lock.ts';

/**
 * Until it is disposed of. Throws a UsageError where another process writes the file, where it cannot be
 * one, and where there is no folder for it.
 */
export function lockOut(path: string): Disposable {
  expectPlace(path);
  const file = `${path}.lock`;
  let lock: Disposable | null;
  try {
    lock = tryToLock(file);
  } catch (error) {
    throw storageError(error, file);
  }
  // One that has just ended may have taken the file away under this one.
  if (lock === null || !existsSync(file)) {
    lock?.[Symbol.dispose]();
    throw new UsageError(
      `expected to be alone in writing \`${path}\`, found another process that writes it; ` +
        'let it end, or choose another name',
    );
  }
  return { [Symbol.dispose]: () => release(file, lock) };
}

/** Taken away before it is released, so that nobody holds a lock on a file without a name; Windows refuses that. */
function release(file: string, lock: Disposable): void {
  const isWindows = process.platform === 'win32';
  if (!isWindows) rmSync(file, { force: true });
  lock[Symbol.dispose]();
  if (!isWindows) return;
  try {
    rmSync(file, { force: true });
  } catch {
    // Another process has it already.
  }
}

function expectPlace(path: string): void {
  if (!statSync(dirname(path), { throwIfNoEntry: false })?.isDirectory()) {
    throw new UsageError(`expected a folder for \`${path}\`, found none at \`${dirname(path)}\``);
  }
  const there = statSync(path, { throwIfNoEntry: false });
  if (there === undefined || there.isFile()) return;
  const found = there.isDirectory() ? 'a folder' : 'something that is no plain file';
  throw new UsageError(`expected a file to write at \`${path}\`, found ${found}`);
}
