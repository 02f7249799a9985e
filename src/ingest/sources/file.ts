// A file as a content, and standard input.

import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { basename } from 'node:path';
import { storageError, UsageError } from '../../errors.ts';
import type { BrokenSource } from '../containers/broken.ts';
import { type Container, type Notes, unpack } from '../containers/unpack.ts';
import { type ZipEntry, zipContent } from '../containers/zip.ts';
import type { Content, OpenContent } from './content.ts';
import { type ArchiveDigest, FileDigest } from './published.ts';

const READ_CHUNK = 1024 * 1024;
/** Bytes at each end of a file that stand for the whole of it. */
const IDENTITY_BYTES = 64 * 1024;

/** A file or folder that we have no right to read. It is reported, and the others are imported. */
export class UnreadableSource extends UsageError {
  constructor(cause: NodeJS.ErrnoException) {
    super(`expected a file or folder that may be read, found one that may not (${cause.code})`, { cause });
    this.name = 'UnreadableSource';
  }
}

/** True if the system refuses access, false if something is broken. */
export function isRefusedToRead(error: unknown): error is NodeJS.ErrnoException {
  return ['EACCES', 'EPERM'].includes(`${(error as NodeJS.ErrnoException).code}`);
}

/** What was found, and where: `source` is what the user named. */
export interface Found {
  readonly name: string;
  readonly source: string;
}

export function fileContent(path: string, found: Found, size: number): Content {
  const { name } = found;
  return {
    ...found,
    fileName: basename(path),
    isNamed: isNamed(found),
    size,
    identity: () => identityOf(path, size),
    open({ digests = false } = {}) {
      const stream = createReadStream(path, { highWaterMark: chunkOf(size) });
      if (!digests) return openBytes(stream, name);
      const digest = new FileDigest(path);
      return openBytes(added(stream, digest), name, digest);
    },
  };
}

/** For a small file, no more than its size: unused memory has to be cleared too. */
function chunkOf(size: number): number {
  return Math.min(READ_CHUNK, size + 1);
}

/** The bytes go to the digest on their way. */
async function* added(bytes: AsyncIterable<Buffer>, digest: FileDigest): AsyncGenerator<Buffer> {
  for await (const chunk of bytes) {
    digest.add(chunk);
    yield chunk;
  }
}

function isNamed({ name, source }: Found): boolean {
  return name === source;
}

export function standardInput(input: AsyncIterable<Buffer>): Content {
  return {
    name: '-',
    fileName: '-',
    source: '-',
    isNamed: true,
    size: null,
    identity: async () => null,
    open: () => openBytes(input, '-'),
  };
}

/** A named pipe or device (a shell's `<(zstd -dc …)`), which is read like standard input. */
export function pipeContent(path: string): Content {
  const open = () => openBytes(createReadStream(path, { highWaterMark: READ_CHUNK }), path);
  const names = { name: path, fileName: '-', source: path };
  return { ...names, isNamed: true, size: null, identity: async () => null, open };
}

/** An archive that is a file; `digest` null: it came through a pipe. */
export interface Archive {
  readonly path: string;
  readonly size: number;
  readonly digest: ArchiveDigest | null;
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
    open: ({ digests = false } = {}) =>
      openBytes(zipContent(path, entry), name, digests ? digest : null, ['zip']),
  };
}

/** A content that is known to be unreadable: opening it throws the error. */
export function unreadableContent(found: Found, size: number, error: UsageError | BrokenSource): Content {
  const refuse = async () => {
    throw error;
  };
  const fileName = basename(found.name);
  return { ...found, fileName, isNamed: isNamed(found), size, identity: refuse, open: refuse };
}

async function openBytes(
  source: AsyncIterable<Buffer>,
  name: string,
  digest: FileDigest | ArchiveDigest | null = null,
  outer: readonly Container[] = [],
): Promise<OpenContent> {
  let read = 0;
  async function* counted(): AsyncGenerator<Buffer> {
    try {
      for await (const chunk of source) {
        read += chunk.length;
        yield chunk;
      }
    } catch (error) {
      throw isRefusedToRead(error) ? new UnreadableSource(error) : storageError(error, name);
    }
  }
  const notes: Notes = [];
  const inner: Container[] = [];
  const bytes = await unpack(counted(), notes, inner);
  return {
    bytes,
    notes,
    containers: [...outer, ...inner],
    bytesRead: () => read,
    published: async (isStopped) => (await digest?.finish(isStopped)) ?? null,
  };
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
