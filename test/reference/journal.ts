// The reference engine's disk: an append-only file a kind, a line a commit. A last line that was not written whole is
// no commit; any other line that is not what was written is damage.
//
//   <folder>/posts.ndjson         {"crc":…,"commit":{"kind":…,"put":[…],"checkpoint":…}}\n
//   <folder>/posts.ndjson.lock    process id of the writer

import {
  close,
  fstat,
  fsync,
  ftruncate,
  mkdirSync,
  open,
  read,
  readFileSync,
  rmSync,
  write,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { crc32 } from 'node:zlib';
import { StorageError, systemCode, UsageError } from '../../src/errors.ts';
import type { Checkpoint } from '../../src/model/engine.ts';
import type { Kind, StoredRecord } from '../../src/model/record.ts';
import type { ArrivalTime } from '../../src/model/time.ts';

/** What one line does, to one kind. What is absent does nothing. */
export interface Commit {
  readonly kind: Kind;
  readonly put?: readonly StoredRecord[];
  /** Absent: nobody noted it. */
  readonly arrived?: ArrivedCommit;
  readonly checkpoint?: Checkpoint;
  readonly hide?: HideCommit;
  /** Number of the removal that is taken back. */
  readonly restore?: number;
  /** Erases what was hidden up to this second. */
  readonly erase?: number;
}

interface ArrivedCommit {
  /** What of it came in, and when, by id: those that are not named keep their arrival. */
  readonly news: Readonly<Record<string, ArrivalTime>>;
  /** The different times that were given with the batch, up; none: it came in when it was committed. */
  readonly given: readonly number[];
  /** Unix seconds of the commit. */
  readonly time: number;
}

export interface HideCommit {
  readonly removal: number;
  /** Unix seconds. */
  readonly time: number;
  /** Ids of live records. */
  readonly ids: readonly string[];
  /** Copies that are hidden already, by their number in the list of these. */
  readonly copies: readonly number[];
}

const files = {
  open: promisify(open),
  close: promisify(close),
  fstat: promisify(fstat),
  fsync: promisify(fsync),
  ftruncate: promisify(ftruncate),
  read: promisify(read),
  write: promisify(write),
};

const READ_BYTES = 1 << 20;
const NEWLINE = 0x0a;

export class Journal implements AsyncDisposable {
  readonly #path: string;
  readonly #file: number;
  /** Bytes read and understood: everything before this is whole commits. */
  #end = 0;
  #isWriter = false;

  private constructor(path: string, file: number) {
    this.#path = path;
    this.#file = file;
  }

  static async open(folder: string, kind: Kind): Promise<Journal> {
    mkdirSync(folder, { recursive: true });
    const path = join(folder, `${kind}s.ndjson`);
    return new Journal(path, await files.open(path, 'a+'));
  }

  get bytes(): number {
    return this.#end;
  }

  /** The commits that were added since the last call, by any process. Throws a StorageError at a damaged one. */
  async *news(): AsyncIterable<Commit> {
    let pending: Buffer[] = [];
    let at = this.#end;
    if ((await files.fstat(this.#file)).size === at) return;
    for (;;) {
      const { bytesRead, buffer } = await files.read(
        this.#file,
        Buffer.allocUnsafe(READ_BYTES),
        0,
        READ_BYTES,
        at,
      );
      if (bytesRead === 0) return;
      at += bytesRead;
      let rest = buffer.subarray(0, bytesRead);
      for (let cut = rest.indexOf(NEWLINE); cut !== -1; cut = rest.indexOf(NEWLINE)) {
        const line = Buffer.concat([...pending, rest.subarray(0, cut)]);
        pending = [];
        rest = rest.subarray(cut + 1);
        const commit = readCommit(line);
        if (commit === null) {
          throw new StorageError(
            `\`${this.#path}\`: expected a commit at byte ${this.#end}, found it damaged`,
          );
        }
        this.#end += line.length + 1;
        yield commit;
      }
      pending.push(rest);
    }
  }

  /** Appends and syncs; `news` gives it back. Hiding alone may be appended without the lock. */
  async append(commit: Commit): Promise<void> {
    const text = JSON.stringify(commit);
    const line = Buffer.from(`{"crc":${crc32(text)},"commit":${text}}\n`);
    for (let written = 0; written < line.length; ) {
      const { bytesWritten } = await files.write(this.#file, line, written);
      written += bytesWritten;
    }
    await files.fsync(this.#file);
  }

  /**
   * Makes this process the writer. Call `news()` to its end before and after. Throws a UsageError where another one
   * is.
   */
  lock(): void {
    if (this.#isWriter) return;
    const path = `${this.#path}.lock`;
    for (;;) {
      try {
        writeFileSync(path, String(process.pid), { flag: 'wx' });
        break;
      } catch (error) {
        // uncovered: a disk that fails
        if (systemCode(error) !== 'EEXIST') throw error;
        const owner = Number(readFileSync(path, 'utf8'));
        if (isAlive(owner)) {
          throw new UsageError(
            `the index in \`${this.#path}\` is being written by process ${owner}: wait until it has ended`,
          );
        }
        rmSync(path, { force: true });
      }
    }
    this.#isWriter = true;
  }

  /** Drops an unfinished line at the end, which a killed writer left. Only for the writer, after `news()`. */
  async trim(): Promise<void> {
    await files.ftruncate(this.#file, this.#end);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await files.close(this.#file);
    if (this.#isWriter) rmSync(`${this.#path}.lock`, { force: true });
  }
}

/** null for a line that is not a whole commit. */
function readCommit(line: Buffer): Commit | null {
  const match = /^\{"crc":(\d+),"commit":/.exec(line.toString('latin1', 0, 40));
  if (match === null || line.at(-1) !== 0x7d) return null;
  const text = line.subarray(match[0].length, -1);
  return crc32(text) === Number(match[1]) ? (JSON.parse(text.toString()) as Commit) : null;
}

function isAlive(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return systemCode(error) === 'EPERM';
  }
}
