// What an export into a file keeps beside it. `FILE.part`: bytes are appended, and it is renamed when complete; a lock
// allows one writing process at a time, and the system releases it when the process dies. `FILE.state`, the progress:
// JSON, replaced atomically. It never claims more than is on disk, and tells beside a finished file which command made
// it.

import { createHash } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { naming, StorageError, UsageError } from '../../../errors.ts';
import type { ExportHead } from '../../../model/export.ts';
import { isCount, readJsonFile, replaceFile, syncFolder, tryToLock } from '../../../sqlite/database.ts';
import { quoted } from '../../../text/quoted.ts';
import { hashPart } from '../compression.ts';
import { type ExportPlan, type ExportSources, namesInShort } from '../export-service.ts';

const READ_BYTES = 1_048_576;

interface Written {
  readonly bytes: number;
  /** Hash of these bytes: 64 hex digits. */
  readonly sha256: string;
}

export class PartFile implements Disposable {
  readonly path: string;
  readonly #file: number;
  readonly #hash = createHash('sha256');
  #bytes = 0;
  #isOpen = true;

  /** Creates an empty one; an existing one is overwritten. */
  static create(path: string): PartFile {
    return naming(path, () => new PartFile(path, 'w'));
  }

  /**
   * Truncates the part to `written`. Throws a StorageError if the part lacks these bytes: a disk lost them, or another
   * program changed them.
   */
  static reopen(out: string, written: Written): PartFile {
    const path = partOf(out);
    return naming(path, () => {
      const part = new PartFile(path, existsSync(path) ? 'r+' : 'w');
      try {
        part.#take(written);
        return part;
      } catch (error) {
        part[Symbol.dispose]();
        throw error;
      }
    });
  }

  private constructor(path: string, flags: 'w' | 'r+') {
    this.path = path;
    this.#file = openSync(path, flags, 0o666);
  }

  write(pieces: readonly Uint8Array[]): void {
    naming(this.path, () => {
      for (const piece of pieces) {
        for (let at = 0; at < piece.length; ) {
          at += writeSync(this.#file, piece, at, piece.length - at, this.#bytes + at);
        }
        this.#hash.update(piece);
        this.#bytes += piece.length;
      }
    });
  }

  /** Where these bytes, which begin at `at`, first differ from those of the file; null: they are the same. */
  firstDifference(bytes: Uint8Array, at: number): number | null {
    const there = Buffer.allocUnsafe(bytes.length);
    for (let read = 0; read < bytes.length; ) {
      const more = readSync(this.#file, there, read, bytes.length - read, at + read);
      if (more === 0) throw notOurs(this.path, `expected byte ${at + read}, found its end`);
      read += more;
    }
    if (there.equals(bytes)) return null;
    return at + bytes.findIndex((byte, i) => byte !== there[i]);
  }

  /** All bytes written so far are on disk when it returns. */
  sync(): Written {
    naming(this.path, () => fsyncSync(this.#file));
    return { bytes: this.#bytes, sha256: this.#hash.copy().digest('hex') };
  }

  [Symbol.dispose](): void {
    if (this.#isOpen) closeSync(this.#file);
    this.#isOpen = false;
  }

  #take({ bytes, sha256 }: Written): void {
    const buffer = Buffer.allocUnsafe(READ_BYTES);
    while (this.#bytes < bytes) {
      const length = Math.min(buffer.length, bytes - this.#bytes);
      const read = readSync(this.#file, buffer, 0, length, this.#bytes);
      if (read === 0) throw notOurs(this.path, `expected ${bytes} bytes at least, found ${this.#bytes}`);
      this.#hash.update(buffer.subarray(0, read));
      this.#bytes += read;
    }
    if (bytes > 0 && this.#hash.copy().digest('hex') !== sha256) {
      throw notOurs(this.path, 'expected the bytes that were written, found others');
    }
    ftruncateSync(this.#file, bytes);
  }
}

export function notOurs(path: string, found: string): StorageError {
  return new StorageError(
    `\`${path}\`: not the part that this export left: ${found}; begin again with \`--restart\``,
  );
}

/** Throws a UsageError if a file is in the way. */
export function expectNone(out: string, replaces: boolean): void {
  if (replaces || !existsSync(out)) return;
  throw new UsageError(
    `expected no file \`${out}\` yet, found one; \`--restart\` replaces it, or choose another name`,
  );
}

/** Renames the part to `out`, durably. Throws a UsageError if a file exists by now, unless `replaces`. */
export function publish(out: string, replaces: boolean): void {
  expectNone(out, replaces);
  naming(out, () => {
    renameSync(partOf(out), out);
    syncFolder(dirname(out));
  });
}

export function removePart(out: string): void {
  rmSync(partOf(out), { force: true });
}

/** Whether the file at this path has exactly these bytes. */
export async function isWritten(path: string, { bytes, sha256 }: Written): Promise<boolean> {
  if (statSync(path, { throwIfNoEntry: false })?.size !== bytes) return false;
  const hash = createHash('sha256');
  await hashPart(path, hash);
  return hash.digest('hex') === sha256;
}

/**
 * Locks the path until disposed. Throws a UsageError if another process holds the lock, if the path cannot be a file,
 * or if its folder is missing.
 */
export function lockOut(path: string): Disposable {
  expectPlace(path);
  const file = `${path}.lock`;
  const lock = naming(file, () => tryToLock(file));
  // A process that has just ended may have deleted the lock file under this one.
  if (lock === null || !existsSync(file)) {
    lock?.[Symbol.dispose]();
    throw new UsageError(
      `expected to be alone in writing \`${path}\`, found another process that writes it; ` +
        'let it end, or choose another name',
    );
  }
  return { [Symbol.dispose]: () => release(file, lock) };
}

/** Deletes the file before it releases the lock, so that nobody locks a file without a name; Windows refuses that. */
function release(file: string, lock: Disposable): void {
  const isWindows = process.platform === 'win32';
  if (!isWindows) rmSync(file, { force: true });
  lock[Symbol.dispose]();
  if (!isWindows) return;
  try {
    rmSync(file, { force: true });
  } catch {
    // Another process has it already.
  }
}

function expectPlace(path: string): void {
  if (!statSync(dirname(path), { throwIfNoEntry: false })?.isDirectory()) {
    throw new UsageError(`expected a folder for \`${path}\`, found none at \`${dirname(path)}\``);
  }
  const there = statSync(path, { throwIfNoEntry: false });
  if (there === undefined || there.isFile()) return;
  const found = there.isDirectory() ? 'a folder' : 'something that is no plain file';
  throw new UsageError(`expected a file to write at \`${path}\`, found ${found}`);
}

const FORM = 1;

export interface FileState {
  readonly command: Command;
  readonly replaces: boolean;
  readonly version: string;
  /** null: not known for the view of this export. */
  readonly sources: ExportSources | null;
  readonly head: ExportHead;
  readonly records: number;
  readonly withheld: number;
  readonly bytes: number;
  readonly sha256: string;
  readonly shaper: unknown;
  /** Absent: the part is incomplete. */
  readonly finished?: { readonly cutCells: number };
}

type Command = ReturnType<typeof commandOf>;

/** What makes the bytes; null: not given. `ids` stands for them in short, in place of a query. */
export function commandOf({ wish, query, under, fields }: ExportPlan) {
  const { kind, names, sample, since, order, after, limit, format, compress } = wish;
  return {
    ...{ kind, query, since: since || null, ids: names === undefined ? null : namesInShort(names), under },
    ...{ sample: sample?.size ?? null, seed: sample?.seed ?? null, order, after: after || null, limit },
    ...{ fields: fields === null ? null : fields.join(','), format, compress },
  };
}

export function partOf(out: string): string {
  return `${out}.part`;
}

export function stateOf(out: string): string {
  return `${out}.state`;
}

/** null: there is none. Throws a StorageError if the file is not an export's state. */
export function readState(out: string): FileState | null {
  const expected =
    'the state of an export of this version, found something else; begin again with `--restart`, or choose another name';
  return readJsonFile(stateOf(out), asState, expected);
}

/** Synced when it returns: a power cut leaves this state or the one before. */
export function writeState(out: string, state: FileState): void {
  const path = stateOf(out);
  naming(path, () => replaceFile(path, `${JSON.stringify({ form: FORM, ...state })}\n`));
}

export function removeState(out: string): void {
  // A killed process may have left a draft. The state goes last.
  rmSync(`${stateOf(out)}.new`, { force: true });
  rmSync(stateOf(out), { force: true });
}

/** Throws a UsageError that names all differences. */
export function expectSameCommand(out: string, before: Command, now: Command): void {
  const names = Object.keys(now) as (keyof Command)[];
  // A name that an older version did not write counts as null.
  const different = names.filter((name) => (before[name] ?? null) !== now[name]);
  if (different.length === 0) return;
  const list = different.map(
    (name) =>
      `${WORDS[name] ?? `\`--${name}\``} ${shown(name, before[name])} there, ${shown(name, now[name])} here`,
  );
  throw new UsageError(
    `\`${stateOf(out)}\` was left by another export: ${list.join('; ')}. ` +
      'Go on with the command that left it, choose another name, or begin anew with `--restart`',
  );
}

const WORDS: Partial<Record<keyof Command, string>> = { kind: 'kind', query: 'query', ids: '`--from-ids`' };

function shown(name: keyof Command, value: string | number | null | undefined): string {
  if (name === 'query' && value === '') return 'everything';
  return value === null || value === undefined ? 'none' : quoted(String(value));
}

/** null, or it throws: not a valid state. */
function asState({ form, ...state }: { readonly form?: unknown } & FileState): FileState | null {
  const isOurs =
    form === FORM &&
    typeof state.command === 'object' &&
    state.command !== null &&
    typeof state.sha256 === 'string' &&
    [state.head.total, state.head.matches, state.records, state.withheld, state.bytes].every(isCount);
  return isOurs ? state : null;
}
