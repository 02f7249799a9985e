// Where the files of data sets are: `datasets/NAME/N/` in the data folder for edition N, `datasets/NAME/making/` for
// the one being made. Files of an edition never change; it appears and disappears as a whole.

import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { replaceFile, tryToLock } from '../../../sqlite/database.ts';
import type { Dataset, DatasetDefinition } from './store.ts';

const MAKING = 'making';

export class DatasetPlaces {
  readonly #home: string;

  constructor(dataFolder: string) {
    this.#home = join(dataFolder, 'datasets');
  }

  edition(name: string, edition: number): string {
    return join(this.#home, name, String(edition));
  }

  making(name: string): string {
    return join(this.#home, name, MAKING);
  }

  /** Held by the process that makes or deletes files of this data set; null: another one holds it. */
  tryToLock(name: string): Disposable | null {
    return tryToLock(join(this.#home, `${name}.lock`));
  }

  /** Deletes an edition that is no longer served; its readers have the files open. */
  deleteEdition(name: string, edition: number): void {
    rmSync(this.edition(name, edition), { recursive: true, force: true });
  }

  /** Deletes all files of a removed data set. The caller holds its lock. */
  deleteAll(name: string): void {
    rmSync(join(this.#home, name), { recursive: true, force: true });
  }

  /** Deletes all but the edition served. The caller holds the lock. */
  keepOnly(name: string, edition: number): void {
    for (const found of entriesOf(join(this.#home, name))) {
      if (found !== String(edition)) rmSync(join(this.#home, name, found), { recursive: true, force: true });
    }
  }

  /**
   * Deletes files that no process works on and that are not served. Interrupted editions are included, unless `isClean`
   * says that no text of theirs was removed. `find` is called under the lock of each name, so that a fresh edition
   * stays. False: another process works on some of them, which are left.
   */
  sweep(find: (name: string) => Dataset | null, isClean: (making: string) => boolean): boolean {
    let isAll = true;
    for (const name of entriesOf(this.#home).filter((found) => !found.endsWith('.lock'))) {
      const left = () => this.#left(name, find(name), isClean);
      if (left().length === 0) continue;
      using lock = this.tryToLock(name);
      if (lock === null) isAll = false;
      else for (const path of left()) rmSync(path, { recursive: true, force: true });
    }
    return isAll;
  }

  hasUnpublished(dataset: Dataset): boolean {
    return this.#unpublished(dataset).length > 0;
  }

  #left(name: string, dataset: Dataset | null, isClean: (making: string) => boolean): string[] {
    if (dataset === null) return [join(this.#home, name)];
    return this.#unpublished(dataset).filter((path) => path !== this.making(name) || !isClean(path));
  }

  #unpublished({ name, state, edition }: Dataset): string[] {
    const folder = join(this.#home, name);
    const served = state === 'published' ? String(edition) : null;
    return entriesOf(folder)
      .filter((found) => found !== served)
      .map((found) => join(folder, found));
  }
}

export function atWork(name: string): string {
  return (
    `expected data set \`${name}\` to be idle, found another process that makes it; ` +
    'let it end, or try again later'
  );
}

export function entriesOf(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

export interface Making {
  readonly number: number;
  readonly definition: DatasetDefinition;
  /** See `Removals.settledVersion`; read before the first record. */
  readonly settled: number | null;
}

export const MAKING_FILE = 'making.json';

/** Resumes an earlier run of the same edition, or starts a new one. */
export function openMaking(folder: string, dataset: Dataset, settled: () => number | null): Making {
  const { state: _, created: __, withdrawn: ___, edition, wanted, ...definition } = dataset;
  const number = Math.max(edition + 1, wanted);
  const there = readMaking(folder);
  if (there !== null && there.number === number && isDeepStrictEqual(there.definition, definition))
    return there;
  const making = { number, definition, settled: settled() };
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  replaceFile(join(folder, MAKING_FILE), JSON.stringify(making));
  return making;
}

/** null: missing or truncated. */
export function readMaking(folder: string): Making | null {
  try {
    return JSON.parse(readFileSync(join(folder, MAKING_FILE), 'utf8')) as Making;
  } catch {
    return null;
  }
}
