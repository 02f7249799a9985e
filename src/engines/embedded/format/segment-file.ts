// Reads the bytes of a segment, which are written once (segment-writer.ts) and never changed. They are in a file of
// their own, or in memory (a small segment is one value in the manifest).
//
//   "COLLOQ02"   8 bytes
//   sections     records, postings, columns … each begins at a multiple of 8; the last one, `pages`, holds the
//                checksums of all before it
//   footer       JSON: what the segment is, and offset, length and CRC-32 of each section
//   u32 length of the footer, u32 CRC-32 of the footer, "COLLOQ02"
//
// Every byte is checked when it is first read in the process.
//
//   section `pages`   u32 CRC-32 of each 16 KiB of all that stands before the section, the last page as long as it is
//
// A CRC-32 finds every change of up to 32 neighbouring bits; of others it misses one in 2^32 (Koopman, DSN 2002).

import { Buffer } from 'node:buffer';
import { closeSync, fstatSync, openSync, read, readSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import { StorageError, storageError, UsageError, wordsOf } from '../../../errors.ts';
import type { Kind } from '../../../model/record.ts';

/**
 * A page costs 4 bytes of file and memory, and 3 µs once; smaller pages would cost more, larger ones take
 * longer to read.
 */
export const PAGE_BYTES = 1 << 14;

/** Checksums of a file's pages, and which pages were checked. The threads of the process share them. */
export interface PageSums {
  readonly end: number;
  readonly sums: Uint32Array<SharedArrayBuffer>;
  /** One bit for each page. */
  readonly checked: Uint32Array<SharedArrayBuffer>;
}

/** `bytes`: the section. */
function pageSums(bytes: Uint8Array<SharedArrayBuffer>, end: number): PageSums {
  const pages = Math.ceil(end / PAGE_BYTES);
  const checked = new Uint32Array(new SharedArrayBuffer(Math.ceil(pages / 32) * 4));
  // `end` must not come first: V8 would share the shape with other objects that begin so. If their `end` is no small
  // integer, every look at a page would leave optimised code.
  return { checked, sums: new Uint32Array(bytes.buffer), end };
}

function pageOf(offset: number): number {
  return Math.floor(offset / PAGE_BYTES);
}

export function pageEnd({ end }: PageSums, page: number): number {
  return Math.min(end, (page + 1) * PAGE_BYTES);
}

export function isPageChecked({ checked }: PageSums, page: number): boolean {
  return ((checked[page >>> 5]! >>> (page & 31)) & 1) === 1;
}

/** Checks a whole page and remembers a right one; false if it is damaged. */
function checkPage({ sums, checked }: PageSums, page: number, bytes: Uint8Array): boolean {
  if (crc32(bytes) !== sums[page]) return false;
  Atomics.or(checked, page >>> 5, 1 << (page & 31));
  return true;
}

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

/** The format that is written, and the newest that can be read. */
export const FORMAT_VERSION = 2;
/** Payloads of lists have been what neighbours.ts says since this format. */
export const FIRST_WITH_PLACES = 2;

export const MAGIC = magicOf(FORMAT_VERSION);
/** Length and checksum of the footer, and the mark. */
export const TAIL_BYTES = 16;

export interface Section {
  readonly offset: number;
  readonly length: number;
  readonly crc: number;
}

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
  readonly sections: Readonly<Record<string, Section>>;
}

/** The file of a segment has other bytes than were written, ends too early, or cannot be read. */
export class SegmentDamage extends StorageError {
  /** null: the kind that the call is about. */
  readonly kind: Kind | null;

  constructor(message: string, options: { kind?: Kind | null; cause?: unknown } = {}) {
    super(message, options);
    this.name = 'SegmentDamage';
    this.kind = options.kind ?? null;
  }
}

export interface ByteSource {
  readonly size: number;
  /** Fills `target` from `offset` on. Throws if the bytes end too early. */
  readInto(target: Bytes, offset: number, length: number): void;
  /**
   * Announces a read and returns at once. If reading waits for a disk, other threads fetch bytes that the process has
   * not read yet, side by side. Absent: reading never waits.
   */
  readAhead?(offset: number, length: number): void;
}

type Bytes = NodeJS.ArrayBufferView<ArrayBuffer | SharedArrayBuffer>;

/** A file, perhaps truncated. Every read goes through it. */
export class FileSource implements ByteSource {
  readonly fd: number;
  readonly size: number;
  readonly #path: string;
  #pages: PageSums | null;

  /**
   * `shared`: the descriptor that another thread of the process has opened and will close, perhaps before this thread
   * has seen the view without the file; `size` must then be given. `pages` null: pages are not checked.
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

  readInto(target: Bytes, offset: number, length: number): void {
    const pages = this.#pages;
    if (pages === null || areChecked(pages, offset, length)) this.#read(target, offset, length);
    else this.#readChecked(pages, new Uint8Array(target.buffer, target.byteOffset, length), offset);
  }

  /** Reads whole pages into the system's page cache. If that fails, `readInto` will tell. */
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

  /** Reads whole pages straight into `target`, and those at the ends through `onePage`. */
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

  /** Reads pages `first` to before `behind` to the beginning of `target`. */
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

  /** `bytes` are the page as just read. */
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

/** Reads are synchronous, so a thread needs one page at a time. */
const onePage = Buffer.allocUnsafeSlow(PAGE_BYTES);

/** Pages that are read ahead at once. Nobody looks at the bytes, so all reads may share the buffer. */
const AHEAD_PAGES = 8;
const ahead = Buffer.allocUnsafeSlow(AHEAD_PAGES * PAGE_BYTES);

/** Pages that this thread was the first of the process to read. */
export let newPages = 0;

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

/** CRC-32 of the footer as written; the manifest keeps it for a segment in a file. */
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

/** Throws a StorageError if the file does not begin like a segment, even if it ends like one. */
export function checkMark(source: ByteSource, { version }: Footer, name: string): void {
  const mark = Buffer.alloc(MAGIC.length);
  source.readInto(mark, 0, mark.length);
  if (mark.equals(magicOf(version))) return;
  throw new StorageError(
    `segment \`${name}\`: expected the mark of a segment at its beginning, found other bytes; run \`colloquy check\``,
  );
}

/** Throws a StorageError if they are damaged. */
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

/** Parts are near if at most this many bytes lie between them: some twenty rows. */
const NEAR_BYTES = 1 << 12;
/** Bytes that are read at once if a part is near the last one; if the next is near too, GROWTH times as many. */
const LEAST_WINDOW = 1 << 12;
const GROWTH = 4;

/** What was read last is in `bytes` until anything else is read. */
export interface ReadBytes {
  readonly bytes: Buffer;
  /** Reads the part from `offset` to `offset + length`, and returns where it is. */
  at(offset: number, length: number): number;
}

/** Reads parts of a section for a walk up or down. If the next part is near the last, it reads those behind it too. */
export class ByteWindow implements ReadBytes {
  readonly #source: ByteSource;
  readonly #start: number;
  readonly #end: number;
  readonly #greatest: number;
  readonly #near: number;
  #window = LEAST_WINDOW;
  /** The bytes of the source from `#from` to before `#to`. */
  bytes: Buffer = Buffer.allocUnsafeSlow(LEAST_WINDOW);
  #from: number;
  #to: number;

  /** `greatest`: the most bytes that are read at once and kept, except for a longer part. */
  constructor(
    source: ByteSource,
    { offset, length }: Omit<Section, 'crc'>,
    greatest: number,
    near = NEAR_BYTES,
  ) {
    this.#source = source;
    this.#start = this.#from = this.#to = offset;
    this.#end = offset + length;
    this.#greatest = greatest;
    this.#near = near;
  }

  at(offset: number, length: number): number {
    if (offset < this.#from || offset + length > this.#to) this.#fill(offset, offset + length);
    return offset - this.#from;
  }

  #fill(from: number, to: number): void {
    let [first, last] = [from, to];
    const isAhead = from >= this.#from && from - this.#to <= this.#near;
    const isBehind = to <= this.#to && this.#from - to <= this.#near;
    if (isAhead) last = Math.max(to, Math.min(this.#end, from + this.#window));
    else if (isBehind) first = Math.min(from, Math.max(this.#start, to - this.#window));
    this.#window = isAhead || isBehind ? Math.min(this.#window * GROWTH, this.#greatest) : LEAST_WINDOW;
    // Data aligned in the source are aligned in the buffer.
    first -= first % 8;
    if (this.bytes.length < last - first) this.bytes = Buffer.allocUnsafeSlow(last - first);
    // If reading fails, the buffer is empty.
    this.#from = this.#to = this.#start;
    this.#source.readInto(this.bytes, first, last - first);
    this.#from = first;
    this.#to = last;
  }
}

const READ_BYTES = 64 * PAGE_BYTES;
/** Damaged pages beyond this number are only counted. */
const MAX_TOLD = 10;

/**
 * Reads all bytes and compares their checksums. Returns one line for each problem, with section and place. `source`
 * must not check pages. Throws a StorageError if it cannot be read.
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

/** `section score`, `sections score, place`: the sections with bytes in the range. */
function sectionsAt({ sections }: Footer, from: number, to: number): string {
  const names = Object.entries(sections)
    .filter(([, { offset, length }]) => offset < to && offset + length > from)
    .map(([name]) => name);
  return `${names.length === 1 ? 'section' : 'sections'} ${names.join(', ')}`;
}
