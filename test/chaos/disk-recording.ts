// What a piece of work does to the files of a folder, as a list of events in their order: enough to say afterwards what
// could be on disk if the power had gone at any moment. Our own files are followed call by call; SQLite's by what they
// hold whenever a transaction has ended, since it promises (WAL, synchronous = FULL) that this lasts.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { DatabaseSync, StatementSync } from 'node:sqlite';
import { type FileCall, watchCommits, watchFileCalls } from './file-calls.ts';

/** Paths are relative to the folder; a file keeps its number through renames. */
export type DiskEvent =
  | { readonly kind: 'create'; readonly path: string; readonly file: number }
  | { readonly kind: 'write'; readonly file: number; readonly offset: number; readonly bytes: Buffer }
  | { readonly kind: 'truncate'; readonly file: number; readonly size: number }
  | { readonly kind: 'sync'; readonly file: number }
  | { readonly kind: 'rename'; readonly from: string; readonly to: string }
  | { readonly kind: 'unlink'; readonly path: string }
  | { readonly kind: 'mkdir'; readonly path: string }
  | { readonly kind: 'sync folder'; readonly path: string }
  /** Where a `commit` comes next, SQLite may have written any part of what that brings; else nothing was changed. */
  | { readonly kind: 'commit begins' }
  | { readonly kind: 'commit'; readonly changes: readonly DatabaseChange[] }
  | { readonly kind: 'mark'; readonly mark: string };

/** A file of SQLite's, before and after; null: there is none. */
export interface DatabaseChange {
  readonly path: string;
  readonly before: Buffer | null;
  readonly after: Buffer | null;
}

const DATABASE_FILE = /\.db(-wal|-journal)?$/;

export interface Recorder {
  /** Puts a mark of the caller's among the events. */
  mark(mark: string): void;
}

/** Everything must run in this thread. Files that were there before count as safe on disk. */
export async function recordDisk(
  folder: string,
  work: (recorder: Recorder) => Promise<void>,
): Promise<DiskEvent[]> {
  const recording = new Recording(folder);
  using _files = watchFileCalls([folder], {
    before: (call) => recording.beforeCall(call),
    after: (call, result) => recording.afterCall(call, result),
  });
  using _commits = watchCommits({
    before: (sql) => recording.beforeStatement(sql),
    after: (sql) => recording.afterStatement(sql),
  });
  using _others = watchOtherStatements(recording);
  await work({ mark: (mark) => recording.events.push({ kind: 'mark', mark }) });
  return recording.events;
}

class Recording {
  readonly events: DiskEvent[] = [];
  readonly #folder: string;
  readonly #fileOf = new Map<string, number>();
  /** By descriptor. */
  readonly #open = new Map<number, { readonly path: string; readonly file: number | null; at: number }>();
  readonly #databases = new Map<string, Buffer>();
  #files = 0;
  #transactions = 0;
  #isLooking = false;

  constructor(folder: string) {
    this.#folder = folder;
    this.#lookAtDatabases();
    this.events.length = 0;
  }

  beforeCall(call: FileCall): undefined {
    // What happens to SQLite's files is seen at its commits.
    if (this.#isLooking || DATABASE_FILE.test(call.path)) return;
    const path = this.#relative(call.path);
    if (call.name === 'openSync' && /[wa]/.test(String(call.args[1])) && !existsSync(call.path))
      this.#create(path);
    if (call.name === 'writeFileSync') this.#writeFile(path, call.args[1]);
  }

  afterCall(call: FileCall, result: unknown): void {
    if (this.#isLooking || DATABASE_FILE.test(call.path)) return;
    const path = this.#relative(call.path);
    const descriptor = call.args[0] as number;
    switch (call.name) {
      case 'openSync':
        this.#open.set(result as number, { path, file: this.#fileOf.get(path) ?? null, at: 0 });
        break;
      case 'writeSync':
        this.#write(descriptor, call.args, result as number);
        break;
      case 'fsyncSync':
        this.#sync(descriptor);
        break;
      case 'closeSync':
        this.#open.delete(descriptor);
        break;
      case 'renameSync':
        this.#rename(path, this.#relative(call.target!));
        break;
      case 'rmSync':
      case 'unlinkSync':
        this.#unlink(path);
        break;
      case 'mkdirSync':
        if (path !== '') this.events.push({ kind: 'mkdir', path });
        break;
      case 'writeFileSync':
        break;
      default:
        if (!/^(read|stat|fstat|lstat|exists|access|realpath|opendir|chmod)/.test(call.name)) {
          throw new Error(`${call.name} is not followed`);
        }
    }
  }

  beforeStatement(sql: string): void {
    if (/^\s*COMMIT/i.test(sql)) this.events.push({ kind: 'commit begins' });
  }

  afterStatement(sql: string): void {
    if (/^\s*BEGIN/i.test(sql) && !/COMMIT/i.test(sql)) this.#transactions++;
    else if (/^\s*(COMMIT|ROLLBACK)/i.test(sql)) this.#transactions--;
    this.afterChange();
  }

  /** Outside of a transaction every statement is one. */
  afterChange(): void {
    if (this.#transactions === 0) this.#lookAtDatabases();
  }

  #create(path: string): void {
    const file = this.#files++;
    this.#fileOf.set(path, file);
    this.events.push({ kind: 'create', path, file });
  }

  #writeFile(path: string, data: unknown): void {
    if (!this.#fileOf.has(path)) this.#create(path);
    const file = this.#fileOf.get(path)!;
    this.events.push({ kind: 'truncate', file, size: 0 });
    this.events.push({ kind: 'write', file, offset: 0, bytes: Buffer.from(data as string) });
  }

  #write(descriptor: number, args: readonly unknown[], written: number): void {
    const open = this.#open.get(descriptor)!;
    const [, data, from] = args;
    const bytes =
      typeof data === 'string' ? Buffer.from(data) : viewOf(data as Uint8Array, Number(from ?? 0));
    const position = typeof args[4] === 'number' ? args[4] : open.at;
    open.at = position + written;
    const copy = Buffer.from(bytes.subarray(0, written));
    this.events.push({ kind: 'write', file: open.file!, offset: position, bytes: copy });
  }

  #sync(descriptor: number): void {
    const { path, file } = this.#open.get(descriptor)!;
    this.events.push(file === null ? { kind: 'sync folder', path } : { kind: 'sync', file });
  }

  #rename(from: string, to: string): void {
    const file = this.#fileOf.get(from);
    this.#fileOf.delete(from);
    if (file !== undefined) this.#fileOf.set(to, file);
    this.events.push({ kind: 'rename', from, to });
  }

  /** Of a folder, nothing is removed while it is recorded. */
  #unlink(path: string): void {
    this.#fileOf.delete(path);
    this.events.push({ kind: 'unlink', path });
  }

  #lookAtDatabases(): void {
    this.#isLooking = true;
    try {
      const names = existsSync(this.#folder)
        ? readdirSync(this.#folder).filter((name) => DATABASE_FILE.test(name))
        : [];
      const changes: DatabaseChange[] = [];
      for (const path of new Set([...names, ...this.#databases.keys()])) {
        const before = this.#databases.get(path) ?? null;
        const after = names.includes(path) ? readFileSync(join(this.#folder, path)) : null;
        if (before === null ? after === null : after !== null && before.equals(after)) continue;
        changes.push({ path, before, after });
        if (after === null) this.#databases.delete(path);
        else this.#databases.set(path, after);
      }
      if (changes.length > 0) this.events.push({ kind: 'commit', changes });
    } finally {
      this.#isLooking = false;
    }
  }

  #relative(path: string): string {
    return relative(this.#folder, path);
  }
}

function viewOf(data: Uint8Array, from: number): Buffer {
  return Buffer.from(data.buffer, data.byteOffset + from, data.byteLength - from);
}

/** Statements that are transactions of their own, and the end of a connection, which takes its log in. */
function watchOtherStatements(recording: Recording): Disposable {
  const { run, get } = StatementSync.prototype;
  const { close } = DatabaseSync.prototype;
  StatementSync.prototype.run = function watched(this: StatementSync, ...values: never[]) {
    const result = run.apply(this, values as never);
    recording.afterChange();
    return result;
  } as typeof run;
  StatementSync.prototype.get = function watched(this: StatementSync, ...values: never[]) {
    const row = get.apply(this, values as never);
    if (/wal_checkpoint/.test(this.sourceSQL)) recording.afterChange();
    return row;
  } as typeof get;
  DatabaseSync.prototype.close = function watched(this: DatabaseSync) {
    close.call(this);
    recording.afterChange();
  };
  return {
    [Symbol.dispose]() {
      Object.assign(StatementSync.prototype, { run, get });
      DatabaseSync.prototype.close = close;
    },
  };
}
