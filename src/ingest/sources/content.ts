// What an import reads from: one content is the unpacked inside of one file, of one entry of an archive, or of
// standard input.

import type { HeadedBytes } from '../containers/head.ts';
import type { Notes } from '../containers/unpack.ts';

export interface Content {
  /** For people: the path as given or found, `-` for standard input, `archive.zip/entry` inside an archive. */
  readonly name: string;
  /** What the user named: the content's own name, or the folder or archive that it was found in. */
  readonly source: string;
  /** True where the user named it, false where it was found in a folder or archive: then it may be passed over. */
  readonly isNamed: boolean;
  /** Bytes on disk; null where nobody knows. */
  readonly size: number | null;
  /** The same for the same bytes, wherever they lie and whatever they are called; null: cannot be known. */
  identity(): Promise<string | null>;
  /** Once only for standard input. */
  open(): Promise<OpenContent>;
}

export interface OpenContent {
  readonly bytes: HeadedBytes;
  /** Grows while `bytes` is read. */
  readonly notes: Notes;
  /** Bytes of `size` read so far. */
  bytesRead(): number;
}
