// Data sets as shown and served, and rebuilt. Each response checks the catalogue: an edition that another process
// withdraws is gone from the next response, and from the next piece of a running download. A server rebuilds data sets
// that were withdrawn, or whose removals were undone, one by one. Each has its own thread, so that no response waits
// for it.

import { once } from 'node:events';
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { startUpkeep } from '../../../cli/serving/waiting.ts';
import { ServiceError, StorageError, systemCode, UsageError } from '../../../errors.ts';
import { log } from '../../../log.ts';
import { type Archive, ofArchive, type ServedFile } from '../../../operation/operation.ts';
import { quoted } from '../../../text/quoted.ts';
import { mediaTypeOf } from '../parameters.ts';
import { atWork, DatasetPlaces } from './places.ts';
import {
  type Dataset,
  type DatasetStore,
  datasetsOf,
  type Edition,
  type EditionFile,
  FORMAT_OF,
  readEdition,
} from './store.ts';
import type { DatasetTask } from './worker.ts';

export interface ShownDataset {
  readonly dataset: Dataset;
  /** The edition served; null: withdrawn, and being rebuilt. */
  readonly edition: Edition | null;
}

const PIECE_BYTES = 262_144;

/** Milliseconds between checks of the catalogue during a download. */
const LOOK_EVERY_MS = 200;

export const shelfOf = ofArchive(
  ({ catalogue, config }) => new DatasetShelf(datasetsOf(catalogue), new DatasetPlaces(config.dataFolder)),
);

export class DatasetShelf {
  readonly #store: DatasetStore;
  readonly #places: DatasetPlaces;
  readonly #editions = new Map<string, Edition>();
  readonly #damaged = new Set<string>();

  constructor(store: DatasetStore, places: DatasetPlaces) {
    this.#store = store;
    this.#places = places;
  }

  /** By name. */
  all(): readonly ShownDataset[] {
    return this.#store.all().map((dataset) => ({ dataset, edition: this.#editionOf(dataset) }));
  }

  /** By name; without those that were never complete. */
  list(): readonly ShownDataset[] {
    return this.all().filter(({ dataset }) => dataset.state !== 'new');
  }

  /** Throws `not_found`. */
  get(name: string): ShownDataset {
    const dataset = this.#store.get(name);
    if (dataset === null || dataset.state === 'new') {
      throw new ServiceError('not_found', `expected a data set that is published, found ${quoted(name)}`);
    }
    return { dataset, edition: this.#editionOf(dataset) };
  }

  /** Names of data sets to rebuild, including those whose files are lost. */
  due(): readonly string[] {
    const due = this.list().filter(
      ({ dataset, edition }) => edition === null || dataset.wanted > dataset.edition,
    );
    return due.map(({ dataset }) => dataset.name);
  }

  folderOf({ name, edition }: Dataset): string {
    return this.#places.edition(name, edition);
  }

  /** Deletes a data set, its definition first. Throws a UsageError if another process is making it. */
  remove(name: string): void {
    using lock = this.#places.tryToLock(name);
    if (lock === null) throw new UsageError(atWork(name));
    this.#store.remove(name);
    this.#places.deleteAll(name);
  }

  /** Throws `not_found` and `dataset_withdrawn`. */
  async open(name: string, fileName: string): Promise<ServedFile> {
    const { dataset, edition } = this.get(name);
    if (edition === null) throw withdrawn(name);
    const file = edition.files.find((known) => known.name === fileName);
    if (file === undefined) {
      throw new ServiceError(
        'not_found',
        `data set ${quoted(name)}: expected one of its files, found ${quoted(fileName)}`,
      );
    }
    const handle = await open(join(this.folderOf(dataset), fileName)).catch((error: unknown) => {
      throw systemCode(error) === 'ENOENT' ? withdrawn(name) : error;
    });
    const expectServed = () => {
      const now = this.#store.get(name);
      // Another data set may have taken its name.
      const isThere = now !== null && now.created === dataset.created;
      // A newer edition does not end a running download; the files of this one are open.
      if (!isThere || edition.number <= now.withdrawn) throw withdrawn(name);
    };
    return {
      ...{ name: fileName, bytes: file.bytes, sha256: file.sha256, made: edition.made },
      mediaType: mediaTypeOfFile(file),
      read: (start, end) => pieces(handle, start, end, expectServed),
      [Symbol.asyncDispose]: () => handle.close(),
    };
  }

  #editionOf({ name, state, edition }: Dataset): Edition | null {
    if (state !== 'published') {
      this.#editions.delete(name);
      return null;
    }
    const known = this.#editions.get(name);
    if (known?.number === edition) return known;
    const found = this.#read(this.#places.edition(name, edition), name);
    if (found !== null) this.#editions.set(name, found);
    return found;
  }

  /** null: lost or damaged, which is logged once. */
  #read(folder: string, name: string): Edition | null {
    try {
      return readEdition(folder);
    } catch (error) {
      if (!(error instanceof StorageError)) throw error;
      if (!this.#damaged.has(folder)) {
        this.#damaged.add(folder);
        log.warn({ err: error, dataset: name }, 'an edition of a data set is damaged: it is made anew');
      }
      return null;
    }
  }
}

async function* pieces(handle: FileHandle, start: number, end: number, expectServed: () => void) {
  let looked = -Infinity;
  for (let at = start; at < end; ) {
    if (performance.now() - looked >= LOOK_EVERY_MS) {
      expectServed();
      looked = performance.now();
    }
    const length = Math.min(PIECE_BYTES, end - at);
    const { bytesRead, buffer } = await handle.read(Buffer.allocUnsafeSlow(length), 0, length, at);
    if (bytesRead === 0) throw new Error(`expected byte ${at} of a published file, found its end`);
    at += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}

function mediaTypeOfFile({ name, content }: EditionFile): string {
  if (content !== null) {
    const { format, compress } = FORMAT_OF[content.format];
    return mediaTypeOf(format, compress);
  }
  if (name.endsWith('.json')) return 'application/json; charset=utf-8';
  return name.endsWith('.md') ? 'text/markdown; charset=utf-8' : 'text/plain; charset=utf-8';
}

function withdrawn(name: string): ServiceError {
  const words = `data set ${quoted(name)}: records of it were removed, so its files are withdrawn; it is being rebuilt`;
  return new ServiceError('dataset_withdrawn', words);
}

/** Disposing stops the current one; the next start resumes it. */
export function startRebuilding(archive: Archive): AsyncDisposable {
  const stop = new AbortController();
  const upkeep = new AsyncDisposableStack();
  upkeep.use(startUpkeep('rebuilding data sets', () => makeDue(archive, stop.signal)));
  upkeep.defer(() => stop.abort());
  return upkeep;
}

/** A failure is logged, and the data set stays due. */
export async function makeDue(archive: Archive, signal: AbortSignal): Promise<void> {
  for (const name of shelfOf(archive).due()) {
    if (signal.aborted) return;
    try {
      await makeInThread({ config: archive.config, name }, signal);
    } catch (error) {
      log.error({ err: error, dataset: name }, 'a data set cannot be rebuilt');
    }
  }
}

/** Rejects with the error of the thread. */
async function makeInThread(task: DatasetTask, signal: AbortSignal): Promise<void> {
  const worker = new Worker(new URL('./worker.ts', import.meta.url), { workerData: task });
  const onStop = () => worker.postMessage('stop');
  signal.addEventListener('abort', onStop);
  try {
    await once(worker, 'exit');
  } finally {
    signal.removeEventListener('abort', onStop);
  }
}
