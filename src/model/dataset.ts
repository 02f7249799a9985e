// A data set: the matches of a query, published as files under a name. What it is meant to be, and how it stands.

import type { Kind } from './record.ts';

/** Lower-case letters, digits, and hyphens between them, 64 at the most: a name in every system, and never a path. */
export const DATASET_NAME = /^[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?$/;

/** In words, for messages. */
export const DATASET_NAME_WORDS =
  '1 to 64 lower-case letters, digits and hyphens, with a letter or digit at each end';

/** The formats of its files, by the ending of their names, in the order in which they are offered. */
export const DATASET_FORMATS = ['ndjson.zst', 'csv.gz', 'parquet'] as const;

export type DatasetFormat = (typeof DATASET_FORMATS)[number];

/** What it is meant to be: `datasets publish` says it once. */
export interface DatasetDefinition {
  readonly name: string;
  /** In the order of KINDS. */
  readonly kinds: readonly Kind[];
  /** In canonical form; empty: every record. */
  readonly query: string;
  /** null: none was given. */
  readonly title: string | null;
  /** As the operator wrote it; null: none was given. */
  readonly licence: string | null;
  /** In the order of DATASET_FORMATS. */
  readonly formats: readonly DatasetFormat[];
  /** Records of a file at the most; null: one file of each format has all of them. */
  readonly splitEvery: number | null;
}

/** `new`: never whole yet; `withdrawn`: its files are gone, because a removal met a record of them. */
export type DatasetState = 'new' | 'published' | 'withdrawn';

export interface Dataset extends DatasetDefinition {
  readonly state: DatasetState;
  /** Unix seconds at which it was defined. */
  readonly created: number;
  /** Number of the files that were published last, counted from 1; 0: none yet. */
  readonly edition: number;
  /** Number of the last edition that was withdrawn; 0: none was. No byte of it or of an older one is sent. */
  readonly withdrawn: number;
  /** Number of the edition that should be there: above `edition`, it is to be made anew. */
  readonly wanted: number;
}

/** Where copies of records stand outside of the index, as removals see it. All calls are synced when they return. */
export interface PublishedCopies {
  /** Withdraws everything that contains a record which this removal lists. */
  withdraw(removal: number): void;
  /** The removal holds no more: what it withdrew is made anew with the records that came back. */
  undone(removal: number): void;
  /**
   * Deletes copies that are not published, or never were, and may have removed texts. False: some are left, because
   * another process works on them.
   */
  eraseLeft(): boolean;
}
