// The endings of the files of a data set.

import type { Compression, Format } from '../exporting/formats.ts';
import type { DatasetFormat } from '../model/dataset.ts';

/** What the ending of a file means to the export room. */
export const FORMAT_OF: Readonly<
  Record<DatasetFormat, { readonly format: Format; readonly compress: Compression }>
> = {
  'ndjson.zst': { format: 'ndjson', compress: 'zstd' },
  'csv.gz': { format: 'csv', compress: 'gzip' },
  parquet: { format: 'parquet', compress: 'none' },
};
