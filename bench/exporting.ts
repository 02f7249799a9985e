// What the benchmark of exports does once: all comments, as the API's callers get them.

import { shaperModule } from '../src/features/export/export-service.ts';
import type { Compression, Format } from '../src/features/export/parameters.ts';
import type { SearchEngine } from '../src/model/engine.ts';

export interface Exported {
  readonly records: number;
  readonly bytes: number;
}

/**
 * `onBytes`: with each block that has some. Null as limit: all records. What comes is let go of at once, as by a caller
 * that has written it.
 */
export async function exportAll(
  engine: SearchEngine,
  format: Format,
  compress: Compression,
  { onBytes, limit = null }: { readonly onBytes?: () => void; readonly limit?: number | null } = {},
): Promise<Exported> {
  const shaper = shaperModule({
    ...{ kind: 'comment', format, compress, fields: null, resume: null },
    ...{ permalinkBase: 'https://www.reddit.com', catalogue: null },
  });
  const query = { items: [] };
  const request = { kind: 'comment', query, order: 'oldest', after: null, limit, shaper } as const;
  await using run = await engine.export(request);
  let bytes = 0;
  let records = 0;
  for await (const block of run.blocks) {
    if (block.bytes.length > 0) onBytes?.();
    for (const { length, buffer } of block.bytes) {
      bytes += length;
      if (buffer instanceof ArrayBuffer && buffer.byteLength === length) buffer.transfer(0);
    }
    records = block.records;
  }
  return { records, bytes };
}
