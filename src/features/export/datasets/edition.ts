// An edition of a data set: its files and their content, as `edition.json` beside them describes it; and the input of
// its descriptions.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { StorageError } from '../../../errors.ts';
import type { IndexFingerprint } from '../../../model/hash.ts';
import { KIND_NAMES, type Kind } from '../../../model/record.ts';
import { isoTime } from '../../../model/time.ts';
import type { Row } from '../../../operation/text-forms.ts';
import { readIfThere } from '../../../sqlite/database.ts';
import type { DatasetDefinition, DatasetFormat } from './store.ts';

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
  const path = join(folder, FILE);
  const text = readIfThere(path);
  if (text === null) return null;
  try {
    const edition: Partial<Edition> | null = JSON.parse(text);
    if (Array.isArray(edition?.tables) && Array.isArray(edition.files)) return edition as Edition;
  } catch {
    // Reported below, without the text.
  }
  throw new StorageError(`\`${path}\`: expected the description of an edition, found other text`);
}

/** Characters of a text in `EditionTable.rows`. */
export const MAX_SHOWN_TEXT = 2000;

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

export function countsOf(tables: readonly EditionTable[]): string {
  return tables
    .map(({ kind, records }) => `${records.toLocaleString('en')} ${kind}${records === 1 ? '' : 's'}`)
    .join(' and ');
}

export function summaryOf({ definition, edition }: Described): string {
  const what = definition.query === '' ? 'every record' : `every match of the query ${definition.query}`;
  return `${countsOf(edition.tables)} of a discussion site: ${what}, as an index held them at ${isoTime(edition.made)}.`;
}

/** By kind, as `posts` and `comments`. */
export function recordsOf({ tables }: Pick<Edition, 'tables'>): Readonly<Record<string, number>> {
  return Object.fromEntries(tables.map(({ kind, records }) => [KIND_NAMES[kind], records]));
}
