// What an import reads from. One content is the unpacked data of one file, one archive entry or standard input.

import type { HeadedBytes } from '../containers/head.ts';
import type { Notes } from '../containers/unpack.ts';

export interface Content {
  /** For people: the path as given or found, `-` for standard input, `archive.zip/entry` inside an archive. */
  readonly name: string;
  /** What the user named: the content itself, or the folder or archive that contains it. */
  readonly source: string;
  /** True if the user named it; false if it was found in a folder or archive, so that it may be passed over. */
  readonly isNamed: boolean;
  /** Bytes on disk; null if unknown. */
  readonly size: number | null;
  /** Equal for equal bytes, whatever their place and name; null if it cannot be known. */
  identity(): Promise<string | null>;
  /** Standard input can be opened only once. */
  open(): Promise<OpenContent>;
}

export interface OpenContent {
  readonly bytes: HeadedBytes;
  /** Grows while `bytes` is read. */
  readonly notes: Notes;
  /** Bytes of `size` read so far. */
  bytesRead(): number;
}
