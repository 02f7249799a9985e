// What an import reads from. One content is the unpacked data of one file, one archive entry or standard input.

import type { PublishedFile } from '../../model/import-log.ts';
import type { HeadedBytes } from '../containers/head.ts';
import type { Container, Notes } from '../containers/unpack.ts';

export interface Content {
  /** For people: the path as given or found, `-` for standard input, `archive.zip/entry` inside an archive. */
  readonly name: string;
  /** The same without the folder that it is in. */
  readonly fileName: string;
  /** What the user named: the content itself, or the folder or archive that contains it. */
  readonly source: string;
  /** True if the user named it; false if it was found in a folder or archive, so that it may be passed over. */
  readonly isNamed: boolean;
  /** Bytes on disk; null if unknown. */
  readonly size: number | null;
  /** Equal for equal bytes, whatever their place and name; null if it cannot be known. */
  identity(): Promise<string | null>;
  /** Standard input can be opened only once. `digests`: `published` is wanted; absent: it is not. */
  open(options?: { readonly digests?: boolean }): Promise<OpenContent>;
}

export interface OpenContent {
  readonly bytes: HeadedBytes;
  /** Grows while `bytes` is read. */
  readonly notes: Notes;
  /** The outermost first; complete from the beginning. */
  readonly containers: readonly Container[];
  /** Bytes of `size` read so far. */
  bytesRead(): number;
  /**
   * The whole file that the bytes come from, also where they end before it does. To be called once, when no more of
   * `bytes` is read. null: it was stopped, is not wanted, or the bytes come through a pipe: they may be anything.
   */
  published(isStopped: () => boolean): Promise<PublishedFile | null>;
}
