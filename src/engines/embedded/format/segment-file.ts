// Reads the bytes of a segment, which are written once (segment-writer.ts) and never changed. They are in a
// file of their own, or in memory (a small segment is one value in the manifest).
//
//   "COLLOQ01"   8 bytes
//   sections     records, postings, columns … each begins at a multiple of 8; the last one, `pages`, holds the
//                checksums of all before it (page-sums.ts)
//   footer       JSON: what the segment is, and offset, length and CRC-32 of each section
//   u32 length of the footer, u32 CRC-32 of the footer, "COLLOQ01"

import { Buffer } from 'node:buffer';
import { closeSync, fstatSync, openSync, read, readSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import { StorageError, storageError, UsageError, wordsOf } from '../../../errors.ts';
import type { Kind } from '../../../model/record.ts';
import {
  checkPage,
  isPageChecked,
  PAGE_BYTES,
  type PageSums,
  pageEnd,
  pageOf,
  pageSums,
} from './page-sums.ts';

/** The format that is written, and the newest that is read. */
export const FORMAT_VERSION = 1;

/** At the beginning and at the end. */
export const MAGIC = magicOf(FORMAT_VERSION);
/** Length of the footer, its checksum, the mark. */
export const TAIL_BYTES = 16;

export interface Section {
  readonly offset: number;
  readonly length: number;
  readonly crc: number;
}

/** The description of a segment: small, and read first. */
export interface Footer {
  readonly version: number;
  readonly kind: Kind;
  readonly docs: number;
  /** Least and greatest id by `compareIds`. */
  readonly firstId: string;
  readonly lastId: string;
  /** Unix seconds of the first and the last record. */
  readonly firstCreated: number;
  readonly lastCreated: number;
  /** Which pairs are indexed (pairs.ts). */
  readonly pairRule: number;
  readonly sections: Readonly<Record<string, Section>>;
}

/** The file of a segment contains other bytes than were written, ends too early, or cannot be read. */
export class SegmentDamage extends StorageError {
  /** null: of the kind that was asked for. */
  readonly kind: Kind | null;

  constructor(message: string, options: { kind?: Kind | null; cause?: unknown } = {}) {
    super(message, options);
    this.name = 'SegmentDamage';
    this.kind = options.kind ?? null;
  }
}

/** Bytes that can be read anywhere. */
export interface ByteSource {
  readonly size: number;
  /** Fills `target` from `offset` on. Throws if the bytes end before that. */
  readInto(target: Bytes, offset: number, length: number): void;
  /**
   * Says that these bytes will be asked for, and returns at once: those that the process has not read yet are fetched
   * by other threads side by side, where reading waits for a disk. Absent: it never does.
   */
  readAhead?(offset: number, length: number): void;
}

type Bytes = NodeJS.ArrayBufferView<ArrayBuffer | SharedArrayBuffer>;

/** A file, perhaps truncated, through which every read goes. */
export class FileSource implements ByteSource {
  readonly fd: number;
  readonly size: number;
  readonly #path: string;
  #pages: PageSums | null;

  /**
   * `shared`: another thread of the process has opened the file and will close it, perhaps before this one
   * has seen the view without it; `size` must then be given. `pages` null: none is checked.
   */
  constructor(path: string, shared?: number, pages: PageSums | null = null, size?: number) {
    const isOwn = shared === undefined;
    const fd = isOwn ? openSync(path, 'r') : shared;
    this.fd = fd;
    this.#path = path;
    this.#pages = pages;
    this.size = size ?? sizeOf(path, fd, isOwn);
  }

  /** From now on, checks each page before returning any of its bytes. */
  checkBy(pages: PageSums | null): void {
    this.#pages = pages;
  }

  /** Throws a SegmentDamage. */
  readInto(target: Bytes, offset: number, length: number): void {
    const pages = this.#pages;
    if (pages === null || areChecked(pages, offset, length)) this.#read(target, offset, length);
    else this.#readChecked(pages, new Uint8Array(target.buffer, target.byteOffset, length), offset);
  }

  /** Into the system's page cache, whole pages; should that fail, `readInto` says so. */
  readAhead(offset: number, length: number): void {
    const pages = this.#pages;
    if (pages === null || length === 0) return;
    const last = pageOf(Math.min(offset + length, pages.end) - 1);
    for (let page = pageOf(offset); page <= last; page++) {
      if (isPageChecked(pages, page)) continue;
      const first = page;
      while (page < last && page - first < AHEAD_PAGES - 1 && !isPageChecked(pages, page + 1)) page++;
      read(this.fd, ahead, 0, (page + 1 - first) * PAGE_BYTES, first * PAGE_BYTES, () => {});
    }
  }

  close(): void {
    closeSync(this.fd);
  }

  /** Reads whole pages straight into their place, those at the ends through `onePage`. */
  #readChecked(pages: PageSums, target: Uint8Array, offset: number): void {
    const end = offset + target.length;
    const covered = Math.min(end, pages.end);
    const first = Math.ceil(offset / PAGE_BYTES);
    const behind = covered === pages.end ? Math.ceil(covered / PAGE_BYTES) : pageOf(covered);
    if (first < behind) this.#readWhole(pages, first, behind, target.subarray(first * PAGE_BYTES - offset));
    if (offset < first * PAGE_BYTES) this.#readPart(pages, first - 1, target, offset);
    if (behind >= first && covered > behind * PAGE_BYTES) this.#readPart(pages, behind, target, offset);
    if (end > covered) this.#read(target.subarray(covered - offset), covered, end - covered);
  }

  /** Pages `first` to `behind`, the last apart, to the beginning of `target`. */
  #readWhole(pages: PageSums, first: number, behind: number, target: Uint8Array): void {
    const from = first * PAGE_BYTES;
    const bytes = target.subarray(0, pageEnd(pages, behind - 1) - from);
    this.#read(bytes, from, bytes.length);
    for (let page = first; page < behind; page++) {
      const at = page * PAGE_BYTES - from;
      this.#check(pages, page, bytes.subarray(at, at + PAGE_BYTES));
    }
  }

  /** Reads the part of this page that belongs into `target`, which begins at `offset`. */
  #readPart(pages: PageSums, page: number, target: Uint8Array, offset: number): void {
    const start = page * PAGE_BYTES;
    const bytes = onePage.subarray(0, pageEnd(pages, page) - start);
    this.#read(bytes, start, bytes.length);
    this.#check(pages, page, bytes);
    const from = Math.max(start, offset);
    target.set(bytes.subarray(from - start, offset + target.length - start), from - offset);
  }

  /** `bytes` are the page as it was just read. */
  #check(pages: PageSums, page: number, bytes: Uint8Array): void {
    if (isPageChecked(pages, page)) return;
    newPages++;
    if (checkPage(pages, page, bytes)) return;
    throw this.#broken(
      `bytes ${page * PAGE_BYTES} to ${pageEnd(pages, page)} as they were written, found others`,
    );
  }

  #read(target: Bytes, offset: number, length: number): void {
    for (let done = 0; done < length; ) {
      const read = this.#readSome(target, done, length - done, offset + done);
      if (read === 0) throw this.#broken(`${offset + length} bytes, found its end after ${offset + done}`);
      done += read;
    }
  }

  #readSome(target: Bytes, at: number, length: number, offset: number): number {
    try {
      return readSync(this.fd, target as NodeJS.ArrayBufferView<ArrayBuffer>, at, length, offset);
    } catch (error) {
      throw this.#broken(`to read ${length} bytes at ${offset}, found: ${wordsOf(error)}`, error);
    }
  }

  #broken(expected: string, cause?: unknown): SegmentDamage {
    return new SegmentDamage(`\`${this.#path}\`: expected ${expected}; run \`colloquy check\``, { cause });
  }
}

function sizeOf(path: string, fd: number, isOwn: boolean): number {
  try {
    return fstatSync(fd).size;
  } catch (error) {
    // uncovered: an open file of which the system does not say the size
    if (isOwn) closeSync(fd);
    throw storageError(error, path);
  }
}

/** Reads are synchronous: one page at a time and thread. */
const onePage = Buffer.allocUnsafeSlow(PAGE_BYTES);

/** Read ahead at once; what comes there is not looked at, whichever read wrote it. */
const AHEAD_PAGES = 8;
const ahead = Buffer.allocUnsafeSlow(AHEAD_PAGES * PAGE_BYTES);

let newPages = 0;

/** How many pages this thread was the first of the process to read. */
export function newPagesRead(): number {
  return newPages;
}

function areChecked(pages: PageSums, offset: number, length: number): boolean {
  if (offset >= pages.end || length === 0) return true;
  const last = pageOf(Math.min(offset + length, pages.end) - 1);
  for (let page = pageOf(offset); page <= last; page++) if (!isPageChecked(pages, page)) return false;
  return true;
}

export class MemorySource implements ByteSource {
  readonly #bytes: Uint8Array;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get size(): number {
    return this.#bytes.length;
  }

  readInto(target: Bytes, offset: number, length: number): void {
    if (offset + length > this.size)
      throw new Error(`segment of ${this.size} bytes, expected ${offset + length}`);
    const into = new Uint8Array(target.buffer, target.byteOffset, length);
    into.set(this.#bytes.subarray(offset, offset + length));
  }
}

/** What the manifest keeps of a segment with a file: the CRC-32 of its footer as it is written. */
export function footerSum(footer: Footer): number {
  return crc32(JSON.stringify(footer));
}

/** Throws a StorageError if the bytes are not a segment, a UsageError if a newer version wrote them. */
export function readFooter(source: ByteSource, name: string): Footer {
  const broken = (what: string) =>
    new StorageError(`segment \`${name}\`: expected ${what}; run \`colloquy check\``);
  if (source.size < MAGIC.length + TAIL_BYTES) throw broken(`at least 24 bytes, found ${source.size}`);
  const tail = Buffer.alloc(TAIL_BYTES);
  source.readInto(tail, source.size - TAIL_BYTES, TAIL_BYTES);
  const version = versionOf(tail.subarray(8));
  if (version === null) throw broken('the mark of a segment at its end');
  const length = tail.readUInt32LE(0);
  if (length > source.size - TAIL_BYTES) throw broken('a footer inside the file');
  const json = Buffer.alloc(length);
  source.readInto(json, source.size - TAIL_BYTES - length, length);
  if (crc32(json) !== tail.readUInt32LE(4)) throw broken('a footer that fits its checksum');
  const footer = JSON.parse(json.toString()) as Footer;
  if (footer.version !== version)
    throw broken(`format ${version} in the footer too, found ${footer.version}`);
  if (version > FORMAT_VERSION) {
    throw new UsageError(
      `segment \`${name}\`: expected format ${FORMAT_VERSION}, found ${version}: ` +
        'a newer version of Colloquy wrote it; use that one',
    );
  }
  return footer;
}

/** Throws a StorageError for a file that does not begin like a segment, whatever its end says. */
export function checkMark(source: ByteSource, { version }: Footer, name: string): void {
  const mark = Buffer.alloc(MAGIC.length);
  source.readInto(mark, 0, mark.length);
  if (mark.equals(magicOf(version))) return;
  throw new StorageError(
    `segment \`${name}\`: expected the mark of a segment at its beginning, found other bytes; run \`colloquy check\``,
  );
}

/** Throws a StorageError if they are not as they were written. */
export function readPageSums(source: ByteSource, { sections }: Footer, name: string): PageSums {
  const { offset, length, crc } = sections.pages!;
  const bytes = new Uint8Array(new SharedArrayBuffer(length));
  source.readInto(bytes, offset, length);
  if (crc32(bytes) !== crc || length !== Math.ceil(offset / PAGE_BYTES) * 4) {
    throw new StorageError(
      `segment \`${name}\`: expected checksums of pages as they were written, found others; run \`colloquy check\``,
    );
  }
  return pageSums(bytes, offset);
}

function magicOf(version: number): Buffer {
  return Buffer.from(`COLLOQ${String(version).padStart(2, '0')}`, 'latin1');
}

/** null: not the mark of a segment. */
function versionOf(mark: Buffer): number | null {
  const found = /^COLLOQ([0-9]{2})$/.exec(mark.toString('latin1'));
  return found === null ? null : Number(found[1]);
}
