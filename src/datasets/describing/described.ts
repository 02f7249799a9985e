// What all descriptions of an edition are made of.

import type { DatasetDefinition } from '../../model/catalogue.ts';
import type { Edition, EditionFile, EditionTable } from '../edition.ts';

export interface Described {
  readonly definition: DatasetDefinition;
  /** Its files with records alone. */
  readonly edition: Edition;
  /** What was imported into the index, each file once. */
  readonly sources: readonly Source[];
  /** Program and runtime. */
  readonly version: string;
}

export interface Source {
  /** Of the file, without its folder. */
  readonly name: string;
  /** In hex, of the file as it was published; null: not known. */
  readonly sha256: string | null;
}

export type RecordFile = EditionFile & { readonly content: NonNullable<EditionFile['content']> };

/** Its files with records. */
export function recordFiles({ files }: Edition): readonly RecordFile[] {
  return files.filter((file): file is RecordFile => file.content !== null);
}

export function titleOf({ title, name }: DatasetDefinition): string {
  return title ?? name;
}

/** `12,408 posts and 3 comments`. */
export function countsOf(tables: readonly EditionTable[]): string {
  return tables
    .map(({ kind, records }) => `${records.toLocaleString('en')} ${kind}${records === 1 ? '' : 's'}`)
    .join(' and ');
}

/** One sentence on what it holds. */
export function summaryOf({ definition, edition }: Described): string {
  const what = definition.query === '' ? 'every record' : `every match of the query ${definition.query}`;
  return `${countsOf(edition.tables)} of a discussion site: ${what}, as an index held them at ${isoTime(edition.made)}.`;
}

export function isoTime(seconds: number): string {
  return `${new Date(seconds * 1000).toISOString().slice(0, 19)}Z`;
}
