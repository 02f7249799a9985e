// What an import reads from. One content is the unpacked data of one file, one archive entry or standard input.

import type { PublishedFile } from '../../model/import-log.ts';
import type { HeadedBytes } from '../containers/head.ts';
import type { Container } from '../containers/unpack.ts';

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
  /** Standard input can be opened only once. Absent: to look at its beginning, which may be damaged. */
  open(reading?: ContentReading): Promise<OpenContent>;
}

/** To read a content as far as it is vouched for, and not changed meanwhile. */
export interface ContentReading {
  /** `published` is wanted. */
  readonly digests: boolean;
  readonly isStopped: () => boolean;
  /** Called for every chunk that is only checked: what is large is checked before its first bytes come. */
  readonly onChecked: () => void;
}

export interface OpenContent {
  readonly bytes: HeadedBytes;
  /** The outermost first; complete from the beginning. */
  readonly containers: readonly Container[];
  /** Bytes of `size` read so far; what is checked first counts when it is read. */
  bytesRead(): number;
  /**
   * The whole file that the bytes come from, also where they end before it does. To be called once, when no more of
   * `bytes` is read. null: it was stopped, is not wanted, has changed meanwhile, or the bytes come through a pipe: they
   * may be anything.
   */
  published(isStopped: () => boolean): Promise<PublishedFile | null>;
}
