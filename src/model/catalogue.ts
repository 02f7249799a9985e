// What the catalogue keeps beside the index: what each import brought in, and data sets. Times are Unix seconds.

import type { Kind } from './record.ts';

export interface ImportEntry extends SourceFacts {
  /** The path as it was named or found, with the name of the entry inside an archive; `-` for standard input. */
  readonly file: string;
  /** Stands for the content, here alone; empty for standard input. */
  readonly checksum: string;
  /** The query of what was taken in, in canonical form; null: everything was. */
  readonly where: string | null;
  readonly counts: Readonly<Record<string, unknown>>;
  readonly started: number;
  /** null: broken off. */
  readonly finished: number | null;
  /** Of what it brought in, by kind; absent: nothing came in, or it was not noted. */
  readonly arrivals?: ArrivalSpans;
}

type ArrivalSpans = Readonly<Partial<Record<Kind, ArrivalSpan>>>;

/** Arrivals from the first to the last. Others may lie between them, and small sources share theirs. */
export interface ArrivalSpan {
  readonly first: number;
  readonly last: number;
}

export interface ArrivedImport extends ArrivalSpan {
  /** Its own for ever, from 1. */
  readonly number: number;
  readonly source: string;
}

export interface SourceFacts {
  readonly name: string | null;
  /** SHA-256, in hex, and bytes of the file as it was published; null: broken off, or not a file of its own. */
  readonly sha256: string | null;
  readonly bytes: number | null;
  /** What it contains and how it is packed: `ndjson.zst`; null: nothing was read. */
  readonly format: string | null;
  /** What it contained that was taken in; null: nothing. */
  readonly kind: SourceKind | null;
  /** Of the records that were taken in, by creation; null: none were. */
  readonly first: number | null;
  readonly last: number | null;
}

export type SourceKind = 'posts' | 'comments' | 'both' | 'communities';

export interface PublishedFile {
  /** In hex. */
  readonly sha256: string;
  readonly bytes: number;
}

/** Lower-case letters, digits, and hyphens between them, 64 at the most: a name in every system, and never a path. */
export const DATASET_NAME = /^[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?$/;

export const DATASET_NAME_WORDS =
  '1 to 64 lower-case letters, digits and hyphens, with a letter or digit at each end';

/** The formats of its files, by the ending of their names, in the order in which they are offered. */
export const DATASET_FORMATS = ['ndjson.zst', 'csv.gz', 'parquet'] as const;

export type DatasetFormat = (typeof DATASET_FORMATS)[number];

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
  withdraw(removal: number): void;
  /** The removal holds no more: what it withdrew is made anew with the records that came back. */
  undone(removal: number): void;
  /** Deletes unpublished copies that may have removed texts. False: another process works on some of them. */
  eraseLeft(): boolean;
}
