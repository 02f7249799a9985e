// What lies at the place that is given as data folder: looked at before anything is opened there, so that a name that is
// mistyped makes nothing, and nothing is written beside the files of others.

import { readdirSync } from 'node:fs';
import { UsageError } from '../errors.ts';

/** Each of them makes a folder one of ours. */
const DATABASES = ['posts.db', 'comments.db', 'catalogue.db', 'accounts.db'];

/** What a new file system or a file manager puts into a folder that is empty otherwise. */
const NOTHING = /^(?:lost\+found$|\.)/;

/** For commands that only read, or change what is there. Throws a UsageError for a folder that is not there or not ours. */
export function expectDataFolder(folder: string): void {
  const names = namesIn(folder);
  const hint = '; `colloquy import FILE` makes one';
  if (names === null) throw new UsageError(`expected a data folder at \`${folder}\`, found none${hint}`);
  if (!isOurs(names)) {
    const found = names.length === 0 ? 'an empty folder' : 'a folder that contains something else';
    throw new UsageError(`expected a data folder at \`${folder}\`, found ${found}${hint}`);
  }
}

/** For what writes and makes the folder where there is none. Throws a UsageError where it holds something else. */
export function expectPlaceForData(folder: string): void {
  const names = namesIn(folder);
  if (names === null || names.length === 0 || isOurs(names)) return;
  throw new UsageError(
    `expected a data folder, an empty one or none at \`${folder}\`, found one that contains something else; choose another with \`--data\``,
  );
}

function isOurs(names: readonly string[]): boolean {
  return DATABASES.some((name) => names.includes(name));
}

/** null: no folder there. Throws a UsageError for what is no folder or cannot be looked into. */
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
