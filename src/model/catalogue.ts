// What the catalogue stores about each import. Times are Unix seconds.

import type { Kind } from './record.ts';

export interface ImportEntry extends SourceFacts {
  /** The path as it was given or found, with the entry's name if it is in an archive; `-` for standard input. */
  readonly file: string;
  /** Identifies the content within this catalogue; empty for standard input. */
  readonly checksum: string;
  /** The query of `--where` in canonical form; null: everything was imported. */
  readonly where: string | null;
  readonly counts: Readonly<Record<string, unknown>>;
  readonly started: number;
  /** null: the import was interrupted. */
  readonly finished: number | null;
  /** The arrivals of its records, by kind; absent: none, or not noted. */
  readonly arrivals?: ArrivalSpans;
}

type ArrivalSpans = Readonly<Partial<Record<Kind, ArrivalSpan>>>;

/** The first and last arrival. Those of other imports may lie between them, and small sources share one. */
export interface ArrivalSpan {
  readonly first: number;
  readonly last: number;
}

export interface ArrivedImport extends ArrivalSpan {
  /** Unique, never used again, from 1. */
  readonly number: number;
  readonly source: string;
}

export interface SourceFacts {
  readonly name: string | null;
  /** SHA-256 (in hex) and bytes of the file as published; null: interrupted, or not a file of its own. */
  readonly sha256: string | null;
  readonly bytes: number | null;
  /** Format and compression, as in `ndjson.zst`; null: nothing was read. */
  readonly format: string | null;
  /** The kind of the imported records; null: there are none. */
  readonly kind: SourceKind | null;
  /** The range of creation times of the imported records; null: there are none. */
  readonly first: number | null;
  readonly last: number | null;
}

export type SourceKind = 'posts' | 'comments' | 'both' | 'communities';

export interface PublishedFile {
  /** In hex. */
  readonly sha256: string;
  readonly bytes: number;
}
