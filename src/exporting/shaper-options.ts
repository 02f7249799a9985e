// How the thread of an engine is told to make an export.

import type { CatalogueFile } from '../catalogue/knowledge-snapshot.ts';
import type { ShaperModule } from '../model/export.ts';
import type { Kind } from '../model/record.ts';
import type { Compression, Format } from './formats.ts';

export interface ShaperOptions {
  readonly kind: Kind;
  readonly format: Format;
  /** One that the format allows (`canCompress`). */
  readonly compress: Compression;
  /** As `readFields` gives them. */
  readonly fields: readonly string[] | null;
  readonly permalinkBase: string;
  /** null: nothing is known of communities beside the records. */
  readonly catalogue: CatalogueFile | null;
  /** What a file says of itself where its format has a place for it: Parquet, each as `colloquy.<name>`. */
  readonly about?: Readonly<Record<string, string>>;
  /** Goes on behind a part; null: from the first byte. Everything else must be as it was. */
  readonly resume: Resumption | null;
}

export interface Resumption {
  /** What `RecordShaper.state` gave at the step, as JSON holds it. */
  readonly state: unknown;
  /** A file that has all bytes up to that step, and no others. */
  readonly part: string;
}

/** What an engine loads into its thread. */
export function shaperModule(options: ShaperOptions): ShaperModule {
  return { url: new URL('./shaper.ts', import.meta.url).href, options };
}
