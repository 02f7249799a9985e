// How an edition of a data set is made: resumed from an earlier run, in a folder beside the edition served, which it
// replaces in one step.
//
//   base      all records of each kind, from one view, in a resumable file (base.ts)
//   files     the published files, all from the base (files.ts), and the index of entries for removals (members.ts)
//   publish   refused if the list of removals has changed since; the edition is then checked again, and rebuilt if a
//             removal affects it

import { existsSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { StorageError, storageError, UsageError } from '../../../errors.ts';
import type { IndexFingerprint } from '../../../model/hash.ts';
import type { Kind } from '../../../model/record.ts';
import { unixNow } from '../../../model/time.ts';
import type { Archive } from '../../../operation/operation.ts';
import { syncFile, syncFolder } from '../../../sqlite/database.ts';
import { exportsOf } from '../export-service.ts';
import { baseFile, basePlan, writeBase } from './base.ts';
import { writeDescriptions } from './describe.ts';
import { type Edition, type EditionFile, type EditionTable, type Source, writeEdition } from './edition.ts';
import { writeTable } from './files.ts';
import { MembersWriter, meetsMembers } from './members.ts';
import {
  atWork,
  type Base,
  DatasetPlaces,
  MAKING_FILE,
  type Making,
  openMaking,
  writeMaking,
} from './places.ts';
import { type Dataset, type DatasetStore, datasetsOf } from './store.ts';

export interface MakingProgress {
  readonly step: 'reading' | 'writing';
  readonly kind: Kind;
  readonly done: number;
  readonly total: number;
}

export interface MakingOptions {
  readonly signal: AbortSignal;
  readonly onProgress: (progress: MakingProgress) => void;
}

/** Most tries if removals keep affecting it, and milliseconds between two. */
const MAX_TRIES = 5;
const RETRY_MS = 1000;

/** Completely imported files, each once. */
function importedFiles(catalogue: Archive['catalogue']): readonly Source[] {
  const finished = catalogue.listImports().filter((entry) => entry.finished !== null);
  const files = finished.map(({ file, name, sha256 }) => ({ name: name ?? basename(file), sha256 }));
  return [...new Map(files.map((source) => [`${source.name} ${source.sha256}`, source])).values()];
}

export class DatasetMaker {
  readonly #archive: Archive;
  readonly #store: DatasetStore;
  readonly #places: DatasetPlaces;

  constructor(archive: Archive) {
    this.#archive = archive;
    this.#store = datasetsOf(archive.catalogue);
    this.#places = new DatasetPlaces(archive.config.dataFolder);
  }

  /**
   * Makes and publishes the next edition. Throws a UsageError if another process is making it or it is gone, a
   * StorageError if removals never pause, the signal's reason, and what an export throws.
   */
  async make(name: string, options: MakingOptions): Promise<Edition> {
    using lock = this.#places.tryToLock(name);
    if (lock === null) throw new UsageError(atWork(name));
    for (let tries = 1; tries <= MAX_TRIES; tries++) {
      const dataset = this.#store.get(name);
      if (dataset === null) throw new UsageError(`expected a data set \`${name}\`, found none`);
      const edition = await this.#attempt(dataset, options);
      if (edition !== null) return edition;
      if (tries < MAX_TRIES) await setTimeout(RETRY_MS, undefined, { signal: options.signal });
    }
    throw new StorageError(
      `data set \`${name}\`: expected a moment without removals of its records, found none; try again later`,
    );
  }

  /** null: a removal affected it, and it was deleted. */
  async #attempt(dataset: Dataset, options: MakingOptions): Promise<Edition | null> {
    const { removals } = this.#archive.catalogue;
    const { name } = dataset;
    const folder = this.#places.making(name);
    const making = openMaking(folder, dataset, () => removals.settledVersion());
    const { number } = making;
    const edition = await this.#write(folder, dataset, making, options);
    const place = this.#places.edition(name, number);
    for (let isFirst = true; ; isFirst = false) {
      const version = removals.version();
      const where = isFirst ? folder : place;
      if (version !== making.settled && meetsMembers(where, removals.hashesInForce())) {
        rmSync(where, { recursive: true, force: true });
        return null;
      }
      if (isFirst) moveInPlace(folder, place);
      if (this.#store.publish(name, number, version)) break;
    }
    this.#places.keepOnly(name, number);
    return edition;
  }

  /** When it resolves, the edition is in the folder and on disk. */
  async #write(
    folder: string,
    dataset: Dataset,
    making: Making,
    { signal, onProgress }: MakingOptions,
  ): Promise<Edition> {
    const { catalogue } = this.#archive;
    const exports = exportsOf(this.#archive);
    const version = `Colloquy ${this.#archive.version} on Node ${process.versions.node}`;
    const bases = new Map<Kind, Base>();
    for (const kind of dataset.kinds) {
      const onBase = (at: { done: number; total: number }) => onProgress({ step: 'reading', kind, ...at });
      const plan = basePlan(exports, dataset, kind);
      const known = making.bases[kind];
      const base =
        known ?? baseOf(await writeBase(exports, { plan, folder, version, signal, onProgress: onBase }));
      if (known === undefined) {
        making.bases[kind] = base;
        writeMaking(folder, making);
      }
      bases.set(kind, base);
    }
    clearBut(folder, [MAKING_FILE, ...dataset.kinds.map((kind) => baseFile(folder, kind))]);
    const made = unixNow();
    const tables: EditionTable[] = [];
    const files: EditionFile[] = [];
    using members = new MembersWriter(folder, (entry) => catalogue.removals.hashOf(entry));
    for (const [kind, { records, index }] of bases) {
      const about = { made_by: 'Colloquy', dataset: dataset.name, kind, query: dataset.query };
      const onFiles = (done: number) => onProgress({ step: 'writing', kind, done, total: records });
      const request = { definition: dataset, kind, folder, index, about, members, signal };
      const written = await writeTable({ ...request, onProgress: onFiles });
      tables.push(written.table);
      files.push(...written.files);
    }
    members.end();
    const withRecords = { number: making.number, made, tables, files };
    const described = {
      definition: dataset,
      edition: withRecords,
      sources: importedFiles(catalogue),
      version,
    };
    const edition = { ...withRecords, files: writeDescriptions(folder, described) };
    writeEdition(folder, edition);
    for (const kind of dataset.kinds) rmSync(baseFile(folder, kind));
    return edition;
  }
}

function baseOf({ count, index }: { count: number; index: IndexFingerprint | null }): Base {
  return { records: count, index };
}

/** Deletes what an interrupted run wrote after the base. */
function clearBut(folder: string, kept: readonly string[]): void {
  for (const name of readdirSync(folder)) {
    if (!kept.includes(name) && !kept.includes(join(folder, name))) rmSync(join(folder, name));
  }
}

/** On disk when it returns. Replaces what is left of a run that died before it could publish. */
function moveInPlace(folder: string, place: string): void {
  try {
    rmSync(join(folder, MAKING_FILE));
    for (const name of readdirSync(folder)) syncFile(join(folder, name));
    syncFolder(folder);
    if (existsSync(place)) rmSync(place, { recursive: true });
    renameSync(folder, place);
    syncFolder(dirname(place));
  } catch (error) {
    throw storageError(error, place);
  }
}
