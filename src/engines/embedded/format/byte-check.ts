// Whether the bytes of a segment are those that were written: reads all of them and computes their checksums.

import { Buffer } from 'node:buffer';
import { crc32 } from 'node:zlib';
import { PAGE_BYTES, type PageSums, pageEnd } from './page-sums.ts';
import { type ByteSource, type Footer, readPageSums } from './segment-file.ts';

const READ_BYTES = 64 * PAGE_BYTES;
/** Damaged pages beyond this number are only counted. */
const MAX_TOLD = 10;

/**
 * A line for each problem, with section and place; empty if there is none. `source` must not check by itself.
 * Throws a StorageError if it cannot be read.
 */
export function byteProblems(source: ByteSource, footer: Footer, name: string): string[] {
  const pages = readPageSums(source, footer, name);
  const problems: string[] = [];
  for (const { page, found } of wrongPages(source, pages)) {
    const [from, to] = [page * PAGE_BYTES, pageEnd(pages, page)];
    problems.push(
      `${sectionsAt(footer, from, to)}, bytes ${from} to ${to}: expected checksum ${pages.sums[page]}, found ${found}`,
    );
  }
  const more = problems.length - MAX_TOLD;
  return more > 0 ? [...problems.slice(0, MAX_TOLD), `and ${more} more pages of 16 KiB`] : problems;
}

function* wrongPages(
  source: ByteSource,
  pages: PageSums,
): Generator<{ readonly page: number; readonly found: number }> {
  const buffer = Buffer.allocUnsafeSlow(Math.min(READ_BYTES, pages.end));
  for (let from = 0; from < pages.end; from += READ_BYTES) {
    const length = Math.min(READ_BYTES, pages.end - from);
    source.readInto(buffer, from, length);
    for (let at = 0; at < length; at += PAGE_BYTES) {
      const page = (from + at) / PAGE_BYTES;
      const found = crc32(buffer.subarray(at, Math.min(at + PAGE_BYTES, length)));
      if (found !== pages.sums[page]) yield { page, found };
    }
  }
}

/** `section score`, `sections score, place`: those that have bytes between the two. */
function sectionsAt({ sections }: Footer, from: number, to: number): string {
  const names = Object.entries(sections)
    .filter(([, { offset, length }]) => offset < to && offset + length > from)
    .map(([name]) => name);
  return `${names.length === 1 ? 'section' : 'sections'} ${names.join(', ')}`;
}
