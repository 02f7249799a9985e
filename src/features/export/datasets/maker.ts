// How an edition of a data set is made: resumed from an earlier run, in a folder beside the edition served, which it
// replaces in one step.
//
//   base      all records of each kind, from one view, in a resumable file (files.ts)
//   files     the published files, all from the base, and the index of entries for removals (members.ts)
//   publish   refused if the list of removals has changed since; the edition is then checked again, and rebuilt if a
//             removal affects it

import { existsSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { naming, StorageError, UsageError } from '../../../errors.ts';
import type { Kind } from '../../../model/record.ts';
import { unixNow } from '../../../model/time.ts';
import type { Archive } from '../../../operation/operation.ts';
import { syncFile, syncFolder } from '../../../sqlite/database.ts';
import type { FileReport } from '../file/file-export.ts';
import { stateOf } from '../file/part-file.ts';
import { writeDescriptions } from './describe.ts';
import { baseFile, basePlan, writeBase, writeTable } from './files.ts';
import { meetsMembers, MembersWriter } from './members.ts';
import { atWork, DatasetPlaces, type Making, MAKING_FILE, openMaking } from './places.ts';
import {
  type Dataset,
  datasetsOf,
  type Edition,
  type EditionFile,
  type EditionTable,
  type Source,
  writeEdition,
} from './store.ts';

export interface MakingProgress {
  readonly step: 'reading' | 'writing';
  readonly kind: Kind;
  readonly done: number;
  readonly total: number;
}

interface MakingOptions {
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

/**
 * Makes and publishes the next edition. Throws a UsageError if another process is making it or it is gone, a
 * StorageError if removals never pause, the signal's reason, and what an export throws.
 */
export async function makeDataset(archive: Archive, name: string, options: MakingOptions): Promise<Edition> {
  using lock = new DatasetPlaces(archive.config.dataFolder).tryToLock(name);
  if (lock === null) throw new UsageError(atWork(name));
  for (let tries = 1; tries <= MAX_TRIES; tries++) {
    const dataset = datasetsOf(archive.catalogue).get(name);
    if (dataset === null) throw new UsageError(`expected a data set \`${name}\`, found none`);
    const edition = await attempt(archive, dataset, options);
    if (edition !== null) return edition;
    if (tries < MAX_TRIES) await setTimeout(RETRY_MS, undefined, { signal: options.signal });
  }
  throw new StorageError(
    `data set \`${name}\`: expected a moment without removals of its records, found none; try again later`,
  );
}

/** null: a removal affected it, and it was deleted. */
async function attempt(archive: Archive, dataset: Dataset, options: MakingOptions): Promise<Edition | null> {
  const { removals } = archive.catalogue;
  const places = new DatasetPlaces(archive.config.dataFolder);
  const { name } = dataset;
  const folder = places.making(name);
  const making = openMaking(folder, dataset, () => removals.settledVersion());
  const { number } = making;
  const edition = await write(archive, folder, making, options);
  const place = places.edition(name, number);
  for (let isFirst = true; ; isFirst = false) {
    const version = removals.version();
    const where = isFirst ? folder : place;
    if (version !== making.settled && meetsMembers(where, removals.hashesInForce())) {
      rmSync(where, { recursive: true, force: true });
      return null;
    }
    if (isFirst) moveInPlace(folder, place);
    if (datasetsOf(archive.catalogue).publish(name, number, version)) break;
  }
  places.keepOnly(name, number);
  return edition;
}

/** When it resolves, the edition is in the folder and on disk. */
async function write(archive: Archive, folder: string, making: Making, options: MakingOptions) {
  const { catalogue } = archive;
  const { definition } = making;
  const { signal, onProgress } = options;
  const version = `Colloquy ${archive.version} on Node ${process.versions.node}`;
  const bases = new Map<Kind, FileReport>();
  for (const kind of definition.kinds) {
    const onBase = (at: { done: number; total: number }) => onProgress({ step: 'reading', kind, ...at });
    const request = { plan: basePlan(definition, kind), folder, version, signal, onProgress: onBase };
    bases.set(kind, await writeBase(archive, request));
  }
  const baseFiles = definition.kinds.map((kind) => baseFile(folder, kind));
  const ofBases = baseFiles.flatMap((base) => [base, stateOf(base)]);
  // What an interrupted run wrote after the base.
  const kept = [join(folder, MAKING_FILE), ...ofBases];
  for (const path of readdirSync(folder).map((name) => join(folder, name)))
    if (!kept.includes(path)) rmSync(path);
  const made = unixNow();
  const tables: EditionTable[] = [];
  const files: EditionFile[] = [];
  using members = new MembersWriter(folder, (entry) => catalogue.removals.hashOf(entry));
  for (const [kind, { count, index }] of bases) {
    const about = { made_by: 'Colloquy', dataset: definition.name, kind, query: definition.query };
    const onFiles = (done: number) => onProgress({ step: 'writing', kind, done, total: count });
    const request = { definition, kind, folder, index, about, members, signal };
    const written = await writeTable({ ...request, onProgress: onFiles });
    tables.push(written.table);
    files.push(...written.files);
  }
  members.end();
  const withRecords = { number: making.number, made, tables, files };
  const sources = importedFiles(catalogue);
  const described = { definition, edition: withRecords, sources, version };
  const edition = { ...withRecords, files: writeDescriptions(folder, described) };
  writeEdition(folder, edition);
  for (const file of ofBases) rmSync(file);
  return edition;
}

/** On disk when it returns. Replaces what is left of a run that died before it could publish. */
function moveInPlace(folder: string, place: string): void {
  naming(place, () => {
    rmSync(join(folder, MAKING_FILE));
    for (const name of readdirSync(folder)) syncFile(join(folder, name));
    syncFolder(folder);
    if (existsSync(place)) rmSync(place, { recursive: true });
    renameSync(folder, place);
    syncFolder(dirname(place));
  });
}
