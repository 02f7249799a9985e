// Data folders with data sets, for the tests of them.

import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before } from 'node:test';
import { gunzipSync, zstdDecompressSync } from 'node:zlib';
import { type App, openApp } from '../../src/app.ts';
import { readConfig } from '../../src/config.ts';
import { type MakingProgress, makeDataset } from '../../src/features/export/datasets/maker.ts';
import { shelfOf } from '../../src/features/export/datasets/shelf.ts';
import {
  DATASET_FORMATS,
  type DatasetDefinition,
  datasetsOf,
  type Edition,
} from '../../src/features/export/datasets/store.ts';
import { KINDS } from '../../src/model/record.ts';
import { jsonLines, temporaryFolder } from '../helpers.ts';

export function openData(folder: string): Promise<App> {
  return openApp({ ...readConfig({}), dataFolder: folder, threads: 0 });
}

/** A data folder that is there from the tests' `before` to their `after`. */
export class House {
  readonly #folder = temporaryFolder();
  /** Of files that a test makes beside the data folder. */
  readonly path = this.#folder.path;
  readonly data = join(this.path, 'data');
  app!: App;

  constructor(fill: (app: App) => Promise<void>) {
    before(async () => {
      this.app = await openData(this.data);
      await fill(this.app);
    });
    after(async () => {
      await this.app[Symbol.asyncDispose]();
      this.#folder[Symbol.dispose]();
    });
  }

  folderOf(name: string): string {
    return folderOf(this.app, name);
  }
}

/** Of the edition that is served. */
export function folderOf(app: App, name: string): string {
  return shelfOf(app).folderOf(shelfOf(app).get(name).dataset);
}

const EVERYTHING = {
  ...{ kinds: KINDS, query: '', title: null, licence: null, formats: DATASET_FORMATS, splitEvery: null },
};

/** Everything of both kinds in every format, but for what is given. */
export function define(
  app: App,
  fields: Partial<DatasetDefinition> & { readonly name: string },
  time = 1_700_000_000,
): void {
  const there = datasetsOf(app.catalogue).define({ ...EVERYTHING, ...fields }, time);
  if (there !== null) throw new Error(`expected a free name, found ${there.name}`);
}

export async function make(
  app: App,
  name: string,
  { signal = new AbortController().signal, onProgress = (_: MakingProgress) => {}, version = 'this' } = {},
): Promise<Edition> {
  return await makeDataset({ ...app, version }, name, { signal, onProgress });
}

/** The records of a file of NDJSON. */
export function linesOf(folder: string, file: string): { readonly id: string }[] {
  return jsonLines(zstdDecompressSync(readFileSync(join(folder, file))).toString());
}

export function csvOf(folder: string, file: string): string {
  return gunzipSync(readFileSync(join(folder, file))).toString();
}

export function sha256Of(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** Of every file below the folder, but for locks. */
export function filesBelow(folder: string): string[] {
  const names = readdirSync(folder, { recursive: true, withFileTypes: true });
  return names
    .filter((entry) => entry.isFile() && !entry.name.endsWith('.lock'))
    .map((entry) => join(entry.parentPath, entry.name));
}
