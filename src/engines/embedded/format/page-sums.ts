// Checksums of the pages of a segment file: every byte is checked when it is first read in the process.
//
//   section `pages`   u32 CRC-32 of each 16 KiB of all that stands before the section, the last page as long as it is
//
// A CRC-32 finds every change of up to 32 neighbouring bits; of others it misses one in 2^32 (Koopman, DSN 2002).

import { crc32 } from 'node:zlib';

/**
 * A page costs 4 bytes of file and memory, and 3 µs once; smaller pages would cost more, larger ones take
 * longer to read.
 */
export const PAGE_BYTES = 1 << 14;

/**
 * The checksums of a file's pages, and which pages have been checked, in memory that the threads of the
 * process share.
 */
export interface PageSums {
  /** They cover the file up to here. */
  readonly end: number;
  readonly sums: Uint32Array<SharedArrayBuffer>;
  /** A bit a page. */
  readonly checked: Uint32Array<SharedArrayBuffer>;
}

/** `bytes`: the section. */
export function pageSums(bytes: Uint8Array<SharedArrayBuffer>, end: number): PageSums {
  const pages = Math.ceil(end / PAGE_BYTES);
  const checked = new Uint32Array(new SharedArrayBuffer(Math.ceil(pages / 32) * 4));
  // Not `end` first: V8 would make it one shape with other objects that begin so, and where their `end` is no small
  // integer, every look at a page would leave optimised code.
  return { checked, sums: new Uint32Array(bytes.buffer), end };
}

export function pageOf(offset: number): number {
  return Math.floor(offset / PAGE_BYTES);
}

/** Where a page ends. */
export function pageEnd({ end }: PageSums, page: number): number {
  return Math.min(end, (page + 1) * PAGE_BYTES);
}

export function isPageChecked({ checked }: PageSums, page: number): boolean {
  return ((checked[page >>> 5]! >>> (page & 31)) & 1) === 1;
}

/** `bytes` are the whole page. Remembers that they are right; false if they are not. */
export function checkPage({ sums, checked }: PageSums, page: number, bytes: Uint8Array): boolean {
  if (crc32(bytes) !== sums[page]) return false;
  Atomics.or(checked, page >>> 5, 1 << (page & 31));
  return true;
}

/** Computes the checksums of pages as their bytes arrive. */
export class PageSummer {
  readonly #sums: number[] = [];
  #sum = 0;
  #inPage = 0;

  add(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length; ) {
      const piece = bytes.subarray(at, at + PAGE_BYTES - this.#inPage);
      this.#sum = crc32(piece, this.#sum);
      this.#inPage += piece.length;
      at += piece.length;
      if (this.#inPage === PAGE_BYTES) this.#endPage();
    }
  }

  finish(): Uint32Array {
    if (this.#inPage > 0) this.#endPage();
    return Uint32Array.from(this.#sums);
  }

  #endPage(): void {
    this.#sums.push(this.#sum);
    this.#sum = 0;
    this.#inPage = 0;
  }
}
