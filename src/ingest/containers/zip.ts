// The entries of a zip archive, read by its central directory (APPNOTE.TXT 6.3.10, sections 4.3 and 4.4; zip64 too).
// Node's own archive reader is experimental and prints a warning on every start; this is all that an import needs.
//
//   … local header │ name │ extra │ data …   central directory: one header an entry   end record (+ zip64's)

import { createReadStream, type ReadStream } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { crc32, createInflateRaw } from 'node:zlib';
import { UsageError } from '../../errors.ts';
import { BrokenSource, drain } from './byte-source.ts';

export interface ZipEntry {
  /** As the archive spells it; never used as a path. */
  readonly name: string;
  readonly isEncrypted: boolean;
  /** 0 stored, 8 deflated; no other is supported. */
  readonly method: number;
  readonly crc: number;
  readonly compressedSize: number;
  readonly offset: number;
}

/** Folders, and files that programs put there for themselves. */
const NOTHING_TO_READ = /\/$|(?:^|\/)(?:\.|__MACOSX\/)/;

const END_SIGNATURE = 0x06054b50;
const END_BYTES = 22;
const MAX_COMMENT = 65_535;
const END64_LOCATOR_SIGNATURE = 0x07064b50;
const END64_SIGNATURE = 0x06064b50;
const HEADER_SIGNATURE = 0x02014b50;
const HEADER_BYTES = 46;
const LOCAL_SIGNATURE = 0x04034b50;
const LOCAL_BYTES = 30;
const ZIP64_EXTRA = 1;
const IN_ZIP64_16 = 0xffff;
const IN_ZIP64_32 = 0xffff_ffff;
/** A directory of a hundred thousand files takes about 10 MB. */
const MAX_DIRECTORY_BYTES = 64 * 1024 * 1024;
const ENCRYPTED = 1;
const STORED = 0;
const DEFLATED = 8;

/**
 * The readable files of the archive, in the order of its directory. Throws a BrokenSource if the directory is damaged,
 * since files would be missing silently.
 */
export async function zipEntries(path: string): Promise<ZipEntry[]> {
  await using file = await open(path);
  const { size } = await file.stat();
  const { offset, bytes, entries: expected } = await directoryPlace(file, size);
  if (bytes > MAX_DIRECTORY_BYTES) throw broken('its directory is damaged');
  const behind = (await readAt(file, offset + bytes, 4)).readUInt32LE(0);
  if (behind !== END_SIGNATURE && behind !== END64_SIGNATURE) throw broken('its directory is damaged');
  const entries = readDirectory(await readAt(file, offset, bytes));
  if (entries.length !== expected) throw broken(`expected ${expected} files, found ${entries.length}`);
  checkOverlap(entries);
  const isRead = ({ name }: ZipEntry) => !NOTHING_TO_READ.test(name);
  // Files that are not read are recognised by name alone, so their local headers are checked.
  for (const entry of entries) if (!isRead(entry)) await dataStart(file, entry);
  return entries.filter(isRead);
}

async function directoryPlace(file: FileHandle, size: number) {
  const tailStart = Math.max(0, size - END_BYTES - MAX_COMMENT);
  const tail = await readAt(file, tailStart, size - tailStart);
  let at = tail.length - END_BYTES;
  while (at >= 0 && tail.readUInt32LE(at) !== END_SIGNATURE) at--;
  if (at < 0) throw broken('its end is missing');
  const offset = tail.readUInt32LE(at + 16);
  const bytes = tail.readUInt32LE(at + 12);
  const entries = tail.readUInt16LE(at + 10);
  const place = { offset, bytes, entries };
  const is64 = offset === IN_ZIP64_32 || bytes === IN_ZIP64_32 || entries === IN_ZIP64_16;
  const locator = tailStart + at - 20;
  if (!is64 || locator < 0) return place;
  const found = await readAt(file, locator, 20);
  if (found.readUInt32LE(0) !== END64_LOCATOR_SIGNATURE) return place;
  const end64 = await readAt(file, wholeNumber(found, 8), 56);
  if (end64.readUInt32LE(0) !== END64_SIGNATURE) throw broken('its zip64 end is damaged');
  return { offset: wholeNumber(end64, 48), bytes: wholeNumber(end64, 40), entries: wholeNumber(end64, 32) };
}

function readDirectory(directory: Buffer): ZipEntry[] {
  const entries: ZipEntry[] = [];
  let at = 0;
  while (at + HEADER_BYTES <= directory.length && directory.readUInt32LE(at) === HEADER_SIGNATURE) {
    const nameEnd = at + HEADER_BYTES + directory.readUInt16LE(at + 28);
    const extraEnd = nameEnd + directory.readUInt16LE(at + 30);
    const next = extraEnd + directory.readUInt16LE(at + 32);
    if (next > directory.length) throw broken('its directory is damaged');
    entries.push({
      name: directory.toString('utf8', at + HEADER_BYTES, nameEnd),
      isEncrypted: (directory.readUInt16LE(at + 8) & ENCRYPTED) === ENCRYPTED,
      method: directory.readUInt16LE(at + 10),
      crc: directory.readUInt32LE(at + 16),
      ...sizesOf(directory, at, directory.subarray(nameEnd, extraEnd)),
    });
    at = next;
  }
  if (at < directory.length) throw broken('its directory is damaged');
  return entries;
}

/** The zip64 extra field contains only the fields that do not fit into 32 bits, in a fixed order. */
function sizesOf(directory: Buffer, at: number, extra: Buffer): Pick<ZipEntry, 'compressedSize' | 'offset'> {
  const uncompressed = directory.readUInt32LE(at + 24);
  let compressedSize = directory.readUInt32LE(at + 20);
  let offset = directory.readUInt32LE(at + 42);
  const large = zip64Extra(extra);
  let next = uncompressed === IN_ZIP64_32 ? 8 : 0;
  const take = () => {
    if (large === null || next + 8 > large.length) throw broken('its zip64 sizes are missing');
    next += 8;
    return wholeNumber(large, next - 8);
  };
  if (compressedSize === IN_ZIP64_32) compressedSize = take();
  if (offset === IN_ZIP64_32) offset = take();
  return { compressedSize, offset };
}

function zip64Extra(extra: Buffer): Buffer | null {
  for (let at = 0; at + 4 <= extra.length; at += 4 + extra.readUInt16LE(at + 2)) {
    if (extra.readUInt16LE(at) === ZIP64_EXTRA)
      return extra.subarray(at + 4, at + 4 + extra.readUInt16LE(at + 2));
  }
  return null;
}

/** With entries that share their data, a small archive unpacks to petabytes (Fifield, WOOT '19). */
function checkOverlap(entries: readonly ZipEntry[]): void {
  let end = 0;
  for (const entry of [...entries].sort((a, b) => a.offset - b.offset)) {
    if (entry.offset < end) throw broken('its entries overlap');
    end = entry.offset + entry.compressedSize;
  }
}

/** The content of an entry. Throws a UsageError for one that cannot be read, a BrokenSource for a damaged one. */
export async function* zipContent(path: string, entry: ZipEntry): AsyncGenerator<Buffer> {
  const file = await open(path);
  const start = await dataStart(file, entry).finally(() => file.close());
  if (entry.isEncrypted)
    throw new UsageError('expected a zip entry without a password, found an encrypted one');
  if (entry.method !== STORED && entry.method !== DEFLATED) {
    throw new UsageError(`expected a zip entry stored or deflated, found method ${entry.method}`);
  }
  let crc = 0;
  if (entry.compressedSize > 0) {
    const raw = createReadStream(path, {
      start,
      end: start + entry.compressedSize - 1,
      highWaterMark: 1024 * 1024,
    });
    for await (const chunk of entry.method === STORED ? raw : inflated(raw)) {
      crc = crc32(chunk, crc);
      yield chunk;
    }
  }
  if (crc !== entry.crc) throw new BrokenSource('the zip entry is damaged: its checksum differs');
}

/**
 * The local header repeats the name and has its own extra field, whose length may differ. A different name means
 * damage, which could otherwise hide a dump.
 */
async function dataStart(file: FileHandle, { name, isEncrypted, method, offset }: ZipEntry): Promise<number> {
  const header = await readAt(file, offset, LOCAL_BYTES);
  const nameBytes = header.readUInt16LE(26);
  const isSame =
    header.readUInt32LE(0) === LOCAL_SIGNATURE &&
    (header.readUInt16LE(6) & ENCRYPTED) === Number(isEncrypted) &&
    header.readUInt16LE(8) === method &&
    (await readAt(file, offset + LOCAL_BYTES, nameBytes)).toString() === name;
  if (!isSame) throw broken(`what it says of \`${name}\` differs from what is there`);
  return offset + LOCAL_BYTES + nameBytes + header.readUInt16LE(28);
}

async function* inflated(raw: ReadStream): AsyncGenerator<Buffer> {
  const inflate = createInflateRaw({ chunkSize: 128 * 1024 });
  raw.on('error', (error) => inflate.destroy(error));
  try {
    yield* drain(raw.pipe(inflate));
  } catch (cause) {
    throw new BrokenSource(`the zip entry is damaged: ${(cause as Error).message}`, { cause });
  } finally {
    raw.destroy();
    inflate.destroy();
  }
}

async function readAt(file: FileHandle, position: number, bytes: number): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(bytes), 0, bytes, position);
  if (bytesRead < bytes) throw broken('it is not complete');
  return buffer;
}

function wholeNumber(bytes: Buffer, at: number): number {
  const value = bytes.readBigUInt64LE(at);
  if (value > BigInt(Number.MAX_SAFE_INTEGER)) throw broken('a size in it is absurd');
  return Number(value);
}

function broken(how: string): BrokenSource {
  return new BrokenSource(`the zip archive is damaged: ${how}`);
}
