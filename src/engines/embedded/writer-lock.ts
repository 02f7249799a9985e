// One writer a data folder: a lock that the system takes back when the process dies, and a note of who holds it.
//
//   writer.lock   an SQLite file held in an exclusive transaction
//   writer.pid    process id of the holder, for the message

import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { UsageError } from '../../errors.ts';

export class WriterLock {
  readonly #folder: string;
  #db: DatabaseSync | null = null;

  constructor(folder: string) {
    this.#folder = folder;
  }

  get isHeld(): boolean {
    return this.#db !== null;
  }

  /** Throws a UsageError that names the process which holds it. */
  take(): void {
    if (!this.tryToTake()) {
      throw new UsageError(
        `expected to write to \`${this.#folder}\` alone, found ${this.#holder()} writing there: wait until it has ended, or stop it, and repeat the command`,
      );
    }
  }

  tryToTake(): boolean {
    if (this.#db !== null) return true;
    mkdirSync(this.#folder, { recursive: true });
    const db = new DatabaseSync(join(this.#folder, 'writer.lock'), { timeout: 0 });
    try {
      db.exec('PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF; BEGIN EXCLUSIVE');
    } catch (error) {
      db.close();
      if (!isBusy(error)) throw error;
      return false;
    }
    this.#db = db;
    writeFileSync(join(this.#folder, 'writer.pid'), `${process.pid}\n`);
    return true;
  }

  release(): void {
    if (this.#db === null) return;
    rmSync(join(this.#folder, 'writer.pid'), { force: true });
    this.#db.close();
    this.#db = null;
  }

  #holder(): string {
    try {
      return `process ${readFileSync(join(this.#folder, 'writer.pid'), 'utf8').trim()}`;
    } catch {
      return 'another process';
    }
  }
}

/** SQLITE_BUSY and SQLITE_LOCKED. */
function isBusy(error: unknown): boolean {
  const code = (error as { readonly errcode?: unknown }).errcode;
  return code === 5 || code === 6;
}
