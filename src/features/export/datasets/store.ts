// The data sets and their states; their files are in the data folder (places.ts). Every change is synced and visible to
// other processes when the call returns, so that a server checks here before it sends a byte. Below, an edition of a
// data set: its files and their content, as `edition.json` beside them describes it; and the input of its descriptions.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { isDeepStrictEqual } from 'node:util';
import type { Catalogue } from '../../../catalogue/catalogue.ts';
import { counted } from '../../../http/views/format.ts';
import type { IndexFingerprint } from '../../../model/hash.ts';
import { KIND_NAMES, type Kind } from '../../../model/record.ts';
import { isoTime } from '../../../model/time.ts';
import type { Row } from '../../../operation/text-forms.ts';
import { change, FeatureTables, inTransaction, readJsonFile, row, rows } from '../../../sqlite/database.ts';
import type { Compression, Format } from '../parameters.ts';

const TABLES = `
  CREATE TABLE IF NOT EXISTS datasets (
    name TEXT PRIMARY KEY,
    kinds TEXT NOT NULL,                 -- JSON, as formats: a list
    query TEXT NOT NULL,                 -- in canonical form
    title TEXT,
    licence TEXT,
    formats TEXT NOT NULL,
    split_every INTEGER,
    state TEXT NOT NULL,                 -- new, published, withdrawn
    created INTEGER NOT NULL,
    edition INTEGER NOT NULL,            -- of the files that were published last; 0: none yet
    wanted INTEGER NOT NULL,             -- the edition that should be there
    withdrawn INTEGER NOT NULL DEFAULT 0 -- the last edition that was; 0: none yet
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE IF NOT EXISTS dataset_losses (          -- which removals took records out of a data set
    name TEXT NOT NULL,
    removal INTEGER NOT NULL,
    PRIMARY KEY (name, removal)
  ) STRICT, WITHOUT ROWID;
`;

export const DATASETS = new FeatureTables(TABLES, ({ database }: Catalogue) => new DatasetStore(database));

export function datasetsOf(catalogue: Catalogue): DatasetStore {
  return DATASETS.in(catalogue);
}

/** Lower-case letters, digits, and hyphens between them, at most 64: a valid file name everywhere, and never a path. */
export const DATASET_NAME = /^[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?$/;

export const DATASET_NAME_WORDS =
  '1 to 64 lower-case letters, digits and hyphens, with a letter or digit at each end';

/** File extensions, in the order offered. */
export const DATASET_FORMATS = ['ndjson.zst', 'csv.gz', 'parquet'] as const;

export type DatasetFormat = (typeof DATASET_FORMATS)[number];

export const FORMAT_OF: Readonly<
  Record<DatasetFormat, { readonly format: Format; readonly compress: Compression }>
> = {
  'ndjson.zst': { format: 'ndjson', compress: 'zstd' },
  'csv.gz': { format: 'csv', compress: 'gzip' },
  parquet: { format: 'parquet', compress: 'none' },
};

export interface DatasetDefinition {
  readonly name: string;
  /** In the order of KINDS. */
  readonly kinds: readonly Kind[];
  /** In canonical form; empty: every record. */
  readonly query: string;
  readonly title: string | null;
  readonly licence: string | null;
  /** In the order of DATASET_FORMATS. */
  readonly formats: readonly DatasetFormat[];
  /** Most records of a file; null: one file of each format has all of them. */
  readonly splitEvery: number | null;
}

/** `new`: never complete; `withdrawn`: its files were deleted because a removal affected one of its records. */
type DatasetState = 'new' | 'published' | 'withdrawn';

export interface Dataset extends DatasetDefinition {
  readonly state: DatasetState;
  /** Unix seconds at which it was defined. */
  readonly created: number;
  /** Number of the edition published last, from 1; 0: none yet. */
  readonly edition: number;
  /** Number of the edition withdrawn last; 0: none. No byte of it or of an older one is sent. */
  readonly withdrawn: number;
  /** Number of the edition that should exist: above `edition`, a rebuild is due. */
  readonly wanted: number;
}

interface DatasetRow extends Omit<Dataset, 'kinds' | 'formats' | 'splitEvery'> {
  readonly kinds: string;
  readonly formats: string;
  readonly split_every: number | null;
}

export class DatasetStore {
  readonly #database: DatabaseSync;
  /** Prepared once: every page runs it. */
  #all: StatementSync | undefined;

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  all(): readonly Dataset[] {
    this.#all ??= this.#database.prepare('SELECT * FROM datasets ORDER BY name');
    return rows<DatasetRow>(this.#all).map(asDataset);
  }

  get(name: string): Dataset | null {
    const found = row<DatasetRow>(this.#database.prepare('SELECT * FROM datasets WHERE name = ?'), name);
    return found === undefined ? null : asDataset(found);
  }

  /**
   * Defines it in state `new`, or keeps one with the same definition that was never complete: returns null. Otherwise
   * changes nothing, and returns the existing one.
   */
  define(definition: DatasetDefinition, time: number): Dataset | null {
    return inTransaction(this.#database, () => {
      const { name, kinds, query, title, licence, formats, splitEvery } = definition;
      const there = this.get(name);
      if (there !== null) {
        const { state, created: _, edition: __, withdrawn: ___, wanted: ____, ...before } = there;
        return state === 'new' && isDeepStrictEqual(before, { ...definition }) ? null : there;
      }
      change(
        this.#database,
        `INSERT INTO datasets (name, kinds, query, title, licence, formats, split_every, state, created, edition,
           wanted) VALUES (?, ?, ?, ?, ?, ?, ?, 'new', ?, 0, 1)`,
        ...[name, JSON.stringify(kinds), query, title, licence, JSON.stringify(formats), splitEvery, time],
      );
      return null;
    });
  }

  /**
   * Serves this edition from now on. False, without a change, if the list of removals is not at `version`, or if the
   * data set is gone.
   */
  publish(name: string, edition: number, version: number): boolean {
    return inTransaction(this.#database, () => {
      const list = this.#database.prepare('SELECT version FROM removal_list');
      if (row<{ readonly version: number }>(list)!.version !== version) return false;
      const sql =
        "UPDATE datasets SET state = 'published', edition = ?, wanted = max(wanted, ?) WHERE name = ?";
      return change(this.#database, sql, edition, edition, name) === 1;
    });
  }

  /** Stops serving this edition and requests the next. `removal`: the one that affected it; null: none did. */
  withdraw(name: string, edition: number, removal: number | null): void {
    inTransaction(this.#database, () => {
      const sql = `UPDATE datasets SET state = 'withdrawn', withdrawn = edition, wanted = max(wanted, edition + 1)
        WHERE name = ? AND edition = ? AND state = 'published'`;
      if (change(this.#database, sql, name, edition) > 0 && removal !== null) this.noteLoss(name, removal);
    });
  }

  /** Notes that this removal took records out of it, or may have. */
  noteLoss(name: string, removal: number): void {
    change(this.#database, 'INSERT OR IGNORE INTO dataset_losses VALUES (?, ?)', name, removal);
  }

  /** Requests a rebuild of what this removal affected, also while an edition is being made without those records. */
  undone(removal: number): void {
    inTransaction(this.#database, () => {
      const sql = `UPDATE datasets SET wanted = max(wanted, edition + 1) + 1
        WHERE name IN (SELECT name FROM dataset_losses WHERE removal = ?)`;
      change(this.#database, sql, removal);
      change(this.#database, 'DELETE FROM dataset_losses WHERE removal = ?', removal);
    });
  }

  remove(name: string): boolean {
    return inTransaction(this.#database, () => {
      change(this.#database, 'DELETE FROM dataset_losses WHERE name = ?', name);
      return change(this.#database, 'DELETE FROM datasets WHERE name = ?', name) === 1;
    });
  }
}

function asDataset({ kinds, formats, split_every, ...rest }: DatasetRow): Dataset {
  const lists = { kinds: JSON.parse(kinds) as Kind[], formats: JSON.parse(formats) as DatasetFormat[] };
  return { ...rest, ...lists, splitEvery: split_every };
}

export interface Edition {
  readonly number: number;
  readonly made: number;
  /** One for each kind, in the order of KINDS. */
  readonly tables: readonly EditionTable[];
  /** In the order in which they are listed. */
  readonly files: readonly EditionFile[];
}

export interface EditionTable {
  readonly kind: Kind;
  readonly records: number;
  /** `created_utc` of the first and last record; null where there is none. */
  readonly first: number | null;
  readonly last: number | null;
  /** Index of all its records; null: not recorded before an interruption. */
  readonly index: IndexFingerprint | null;
  /** The first rows, with long texts shortened. */
  readonly rows: readonly Row[];
}

export interface EditionFile {
  readonly name: string;
  readonly bytes: number;
  readonly sha256: string;
  /** For a file with records; null for one that describes the others. */
  readonly content: { readonly kind: Kind; readonly format: DatasetFormat; readonly records: number } | null;
}

const FILE = 'edition.json';

export function writeEdition(folder: string, edition: Edition): void {
  writeFileSync(join(folder, FILE), `${JSON.stringify(edition)}\n`);
}

/** null: there is none. Throws a StorageError if it is damaged. */
export function readEdition(folder: string): Edition | null {
  const read = (edition: Edition) =>
    Array.isArray(edition.tables) && Array.isArray(edition.files) ? edition : null;
  return readJsonFile(join(folder, FILE), read, 'the description of an edition, found other text');
}

/** Characters of a text in `EditionTable.rows`. */
const MAX_SHOWN_TEXT = 2000;

/** The row as `EditionTable.rows` has it: a shortened text ends with `…`. */
export function shownRow(row: Row): Row {
  const cut = Object.entries(row).map(([name, value]) => {
    const isLong = typeof value === 'string' && value.length > MAX_SHOWN_TEXT;
    return [name, isLong ? `${value.slice(0, MAX_SHOWN_TEXT).toWellFormed()}…` : value];
  });
  return Object.fromEntries(cut);
}

export interface Described {
  readonly definition: DatasetDefinition;
  readonly edition: Edition;
  /** Files imported into the index, each once. */
  readonly sources: readonly Source[];
  readonly version: string;
}

export interface Source {
  readonly name: string;
  readonly sha256: string | null;
}

export type RecordFile = EditionFile & { readonly content: NonNullable<EditionFile['content']> };

export function recordFiles({ files }: Edition): readonly RecordFile[] {
  return files.filter((file): file is RecordFile => file.content !== null);
}

export function titleOf({ title, name }: DatasetDefinition): string {
  return title ?? name;
}

/** `12 posts and 1 comment`. */
export function countsOf(tables: readonly EditionTable[]): string {
  return tables.map(({ kind, records }) => counted(records, kind)).join(' and ');
}

export function sumOf<Field extends 'records' | 'bytes'>(
  all: readonly Readonly<Record<Field, number>>[],
  field: Field,
): number {
  return all.reduce((sum, one) => sum + one[field], 0);
}

export function summaryOf({ definition, edition }: Described): string {
  const what = definition.query === '' ? 'every record' : `every match of the query ${definition.query}`;
  return `${countsOf(edition.tables)} of a discussion site: ${what}, as an index held them at ${isoTime(edition.made)}.`;
}

/** By kind, as `posts` and `comments`. */
export function recordsOf({ tables }: Pick<Edition, 'tables'>): Readonly<Record<string, number>> {
  return Object.fromEntries(tables.map(({ kind, records }) => [KIND_NAMES[kind], records]));
}
