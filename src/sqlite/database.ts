// A small SQLite database as a file: opened by several processes at once, brought to the newest schema, readable by its
// owner alone. For accounts.db and catalogue.db. And how any database is opened where nothing may be written.

import {
  accessSync,
  chmodSync,
  closeSync,
  constants,
  existsSync,
  mkdirSync,
  openSync,
  statSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { backup, DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { StorageError, storageError, UsageError } from '../errors.ts';

/** How long a statement waits for another process's write, in milliseconds. */
const BUSY_TIMEOUT_MS = 5000;

const OWNER_ONLY = 0o600;

/** SQLite's primary result code for a database that another connection holds (https://www.sqlite.org/rescode.html). */
const SQLITE_BUSY = 5;

/**
 * Opens or makes the database. `migrations[n]` leads from schema version n to n + 1; they run in order, once, in one
 * transaction. Throws a UsageError where the folder cannot be written, the file is no database, or a newer version of
 * Colloquy made it; a StorageError where it is damaged.
 */
export function openDatabase(file: string, migrations: readonly string[]): DatabaseSync {
  try {
    mkdirSync(dirname(file), { recursive: true });
    createForOwner(file);
  } catch (error) {
    throw new UsageError(
      `data folder \`${dirname(file)}\`: expected one that can be written to, found ${(error as Error).message}`,
      { cause: error },
    );
  }
  const database = new DatabaseSync(file, { timeout: BUSY_TIMEOUT_MS });
  try {
    switchToWal(database);
    // FULL: what was acknowledged survives a power cut. secure_delete: what is removed is overwritten.
    database.exec('PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON; PRAGMA secure_delete = ON');
    migrate(database, migrations, file);
    return database;
  } catch (error) {
    database.close();
    throw explained(error, file);
  }
}

/**
 * The database for what only reads. One that is not there is not made: it reads as one without rows. Where nothing may be
 * written it is not brought to the newest schema either: a UsageError for an older one.
 */
export function openDatabaseToRead(file: string, migrations: readonly string[]): DatabaseSync {
  if (!existsSync(file)) {
    const empty = new DatabaseSync(':memory:');
    for (const migration of migrations) empty.exec(migration);
    return empty;
  }
  if (mayBeWritten(file)) return openDatabase(file, migrations);
  const database = connect(file, BUSY_TIMEOUT_MS);
  try {
    const version = schemaVersion(database);
    if (version === migrations.length) return database;
    throw new UsageError(
      `expected \`${file}\` in schema version ${migrations.length}, found ${version} where it may not be brought to that: open it once where it may be written`,
    );
  } catch (error) {
    database.close();
    throw explained(error, file);
  }
}

/**
 * A connection to read and write, or, where the database may only be read, to read. There SQLite cannot make the files
 * that it coordinates processes with in WAL mode (https://www.sqlite.org/wal.html#readonly). Where a process that writes
 * has left them or keeps them, they are used; else nobody writes, and the file is read as one that does not change.
 * Throws a StorageError where the file may not be opened.
 */
export function connect(file: string, timeoutMs: number): DatabaseSync {
  try {
    return connectAsAllowed(file, timeoutMs);
  } catch (error) {
    throw storageError(error, file);
  }
}

function connectAsAllowed(file: string, timeoutMs: number): DatabaseSync {
  if (!existsSync(file) || mayBeWritten(file)) return new DatabaseSync(file, { timeout: timeoutMs });
  const log = statSync(`${file}-wal`, { throwIfNoEntry: false });
  if (log !== undefined && log.size > 0)
    return new DatabaseSync(file, { timeout: timeoutMs, readOnly: true });
  const address = pathToFileURL(file);
  address.searchParams.set('immutable', '1');
  return new DatabaseSync(address, { readOnly: true });
}

function mayBeWritten(file: string): boolean {
  try {
    for (const path of [dirname(file), file]) accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/** SQLite's own check of pages, indexes and constraints; empty where all is well. */
export function integrityProblems(database: DatabaseSync): string[] {
  try {
    const rows = database.prepare('PRAGMA integrity_check').all();
    return rows.map((row) => String(row.integrity_check)).filter((line) => line !== 'ok');
  } catch (error) {
    return [(error as Error).message];
  }
}

/** Runs `work` in a transaction that holds the write lock from its start; what throws is rolled back. */
export function inTransaction<T>(database: DatabaseSync, work: () => T): T {
  database.exec('BEGIN IMMEDIATE');
  try {
    const result = work();
    database.exec('COMMIT');
    return result;
  } catch (error) {
    if (database.isTransaction) database.exec('ROLLBACK');
    throw storageError(error, database.location() ?? '');
  }
}

/** One state of the database as a new file, whoever writes to it meanwhile; readable by its owner alone. */
export async function copyDatabase(database: DatabaseSync, file: string): Promise<void> {
  createForOwner(file);
  // In one step: no write of others makes it begin anew.
  await backup(database, file, { rate: 0x7fffffff });
}

/**
 * SQLite gives its side files (-wal, -shm) the mode of the database.
 * @NOTE An existing database is never opened and closed here: closing any descriptor of a file drops all POSIX locks
 * that this process holds on it (https://www.sqlite.org/howtocorrupt.html, 2.2).
 */
function createForOwner(file: string): void {
  try {
    closeSync(openSync(file, 'wx', OWNER_ONLY));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    if ((statSync(file).mode & 0o077) !== 0) chmodSync(file, OWNER_ONLY);
  }
}

/** The switch needs the file for itself and does not wait for it, so several first openings at once try again. */
function switchToWal(database: DatabaseSync): void {
  const givenUp = Date.now() + BUSY_TIMEOUT_MS;
  for (;;) {
    try {
      database.exec('PRAGMA journal_mode = WAL');
      return;
    } catch (error) {
      if (primaryCode(error) !== SQLITE_BUSY || Date.now() > givenUp) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);
    }
  }
}

function migrate(database: DatabaseSync, migrations: readonly string[], file: string): void {
  // The usual case takes no lock; the version is read again once the lock is held.
  if (schemaVersion(database) === migrations.length) return;
  inTransaction(database, () => {
    const version = schemaVersion(database);
    if (version > migrations.length) {
      throw new UsageError(
        `expected \`${file}\` in schema version ${migrations.length} or older, found ${version}: a newer version of Colloquy made it`,
      );
    }
    for (const migration of migrations.slice(version)) database.exec(migration);
    database.exec(`PRAGMA user_version = ${migrations.length}`);
  });
}

function schemaVersion(database: DatabaseSync): number {
  return Number(database.prepare('PRAGMA user_version').get()?.user_version);
}

/** SQLITE_NOTADB and SQLITE_CORRUPT as what they mean to the operator. */
function explained(error: unknown, file: string): unknown {
  switch (primaryCode(error)) {
    case 26:
      return new UsageError(`expected a database at \`${file}\`, found another file`, { cause: error });
    case 11:
      return new StorageError(
        `\`${file}\`: expected a whole database, found: ${(error as Error).message}; restore a backup`,
        { cause: error },
      );
    default:
      return storageError(error, file);
  }
}

/** SQLite's result code without its extension; undefined for errors that are not SQLite's. */
function primaryCode(error: unknown): number | undefined {
  const code = (error as { readonly errcode?: unknown }).errcode;
  return typeof code === 'number' ? code & 0xff : undefined;
}
