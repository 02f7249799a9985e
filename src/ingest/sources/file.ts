// The contents that an import reads: each is the unpacked data of one file, one archive entry or standard input.
// The checksum of a file as it was published, which others can compare with theirs: made of the bytes as they are read,
// so that no file is read twice for it.

import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { storageError, UsageError } from '../../errors.ts';
import type { PublishedFile } from '../../model/coverage.ts';
import { BrokenSource, HeadedBytes } from '../containers/byte-source.ts';
import { type Container, containerOf, HEAD_BYTES, unpack } from '../containers/unpack.ts';
import { type Checking, vouchedBytes } from '../containers/vouched.ts';
import { type ZipEntry, zipContent } from '../containers/zip.ts';
import type { Spool } from './spool.ts';

export interface Content {
  /** For people: the path as given or found, `-` for standard input, `archive.zip/entry` inside an archive. */
  readonly name: string;
  readonly fileName: string;
  /** What the user named: the content itself, or the folder or archive that contains it. */
  readonly source: string;
  /** True if the user named it; false if it was found in a folder or archive, so that it may be passed over. */
  readonly isNamed: boolean;
  /** Bytes on disk; null if unknown. */
  readonly size: number | null;
  /** Equal for equal bytes, whatever their place and name; null if it cannot be known. */
  identity(): Promise<string | null>;
  /**
   * Standard input is opened once: the next call gives what the first one gave. Absent: to look at its beginning, which
   * may be damaged.
   */
  open(reading?: ContentReading): Promise<OpenContent>;
}

interface ContentReading extends Checking {
  /** `published` is wanted. */
  readonly digests: boolean;
}

export interface OpenContent {
  readonly bytes: HeadedBytes;
  readonly containers: readonly Container[];
  /** Bytes of `size` read so far; what is checked first counts when it is read. */
  bytesRead(): number;
  /**
   * The whole file that the bytes come from, also where they end before it does. To be called once, when no more of
   * `bytes` is read. null: it was stopped, is not wanted, has changed meanwhile, or the bytes come through a pipe: they
   * may be anything.
   */
  published(isStopped: () => boolean): Promise<PublishedFile | null>;
}

export const READ_CHUNK = 1024 * 1024;

export class FileDigest {
  readonly #path: string;
  readonly #hash = createHash('sha256');
  #bytes = 0;

  constructor(path: string) {
    this.#path = path;
  }

  add(chunk: Uint8Array): void {
    this.#hash.update(chunk);
    this.#bytes += chunk.length;
  }

  /** Reads what was not added: a container may end before its file. Of an archive, all. null: it was stopped. */
  async finish(isStopped: () => boolean): Promise<PublishedFile | null> {
    try {
      const rest = createReadStream(this.#path, { start: this.#bytes, highWaterMark: READ_CHUNK });
      for await (const chunk of rest) {
        if (isStopped()) return null;
        this.add(chunk as Buffer);
      }
    } catch (error) {
      throw storageError(error, this.#path);
    }
    // The entries of an archive ask one after the other.
    return { sha256: this.#hash.copy().digest('hex'), bytes: this.#bytes };
  }
}

/** Bytes at each end of a file that stand for the whole of it. */
const IDENTITY_BYTES = 64 * 1024;

/** A file or folder that the user has no right to read. It is reported, and the others are imported. */
export class UnreadableSource extends UsageError {
  constructor(cause: NodeJS.ErrnoException) {
    super(`expected a file or folder that may be read, found one that may not (${cause.code})`, { cause });
    this.name = 'UnreadableSource';
  }
}

export function isRefusedToRead(error: unknown): error is NodeJS.ErrnoException {
  return ['EACCES', 'EPERM'].includes(`${(error as NodeJS.ErrnoException).code}`);
}

export interface Found {
  readonly name: string;
  readonly source: string;
}

export function fileContent(path: string, found: Found, size: number): Content {
  return {
    ...found,
    fileName: basename(path),
    isNamed: found.name === found.source,
    size,
    identity: () => identityOf(path, size),
    open(reading) {
      const digest = reading?.digests === true ? new FileDigest(path) : null;
      // For a small file, no more than its size: unused memory has to be cleared too.
      const bytes = () => createReadStream(path, { highWaterMark: Math.min(READ_CHUNK, size + 1) });
      return openFile({ path, name: found.name, digest, outer: [] }, bytes, reading);
    },
  };
}

/**
 * Standard input, or a named pipe or device (a shell's `<(zstd -dc …)`). What is packed goes through the spool: it is
 * read once more when it is checked.
 */
export function pipeContent(name: string, bytes: () => AsyncIterable<Buffer>, spool: Spool): Content {
  const names = { name, fileName: '-', source: name };
  const open: Content['open'] = async (reading) => {
    let read = 0;
    const headed = new HeadedBytes(
      explained(bytes(), name, ({ length }) => {
        read += length;
      }),
    );
    if (containerOf(await headed.head(HEAD_BYTES)) === 'plain') {
      return { bytes: headed, containers: [], bytesRead: () => read, published: async () => null };
    }
    const { path, size } = await spool.keep(headed);
    return fileContent(path, names, size).open(reading && { ...reading, digests: false });
  };
  let opened: Promise<OpenContent> | null = null;
  return {
    ...{ ...names, isNamed: true, size: null },
    identity: async () => null,
    open: (reading) => {
      opened ??= open(reading);
      return opened;
    },
  };
}

/** An archive that is a file; `digest` null: it came through a pipe. */
export interface Archive {
  readonly path: string;
  readonly size: number;
  readonly digest: FileDigest | null;
}

/** One entry of a zip archive; passed over if its format is unknown. */
export function zipEntryContent({ path, size, digest }: Archive, found: Found, entry: ZipEntry): Content {
  const { name, source } = found;
  return {
    name: `${name}/${entry.name}`,
    fileName: `${basename(name)}/${entry.name}`,
    source,
    isNamed: false,
    size: entry.compressedSize,
    identity: async () => `${await identityOf(path, size)}@${entry.offset}`,
    open: (reading) => {
      const opening = { path, name, digest: reading?.digests ? digest : null, outer: ['zip'] as const };
      return openFile(opening, () => zipContent(path, entry), reading);
    },
  };
}

/** A content that is known to be unreadable: opening it throws the error. */
export function unreadableContent(found: Found, size: number, error: UsageError | BrokenSource): Content {
  const refuse = () => Promise.reject(error);
  // A broken one is reported as if it broke during reading, and is never resumed.
  const identity = error instanceof BrokenSource ? async () => null : refuse;
  const fileName = basename(found.name);
  return { ...found, fileName, isNamed: found.name === found.source, size, identity, open: refuse };
}

interface Opening {
  readonly path: string;
  readonly name: string;
  readonly digest: FileDigest | null;
  readonly outer: readonly Container[];
}

/** Turns errors of the system into messages for the user. Calls `tell` with every chunk. */
async function* explained(
  bytes: AsyncIterable<Buffer>,
  name: string,
  tell: (chunk: Buffer) => void,
): AsyncGenerator<Buffer> {
  try {
    for await (const chunk of bytes) {
      tell(chunk);
      yield chunk;
    }
  } catch (error) {
    throw isRefusedToRead(error) ? new UnreadableSource(error) : storageError(error, name);
  }
}

/** `packed`: the bytes from their beginning, for the first time or once more. Those of a file go to its digest. */
async function openFile(
  { path, name, digest, outer }: Opening,
  packed: () => AsyncIterable<Buffer>,
  reading: ContentReading | undefined,
): Promise<OpenContent> {
  const before = await stateOf(path);
  const hasChanged = async () => (await stateOf(path)) !== before;
  let read = 0;
  const counted = (isFirst: boolean) => {
    read = 0;
    return explained(packed(), name, (chunk) => {
      read += chunk.length;
      if (isFirst && outer.length === 0) digest?.add(chunk);
    });
  };
  /** While another program writes the file, the bytes may mix two versions of it: throws a BrokenSource then. */
  async function* unchanged(bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    try {
      yield* bytes;
    } catch (error) {
      if (!(await hasChanged())) throw error;
    }
    if (await hasChanged()) throw new BrokenSource(CHANGED);
  }
  const inner: Container[] = [];
  const vouched = { bytes: 0 };
  const first = await unpack(counted(true), inner, vouched);
  const containers = [...outer, ...inner];
  let bytes = first;
  if (reading !== undefined) {
    const ofFirst = {
      bytes: first,
      vouched: () => (containers.length === 1 ? vouched.bytes : 0),
      packed: () => read,
    };
    const isPlain = containers.length === 0;
    const again = () => unpack(counted(false));
    bytes = new HeadedBytes(unchanged(isPlain ? first : vouchedBytes(ofFirst, again, reading)));
  }
  return {
    bytes,
    containers,
    bytesRead: () => read,
    published: async (isStopped) =>
      digest === null || (await hasChanged()) ? null : digest.finish(isStopped),
  };
}

const CHANGED =
  'the file was changed, moved or deleted while it was read, so its texts may be incomplete: run the command again when nothing writes it';

/** Identifies the version of a file: differs after every change. null: the file is gone. */
async function stateOf(path: string): Promise<string | null> {
  try {
    const { dev, ino, size, mtimeNs } = await stat(path, { bigint: true });
    return [dev, ino, size, mtimeNs].join(' ');
  } catch (error) {
    if (isRefusedToRead(error) || (error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw storageError(error, path);
  }
}

/** A hash of the file's size, beginning and end; dumps that agree in these are taken for the same. */
async function identityOf(path: string, size: number): Promise<string> {
  await using file = await open(path);
  const hash = createHash('sha256').update(`${size}\n`);
  const length = Math.min(IDENTITY_BYTES, size);
  for (const position of [0, Math.max(0, size - IDENTITY_BYTES)]) {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, position);
    hash.update(buffer.subarray(0, bytesRead));
  }
  return hash.digest('hex').slice(0, 32);
}
