// How the pages of a Parquet file are compressed.

import { constants, zstdCompressSync } from 'node:zlib';

/** As `zstd` compresses where no level is given. */
const ZSTD_LEVEL = 3;

export function compressedPage(page: Uint8Array): Uint8Array {
  const params = { [constants.ZSTD_c_compressionLevel]: ZSTD_LEVEL };
  return zstdCompressSync(page, { params, pledgedSrcSize: page.length });
}
