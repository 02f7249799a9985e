// What is noted of an import: one entry a source. Times are Unix seconds.

export interface ImportEntry extends SourceFacts {
  /** The path as it was named or found, with the name of the entry inside an archive; `-` for standard input. */
  readonly file: string;
  /** Stands for the content, here alone; empty for standard input. */
  readonly checksum: string;
  /** The query of what was taken in, in canonical form; null: everything was. */
  readonly where: string | null;
  /** As the importer counts: numbers, by reason where it has reasons. */
  readonly counts: Readonly<Record<string, unknown>>;
  readonly started: number;
  /** null: broken off. */
  readonly finished: number | null;
}

/** What is noted of a source beside that; all null of imports before it was noted. */
export interface SourceFacts {
  /** As `file`, without the folder that it was in here. */
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

/** A file that others have too. */
export interface PublishedFile {
  /** In hex. */
  readonly sha256: string;
  readonly bytes: number;
}
