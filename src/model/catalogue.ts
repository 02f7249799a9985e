// What the catalogue keeps beside the index of each import: what it brought in. Times are Unix seconds.

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
