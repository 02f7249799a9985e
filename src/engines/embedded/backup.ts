// A copy of the index as it is at one moment, made beside a writer and readers: the manifests are copied, the files
// that they name are held open, and copied from there; what merges unlink meanwhile stays readable.

import { closeSync, fstatSync, fsyncSync, mkdirSync, openSync, rmSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { missingPath, StorageError } from '../../errors.ts';
import type { CopyOptions, HeldIndex } from '../../model/engine-module.ts';
import { KINDS, type Kind } from '../../model/record.ts';
import { connect, copyDatabase, syncFolder } from '../../sqlite/database.ts';
import {
  FileSource,
  footerSum,
  PAGE_BYTES,
  PageSummer,
  type PageSums,
  pageEnd,
  readFooter,
  readPageSums,
} from './format/segment-file.ts';
import { Manifest } from './index/manifest.ts';

/** Bytes that are read and written at once. */
const COPY_BYTES = 64 * PAGE_BYTES;

const BUSY_TIMEOUT_MS = 10_000;

/** How often a manifest is copied again because a merge dropped a file that it names. */
const MAX_TRIES = 100;

interface HeldFile {
  readonly source: FileSource;
  readonly path: string;
  readonly target: string;
  readonly mode: number;
  /** CRC-32 of the footer, as the manifest has it; null: unknown. */
  readonly crc: number;
}

export class IndexSnapshot implements HeldIndex {
  readonly files: number;
  readonly bytes: number;
  readonly #held: readonly HeldFile[];

  /** Copies the manifests of `folder` into `target`, which exists, and opens all files they name. */
  static async take(folder: string, target: string): Promise<IndexSnapshot> {
    const held: HeldFile[] = [];
    try {
      for (const kind of KINDS) held.push(...(await holdKind(folder, target, kind)));
      return new IndexSnapshot(held);
    } catch (error) {
      for (const { source } of held) source.close();
      throw error;
    }
  }

  private constructor(held: readonly HeldFile[]) {
    this.#held = held;
    this.files = held.length;
    this.bytes = held.reduce((sum, { source }) => sum + source.size, 0);
  }

  async copy(options: CopyOptions): Promise<void> {
    for (const file of this.#held) await copyFile(file, options);
    for (const folder of new Set(this.#held.map(({ target }) => join(target, '..')))) syncFolder(folder);
  }

  [Symbol.dispose](): void {
    for (const { source } of this.#held) source.close();
  }
}

/** Does nothing for a kind that was never written. */
async function holdKind(folder: string, target: string, kind: Kind): Promise<HeldFile[]> {
  const from = new Manifest(folder, kind);
  const to = new Manifest(target, kind);
  try {
    if ((statSync(from.path, { throwIfNoEntry: false })?.size ?? 0) === 0) {
      from.expectNotLost();
      return [];
    }
    for (let tries = 1; ; tries++) {
      await copyManifest(from.path, to.path);
      const version = to.version();
      try {
        if (version === 0) return [];
        expectWhole(to);
        mkdirSync(to.folder, { recursive: true, mode: modeOf(from.folder) });
        return holdFiles(from, to);
      } catch (error) {
        const path = missingPath(error);
        // uncovered: a disk that fails in the midst of a copy
        if (path === null) throw error;
        if (tries === MAX_TRIES || from.version() === version) throw missing(path, error);
      }
      // uncovered: a merge has deleted a file between the copy of the manifest and its opening
      to.close();
      for (const suffix of ['', '-wal', '-shm']) rmSync(to.path + suffix, { force: true });
    }
  } finally {
    to.close();
    from.close();
  }
}

function expectWhole(manifest: Manifest): void {
  manifest.verify();
  const [problem] = manifest.integrityErrors();
  if (problem === undefined) return;
  // uncovered: `verify` finds damage of rows: this is of pages that have none
  throw new StorageError(
    `\`${manifest.path}\`: expected a whole database, found: ${problem}; run \`colloquy check\``,
  );
}

function missing(path: string, error: unknown): StorageError {
  return new StorageError(`\`${path}\`: expected the file, found none; run \`colloquy check\``, {
    cause: error,
  });
}

function holdFiles(from: Manifest, to: Manifest): HeldFile[] {
  const held: HeldFile[] = [];
  try {
    for (const { name, isFile, crc } of to.segments()) {
      if (!isFile) continue;
      const path = join(from.folder, `${name}.seg`);
      const source = new FileSource(path);
      const target = join(to.folder, `${name}.seg`);
      held.push({ source, path, target, mode: fstatSync(source.fd).mode, crc });
    }
    return held;
  } catch (error) {
    // uncovered: a merge has deleted the second file while the first one was opened
    for (const { source } of held) source.close();
    throw error;
  }
}

async function copyManifest(from: string, to: string): Promise<void> {
  const database = connect(from, BUSY_TIMEOUT_MS);
  try {
    await copyDatabase(database, to, modeOf(from));
  } finally {
    database.close();
  }
}

function modeOf(path: string): number {
  // uncovered: the folder is there as soon as the manifest is
  return (statSync(path, { throwIfNoEntry: false })?.mode ?? 0o700) & 0o777;
}

async function copyFile({ source, path, target, mode, crc }: HeldFile, options: CopyOptions): Promise<void> {
  const footer = readFooter(source, path);
  if (footerSum(footer) !== crc) {
    throw new StorageError(
      `\`${path}\`: expected the segment of this name, found another; run \`colloquy check\``,
    );
  }
  const pages = readPageSums(source, footer, path);
  const file = openSync(target, 'wx', mode & 0o777);
  try {
    const summer = new PageSummer();
    const buffer = Buffer.allocUnsafeSlow(COPY_BYTES);
    for (let at = 0; at < source.size; at += COPY_BYTES) {
      options.signal.throwIfAborted();
      const bytes = buffer.subarray(0, Math.min(COPY_BYTES, source.size - at));
      source.readInto(bytes, at, bytes.length);
      if (at < pages.end) summer.add(bytes.subarray(0, pages.end - at));
      for (let done = 0; done < bytes.length; ) done += writeSync(file, bytes, done);
      options.onBytes(bytes.length);
      // Lets other work of the process run.
      await new Promise((resolve) => setImmediate(resolve));
    }
    compareSums(pages, summer.finish(), path);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

function compareSums(pages: PageSums, found: Uint32Array, path: string): void {
  const page = found.findIndex((sum, i) => sum !== pages.sums[i]);
  if (page < 0) return;
  throw new StorageError(
    `\`${path}\`: expected bytes ${page * PAGE_BYTES} to ${pageEnd(pages, page)} as they were ` +
      'written, found others; run `colloquy check`',
  );
}
