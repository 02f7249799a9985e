// One writer for each data folder: a lock that the system releases when the process dies, and a note of who holds it.
//
//   writer.lock   the lock (sqlite/database.ts)
//   writer.pid    process id of the holder, for the message; `upkeep` behind it: held for a moment, worth waiting for

import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { UsageError } from '../../../errors.ts';
import { log } from '../../../log.ts';
import { tryToLock } from '../../../sqlite/database.ts';

const WAIT_MS = 100;
/** A new holder writes its note within this many waits. */
const MAX_NOTELESS_WAITS = 5;

/** An import holds the lock until its end, a server for a moment. */
type Purpose = 'writing' | 'upkeep';

export class WriterLock {
  readonly #folder: string;
  #held: Disposable | null = null;

  constructor(folder: string) {
    this.#folder = folder;
  }

  get isHeld(): boolean {
    return this.#held !== null;
  }

  /**
   * Takes it for writing; waits for another process's upkeep. Throws a UsageError that names the process that
   * writes, if there is one.
   */
  async take(): Promise<void> {
    let noteless = 0;
    while (!this.tryToTake('writing')) {
      const note = this.#readNote();
      if (note === null) noteless++;
      if (note === null ? noteless > MAX_NOTELESS_WAITS : !note.endsWith(' upkeep')) {
        const holder = note === null ? 'another process' : `process ${note}`;
        throw new UsageError(
          `expected to write to \`${this.#folder}\` alone, found ${holder} writing there: ` +
            'wait until it has ended, or stop it, and repeat the command',
        );
      }
      await sleep(WAIT_MS);
    }
  }

  /** True also if this process already holds it, now for the new purpose. */
  tryToTake(purpose: Purpose): boolean {
    this.#held ??= tryToLock(join(this.#folder, 'writer.lock'));
    if (this.#held === null) return false;
    this.#writeNote(purpose === 'upkeep' ? `${process.pid} upkeep\n` : `${process.pid}\n`);
    return true;
  }

  release(): void {
    if (this.#held === null) return;
    this.#writeNote(null);
    this.#held[Symbol.dispose]();
    this.#held = null;
  }

  /** Only for the message: without it, on a full disk, the lock still works. */
  #writeNote(text: string | null): void {
    const path = join(this.#folder, 'writer.pid');
    try {
      if (text === null) rmSync(path, { force: true });
      else writeFileSync(path, text);
    } catch (error) {
      log.warn({ err: error }, 'the note of who writes could not be changed');
    }
  }

  /** null if the holder has written none. */
  #readNote(): string | null {
    try {
      return readFileSync(join(this.#folder, 'writer.pid'), 'utf8').trim() || null;
    } catch {
      return null;
    }
  }
}
