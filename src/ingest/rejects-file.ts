// The list of what an import rejected: one JSON line each with source, line, reason and the beginning of the text.
// The file is created when the first line is rejected.

import { closeSync, mkdirSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { storageError } from '../errors.ts';
import type { Reject } from './formats/block.ts';

/** The list ends here; the report still counts every line. */
const MAX_LISTED = 100_000;

export class RejectsFile {
  readonly #folder: string;
  #file: number | null = null;
  #listed = 0;
  /** null until a line is listed. */
  path: string | null = null;

  /** `folder` is created when needed. */
  constructor(folder: string) {
    this.#folder = folder;
  }

  add(source: string, rejects: readonly Reject[]): void {
    const listed = rejects.slice(0, MAX_LISTED - this.#listed);
    if (listed.length === 0) return;
    this.#listed += listed.length;
    const lines = listed.map(({ line, reason, text }) => JSON.stringify({ source, line, reason, text }));
    try {
      this.#append(Buffer.from(`${lines.join('\n')}\n`));
    } catch (error) {
      throw storageError(error, this.path ?? this.#folder);
    }
  }

  [Symbol.dispose](): void {
    const file = this.#file;
    this.#file = null;
    try {
      if (file !== null) closeSync(file);
    } catch (error) {
      throw storageError(error, this.path ?? this.#folder);
    }
  }

  #append(bytes: Uint8Array): void {
    this.#file ??= this.#open();
    // A call may write only part of it.
    for (let done = 0; done < bytes.length; ) done += writeSync(this.#file, bytes, done);
  }

  #open(): number {
    mkdirSync(this.#folder, { recursive: true });
    const stamp = new Date().toISOString().replaceAll(':', '-');
    this.path = join(this.#folder, `${stamp}.ndjson`);
    return openSync(this.path, 'wx', 0o600);
  }
}
