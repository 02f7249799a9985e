// Data sets in a backup: definitions are in the copied catalogue; files are copied on request.

import { createReadStream, createWriteStream, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { CopyOptions, KeptFiles } from '../../../cli/feature.ts';
import { systemCode } from '../../../errors.ts';
import { syncFile, syncFolder } from '../../../sqlite/database.ts';
import { DatasetPlaces, entriesOf } from './places.ts';
import { type Dataset, datasetsOf } from './store.ts';

export const KEPT_FILES: KeptFiles = {
  ...{ name: 'datasets', words: ['data set', 'data sets'] },
  option: 'the files of data sets too; otherwise a server on the copy makes them again',
  in: ({ dataFolder, part, copy }) => {
    const store = datasetsOf(copy);
    const published = () => store.all().filter(({ state }) => state === 'published');
    const withdraw = ({ name, edition }: Dataset) => store.withdraw(name, edition, null);
    const from = new DatasetPlaces(dataFolder);
    const to = new DatasetPlaces(part);
    return {
      bytes: () =>
        published()
          .map(({ name, edition }) => from.edition(name, edition))
          .flatMap((folder) => entriesOf(folder).map((name) => sizeOf(join(folder, name))))
          .reduce((sum, bytes) => sum + bytes, 0),
      /** A data set whose files are gone meanwhile is withdrawn in the copy. */
      async copy(options) {
        let copied = 0;
        for (const dataset of published()) {
          const { name, edition } = dataset;
          if (await copyFolder(from.edition(name, edition), to.edition(name, edition), options)) copied++;
          else withdraw(dataset);
        }
        return copied;
      },
      // A server on a copy without files rebuilds them.
      leaveOut: () => published().forEach(withdraw),
    };
  },
};

/** False: some files are gone, withdrawn or rebuilt, and nothing of the copy was kept. */
async function copyFolder(source: string, target: string, options: CopyOptions): Promise<boolean> {
  const { signal, onBytes } = options;
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

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}
