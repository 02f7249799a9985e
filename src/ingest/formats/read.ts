// The blocks of a content, from the reader for its format.

import type { HeadedBytes } from '../containers/byte-source.ts';
import type { Naming } from '../normalise/field-names.ts';
import { type Block, type SourcePosition, START } from './block.ts';
import { readCsv } from './csv.ts';
import { detectFormat, type Format, SAMPLE_BYTES } from './detect.ts';
import { readLines } from './lines.ts';
import { readValues } from './values.ts';

/**
 * Blocks from `from` on. `keepsRows`: adds rows of CSV as in the source. Throws a UsageError before the first block if
 * the format is unknown.
 */
export async function readBlocks(
  content: HeadedBytes,
  naming: Naming,
  from: SourcePosition = START,
  keepsRows = false,
): Promise<{ readonly format: Format['kind']; readonly blocks: AsyncIterable<Block> }> {
  const head = await content.head(SAMPLE_BYTES);
  const format = detectFormat(head, naming);
  const bytes = startsWithMark(head) ? withoutMark(content) : content;
  switch (format.kind) {
    case 'csv':
      return { format: 'csv', blocks: readCsv(bytes, format.layout, from, keepsRows) };
    case 'values':
      return { format: 'values', blocks: readValues(bytes, from) };
    case 'lines':
    case 'empty':
      return { format: format.kind, blocks: readLines(bytes, from) };
  }
}

const MARK_BYTES = 3;

/** U+FEFF in UTF-8, which some programs write in front. */
function startsWithMark(head: Buffer): boolean {
  return head.toString('latin1', 0, MARK_BYTES) === '\xef\xbb\xbf';
}

async function* withoutMark(bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let toSkip = MARK_BYTES;
  for await (const chunk of bytes) {
    yield chunk.subarray(toSkip);
    toSkip = Math.max(0, toSkip - chunk.length);
  }
}
