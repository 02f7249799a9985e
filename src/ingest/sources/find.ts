// From what the user named to the contents that are read: files, folders with all that is in them, standard input.

import { open, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { storageError, UsageError } from '../../errors.ts';
import { BrokenSource } from '../containers/broken.ts';
import { HeadedBytes } from '../containers/head.ts';
import { containerOf, HEAD_BYTES } from '../containers/unpack.ts';
import { type ZipEntry, zipEntries } from '../containers/zip.ts';
import type { Content } from './content.ts';
import { fileContent, pipeContent, standardInput, unreadableContent, zipEntryContent } from './file.ts';
import type { Spool } from './spool.ts';

/**
 * In the order given; inside a folder by path. `-` is `input`, which goes through `spool` where it is an archive.
 * Throws a UsageError for what is not there.
 */
export async function findContents(
  sources: readonly string[],
  input: AsyncIterable<Buffer>,
  spool: Spool,
): Promise<Content[]> {
  const contents: Content[] = [];
  for (const source of sources) {
    if (source === '-') contents.push(...(await fromInput(input, spool)));
    else contents.push(...(await atPath(source)));
  }
  return contents;
}

async function fromInput(input: AsyncIterable<Buffer>, spool: Spool): Promise<Content[]> {
  const headed = new HeadedBytes(input);
  if (containerOf(await headed.head(HEAD_BYTES)) !== 'zip') return [standardInput(headed)];
  try {
    const { path, size } = await spool.keep(headed);
    return await archive(path, '-', size, true);
  } catch (error) {
    if (error instanceof BrokenSource) return [unreadableContent('-', true, 0, error)];
    throw error;
  }
}

async function atPath(path: string): Promise<Content[]> {
  const status = await stat(path).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code !== 'ENOENT' && cause.code !== 'ENOTDIR') throw storageError(cause, path);
    throw new UsageError(`expected a file, a folder or \`-\`, found nothing at \`${path}\``, { cause });
  });
  if (status.isFile()) return file(path, status.size, true);
  return status.isDirectory() ? folder(path) : [pipeContent(path)];
}

/** Every file under the folder but hidden ones, by path. */
async function folder(path: string): Promise<Content[]> {
  const entries = await readdir(path, { withFileTypes: true, recursive: true });
  const paths = entries
    .filter((entry) => entry.isFile() || entry.isSymbolicLink())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => !/(?:^|[\\/])\./.test(file.slice(path.length)))
    .sort();
  const contents: Content[] = [];
  for (const inner of paths) {
    // A link that leads nowhere or to a folder is no file.
    const status = await stat(inner).catch(() => null);
    if (status?.isFile() === true) contents.push(...(await file(inner, status.size, false)));
  }
  return contents;
}

/** The file, or the files in it where it is a zip archive: by its first bytes. */
async function file(path: string, size: number, isNamed: boolean): Promise<Content[]> {
  try {
    if (containerOf(await firstBytes(path)) !== 'zip') return [fileContent(path, path, isNamed, size)];
  } catch (error) {
    if (error instanceof UsageError) return [unreadableContent(path, isNamed, size, error)];
    throw error;
  }
  return archive(path, path, size, isNamed);
}

/** The files in an archive; one that cannot be read is told when it is its turn. */
async function archive(path: string, name: string, size: number, isNamed: boolean): Promise<Content[]> {
  let entries: ZipEntry[];
  try {
    entries = await zipEntries(path);
  } catch (error) {
    if (error instanceof UsageError) return [unreadableContent(name, isNamed, size, error)];
    throw error;
  }
  return entries
    .filter((entry) => !/(?:^|\/)(?:\.|__MACOSX\/)/.test(entry.name))
    .map((entry) => zipEntryContent(path, name, size, entry));
}

async function firstBytes(path: string): Promise<Buffer> {
  await using opened = await open(path).catch((cause) => {
    throw new UsageError(`expected a file that can be read, found \`${path}\`: ${cause.message}`, { cause });
  });
  const { buffer, bytesRead } = await opened.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
  return buffer.subarray(0, bytesRead);
}
