// A file as a content, and standard input.

import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { storageError, type UsageError } from '../../errors.ts';
import type { BrokenSource } from '../containers/broken.ts';
import { type Notes, unpack } from '../containers/unpack.ts';
import { type ZipEntry, zipContent } from '../containers/zip.ts';
import type { Content, OpenContent } from './content.ts';

const READ_CHUNK = 1024 * 1024;
/** Bytes at each end of a file that stand for the whole of it. */
const IDENTITY_BYTES = 64 * 1024;

export function fileContent(path: string, name: string, isNamed: boolean, size: number): Content {
  return {
    name,
    isNamed,
    size,
    identity: () => identityOf(path, size),
    open: () => openBytes(createReadStream(path, { highWaterMark: READ_CHUNK }), name),
  };
}

export function standardInput(input: AsyncIterable<Buffer>): Content {
  return {
    name: '-',
    isNamed: true,
    size: null,
    identity: async () => null,
    open: () => openBytes(input, '-'),
  };
}

/** A named pipe or device (`<(zstd -dc …)` of a shell): read like standard input. */
export function pipeContent(path: string): Content {
  const open = () => openBytes(createReadStream(path, { highWaterMark: READ_CHUNK }), path);
  return { name: path, isNamed: true, size: null, identity: async () => null, open };
}

/** One entry of a zip archive; passed over where it is nothing that is read. */
export function zipEntryContent(path: string, name: string, size: number, entry: ZipEntry): Content {
  return {
    name: `${name}/${entry.name}`,
    isNamed: false,
    size: entry.compressedSize,
    identity: async () => `${await identityOf(path, size)}@${entry.offset}`,
    open: () => openBytes(zipContent(path, entry), name),
  };
}

/** A content that is known to be unreadable: opening it throws the error. */
export function unreadableContent(
  name: string,
  isNamed: boolean,
  size: number,
  error: UsageError | BrokenSource,
): Content {
  const refuse = async () => {
    throw error;
  };
  return { name, isNamed, size, identity: refuse, open: refuse };
}

async function openBytes(source: AsyncIterable<Buffer>, name: string): Promise<OpenContent> {
  let read = 0;
  async function* counted(): AsyncGenerator<Buffer> {
    try {
      for await (const chunk of source) {
        read += chunk.length;
        yield chunk;
      }
    } catch (error) {
      throw storageError(error, name);
    }
  }
  const notes: Notes = [];
  return { bytes: await unpack(counted(), notes), notes, bytesRead: () => read };
}

/** Size, beginning and end of the file, hashed: dumps that agree in these are the same. */
async function identityOf(path: string, size: number): Promise<string> {
  await using file = await open(path);
  const hash = createHash('sha256').update(`${size}\n`);
  for (const position of [0, Math.max(0, size - IDENTITY_BYTES)]) {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(IDENTITY_BYTES), 0, IDENTITY_BYTES, position);
    hash.update(buffer.subarray(0, bytesRead));
  }
  return hash.digest('hex').slice(0, 32);
}
