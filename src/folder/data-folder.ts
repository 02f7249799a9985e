// What lies at the place that is given as data folder: looked at before anything is opened there, so that a name that
// is mistyped makes nothing, and nothing is written beside the files of others.

import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../config.ts';
import { ENGINES } from '../engines/engines.ts';
import { UsageError } from '../errors.ts';
import { log } from '../log.ts';
import type { EngineModule } from '../model/engine-module.ts';

type Place = Pick<Config, 'dataFolder' | 'engine'>;

/** What is there beside the index. Each of them makes a folder one of ours, as do the files of the engine. */
const DATABASES = ['catalogue.db', 'accounts.db'];

/** What a new file system or a file manager puts into a folder that is empty otherwise. */
const NOTHING = /^(?:lost\+found$|\.)/;

/**
 * For commands that only read, or change what is there. Throws a UsageError for a folder that is not there or not
 * ours.
 */
export async function expectDataFolder({ dataFolder, engine }: Place): Promise<void> {
  const names = namesIn(dataFolder);
  const hint = '; `colloquy import FILE` makes one';
  if (names === null) throw new UsageError(`expected a data folder at \`${dataFolder}\`, found none${hint}`);
  if (!isOurs(names, await ENGINES[engine]())) {
    const found = names.length === 0 ? 'an empty folder' : 'a folder that contains something else';
    throw new UsageError(`expected a data folder at \`${dataFolder}\`, found ${found}${hint}`);
  }
}

/** For what writes and makes the folder where there is none. Throws a UsageError where it holds something else. */
export async function expectPlaceForData({ dataFolder, engine }: Place): Promise<void> {
  const names = namesIn(dataFolder);
  if (names === null || names.length === 0 || isOurs(names, await ENGINES[engine]())) return;
  throw new UsageError(
    `expected a data folder, an empty one or none at \`${dataFolder}\`, found one that contains something else; choose another with \`--data\``,
  );
}

/** Whether any of our databases is there. */
export function holdsData(folder: string, engine: EngineModule): boolean {
  const names = namesIn(folder);
  return names !== null && isOurs(names, engine);
}

/**
 * It is made with the first import at the latest: where the index stands alone, what only the catalogue knew is gone.
 */
export function warnOfLostCatalogue(folder: string, engine: EngineModule): void {
  const has = (name: string) => existsSync(join(folder, name));
  if (has('catalogue.db') || !engine.files.some(has)) return;
  log.warn(
    { file: join(folder, 'catalogue.db') },
    'expected the catalogue beside the index, found none: a new one knows of no removals; put it back, or restore a backup, before the next import',
  );
}

function isOurs(names: readonly string[], engine: EngineModule): boolean {
  return [...engine.files, ...DATABASES].some((name) => names.includes(name));
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
