// Data sets in a backup: definitions are in the copied catalogue; files are copied on request.

import { createReadStream, createWriteStream, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { CopyOptions, KeptFiles } from '../../../cli/feature.ts';
import { systemCode } from '../../../errors.ts';
import { syncFile, syncFolder } from '../../../sqlite/database.ts';
import { DatasetPlaces } from './places.ts';
import { type Dataset, type DatasetStore, datasetsOf } from './store.ts';

interface DatasetCopying {
  readonly store: DatasetStore;
  readonly from: DatasetPlaces;
  readonly to: DatasetPlaces;
}

export const KEPT_FILES: KeptFiles = {
  ...{ name: 'datasets', words: ['data set', 'data sets'] },
  option: 'the files of data sets too; otherwise a server on the copy makes them again',
  in: ({ dataFolder, part, copy }) => {
    const store = datasetsOf(copy);
    const copying = { store, from: new DatasetPlaces(dataFolder), to: new DatasetPlaces(part) };
    return {
      bytes: () => datasetBytes(copying),
      copy: (options) => copyDatasets(copying, options),
      leaveOut: () => leaveOutFiles(store),
    };
  },
};

/**
 * Copies the files of every data set that is published in the copy; if they are gone meanwhile, it is withdrawn there.
 * Returns the number copied. On disk when it resolves.
 */
async function copyDatasets(copying: DatasetCopying, options: CopyOptions): Promise<number> {
  let copied = 0;
  for (const dataset of publishedIn(copying.store)) {
    if (await copyEdition(dataset, copying, options)) copied++;
    else copying.store.withdraw(dataset.name, dataset.edition, null);
  }
  return copied;
}

/** For a copy without files: a server on it rebuilds them. */
function leaveOutFiles(store: DatasetStore): void {
  for (const { name, edition } of publishedIn(store)) store.withdraw(name, edition, null);
}

function datasetBytes({ store, from }: DatasetCopying): number {
  const bytesOf = ({ name, edition }: Dataset) =>
    filesIn(from.edition(name, edition)).reduce((sum, path) => sum + sizeOf(path), 0);
  return publishedIn(store).reduce((sum, dataset) => sum + bytesOf(dataset), 0);
}

function publishedIn(store: DatasetStore): readonly Dataset[] {
  return store.all().filter(({ state }) => state === 'published');
}

/** False: some files are gone, withdrawn or rebuilt, and nothing of the copy was kept. */
async function copyEdition(
  { name, edition }: Dataset,
  { from, to }: DatasetCopying,
  { signal, onBytes }: CopyOptions,
): Promise<boolean> {
  const [source, target] = [from.edition(name, edition), to.edition(name, edition)];
  try {
    const names = readdirSync(source);
    mkdirSync(target, { recursive: true });
    for (const file of names) {
      await pipeline(createReadStream(join(source, file)), createWriteStream(join(target, file)), { signal });
      syncFile(join(target, file));
      onBytes(sizeOf(join(target, file)));
    }
    syncFolder(target);
    return true;
  } catch (error) {
    if (systemCode(error) !== 'ENOENT') throw error;
    rmSync(target, { recursive: true, force: true });
    return false;
  }
}

function filesIn(folder: string): string[] {
  try {
    return readdirSync(folder).map((name) => join(folder, name));
  } catch {
    return [];
  }
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}
