// From what the user named to the contents to read: files, folders with everything in them, standard input.

import { type BigIntStats, createReadStream } from 'node:fs';
import { lstat, open, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { storageError, UsageError } from '../../errors.ts';
import { BrokenSource, HeadedBytes } from '../containers/byte-source.ts';
import { containerOf, HEAD_BYTES } from '../containers/unpack.ts';
import { type ZipEntry, zipEntries } from '../containers/zip.ts';
import {
  type Archive,
  type Content,
  FileDigest,
  type Found,
  fileContent,
  isRefusedToRead,
  pipeContent,
  READ_CHUNK,
  UnreadableSource,
  unreadableContent,
  zipEntryContent,
} from './file.ts';
import type { Spool } from './spool.ts';

/**
 * In the order given; inside a folder by path. `-` is `input`, which goes through `spool` if it is an archive. A
 * source that cannot be read becomes a content that throws when it is opened. Throws a UsageError for one that does
 * not exist. `written`: paths of files that are to be written; where they are there, a folder is read without them, and
 * naming one as a source is a UsageError.
 */
export async function findContents(
  sources: readonly string[],
  input: AsyncIterable<Buffer>,
  spool: Spool,
  written: readonly string[] = [],
): Promise<Content[]> {
  const own = new Set((await Promise.all(written.map(fileAt))).filter((file) => file !== null));
  const contents: Content[] = [];
  for (const source of sources) {
    const found = source === '-' ? await fromInput(input, spool) : await atPath(source, own, spool);
    const error = new UsageError('expected files to import, found none');
    contents.push(...(found.length > 0 ? found : [unreadableContent({ name: source, source }, 0, error)]));
  }
  return contents;
}

async function fromInput(input: AsyncIterable<Buffer>, spool: Spool): Promise<Content[]> {
  const headed = new HeadedBytes(input);
  if (containerOf(await headed.head(HEAD_BYTES)) !== 'zip') return [pipeContent('-', () => headed, spool)];
  const found = { name: '-', source: '-' };
  try {
    const { path, size } = await spool.keep(headed);
    return await archive({ path, size, digest: null }, found);
  } catch (error) {
    if (error instanceof BrokenSource) return [unreadableContent(found, 0, error)];
    throw error;
  }
}

/** Which file it is, whatever its path: the same for all its names. */
function fileOf({ dev, ino }: BigIntStats): string {
  return `${dev} ${ino}`;
}

/** null: no file. Of a symbolic link, the link itself, since writing replaces the link and not its target. */
async function fileAt(path: string): Promise<string | null> {
  try {
    return fileOf(await lstat(path, { bigint: true }));
  } catch (error) {
    if (isMissing(error) || isRefusedToRead(error)) return null;
    throw storageError(error, path);
  }
}

async function atPath(path: string, own: ReadonlySet<string>, spool: Spool): Promise<Content[]> {
  const found = { name: path, source: path };
  try {
    const status = await stat(path, { bigint: true });
    if (own.has(fileOf(status))) {
      throw new UsageError(`expected sources beside the file that is written, found \`${path}\` as both`);
    }
    if (status.isFile()) return await file(path, found, Number(status.size));
    if (status.isDirectory()) return await folder(path, own);
    return [pipeContent(path, () => createReadStream(path, { highWaterMark: READ_CHUNK }), spool)];
  } catch (error) {
    if (isRefusedToRead(error)) return [unreadableContent(found, 0, new UnreadableSource(error))];
    if (isMissing(error)) {
      const message = `expected a file, a folder or \`-\`, found nothing at \`${path}\``;
      throw new UsageError(message, { cause: error });
    }
    throw storageError(error, path);
  }
}

function isMissing(error: unknown): boolean {
  return ['ENOENT', 'ENOTDIR'].includes(`${(error as NodeJS.ErrnoException).code}`);
}

/** Every file under the folder except hidden ones, by path; an unreadable subfolder takes the place of its files. */
async function folder(source: string, own: ReadonlySet<string>): Promise<Content[]> {
  const found: Content[] = [];
  const folders = [source];
  for (let path = folders.pop(); path !== undefined; path = folders.pop()) {
    try {
      for (const entry of await readdir(path, { withFileTypes: true })) {
        const inner = join(path, entry.name);
        if (entry.name.startsWith('.')) continue;
        if (entry.isDirectory()) folders.push(inner);
        else if (entry.isFile() || entry.isSymbolicLink())
          found.push(...(await inFolder(inner, source, own)));
      }
    } catch (error) {
      if (!isRefusedToRead(error)) throw storageError(error, path);
      found.push(unreadableContent({ name: path, source }, 0, new UnreadableSource(error)));
    }
  }
  return found.sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
}

/** A link to nothing or to a folder is not a file. */
async function inFolder(path: string, source: string, own: ReadonlySet<string>): Promise<Content[]> {
  const found = { name: path, source };
  try {
    const status = await stat(path, { bigint: true });
    const isRead = status.isFile() && !own.has(fileOf(status));
    return isRead ? await file(path, found, Number(status.size)) : [];
  } catch (error) {
    if (isRefusedToRead(error)) return [unreadableContent(found, 0, new UnreadableSource(error))];
    if (isMissing(error) || (error as NodeJS.ErrnoException).code === 'ELOOP') return [];
    throw storageError(error, path);
  }
}

/** The file, or the files in it if its first bytes are those of a zip archive. */
async function file(path: string, found: Found, size: number): Promise<Content[]> {
  if (containerOf(await firstBytes(path)) !== 'zip') return [fileContent(path, found, size)];
  return archive({ path, size, digest: new FileDigest(path) }, found);
}

/** The files in an archive; one that cannot be read is reported when its turn comes. */
async function archive(place: Archive, found: Found): Promise<Content[]> {
  const { path, size } = place;
  let entries: ZipEntry[];
  try {
    entries = await zipEntries(path);
  } catch (error) {
    if (error instanceof BrokenSource) return [unreadableContent(found, size, error)];
    throw error;
  }
  return entries.map((entry) => zipEntryContent(place, found, entry));
}

async function firstBytes(path: string): Promise<Buffer> {
  await using opened = await open(path);
  const { buffer, bytesRead } = await opened.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
  return buffer.subarray(0, bytesRead);
}
