// Temporary files for packed data from a pipe, because an archive is read from its end, and packed data is read twice:
// to check it, and to import it.

import { createWriteStream, readdirSync, rmSync } from 'node:fs';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { storageError } from '../../errors.ts';
import { log } from '../../log.ts';

/** The folder is named after the process, so that leftovers of a killed one can be told from folders in use. */
const PREFIX = 'colloquy-import-';

/** Files in the system's folder for temporary files, deleted at the end of the scope. */
export class Spool implements AsyncDisposable {
  #folder: string | null = null;
  #kept = 0;

  /** Writes everything into a file of its own. Returns its path and size in bytes. */
  async keep(bytes: AsyncIterable<Buffer>): Promise<{ readonly path: string; readonly size: number }> {
    try {
      deleteLeftSpools();
      this.#folder ??= await mkdtemp(join(tmpdir(), `${PREFIX}${process.pid}-`));
      const path = join(this.#folder, `input-${this.#kept++}`);
      await pipeline(bytes, createWriteStream(path, { mode: 0o600 }));
      return { path, size: (await stat(path)).size };
    } catch (error) {
      throw storageError(error, this.#folder ?? tmpdir());
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#folder === null) return;
    try {
      await rm(this.#folder, { recursive: true, force: true });
    } catch (error) {
      log.warn({ err: error }, 'a folder of temporary files could not be deleted');
    }
  }
}

export function deleteLeftSpools(): void {
  for (const name of readdirSync(tmpdir())) {
    const pid = new RegExp(`^${PREFIX}(\\d+)-`).exec(name)?.[1];
    if (pid === undefined || isAlive(Number(pid))) continue;
    try {
      rmSync(join(tmpdir(), name), { recursive: true, force: true });
    } catch {
      // Another user's: not ours to delete.
    }
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
