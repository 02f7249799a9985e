// A small SQLite database as a file: opened by several processes at once, migrated to the newest schema,
// readable only by its owner. For accounts.db and catalogue.db.

import { existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { StorageError, sqliteCode, storageError, UsageError } from '../errors.ts';
import { APPLICATION_ID, connect, expectReleased, mayBeWritten } from './connect.ts';
import { createForOwner } from './owner-only.ts';
import { row } from './rows.ts';
import { inTransaction } from './transaction.ts';
import { switchToWal } from './wal.ts';

/** How long a statement waits for another process's write, in milliseconds. */
const BUSY_TIMEOUT_MS = 5000;

/**
 * Opens or makes the database. `migrations[n]` leads from schema version n to n + 1; they run in order, once,
 * in one transaction. Throws a UsageError if the folder cannot be written, the file is not a database, or a
 * newer version of Colloquy made it; a StorageError if it is damaged.
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
    switchToWal(database, BUSY_TIMEOUT_MS);
    // FULL: acknowledged changes survive a power cut. secure_delete: removed rows are overwritten.
    database.exec('PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON; PRAGMA secure_delete = ON');
    migrate(database, migrations, file);
    return database;
  } catch (error) {
    database.close();
    throw explained(error, file);
  }
}

/**
 * The database for callers that only read. A missing one is not made, and reads as one without rows. Where
 * nothing may be written, or `isReadOnly`, it is not migrated either: an older schema is a UsageError.
 */
export function openDatabaseToRead(
  file: string,
  migrations: readonly string[],
  isReadOnly = false,
): DatabaseSync {
  if (!existsSync(file)) {
    const empty = new DatabaseSync(':memory:');
    for (const migration of migrations) empty.exec(migration);
    return empty;
  }
  if (!isReadOnly && mayBeWritten(file)) return openDatabase(file, migrations);
  const database = connect(file, BUSY_TIMEOUT_MS, isReadOnly);
  try {
    expectReleased(pragma(database, 'application_id'), file);
    const version = pragma(database, 'user_version');
    if (version === migrations.length) return database;
    throw new UsageError(
      `expected \`${file}\` in schema version ${migrations.length}, ` +
        `found ${version} where it may not be brought to that: open it once where it may be written`,
    );
  } catch (error) {
    database.close();
    throw explained(error, file);
  }
}

function migrate(database: DatabaseSync, migrations: readonly string[], file: string): void {
  // The usual case takes no lock; the version is read again once the lock is held.
  const isOurs = () => pragma(database, 'application_id') === APPLICATION_ID;
  if (isOurs() && pragma(database, 'user_version') === migrations.length) return;
  inTransaction(database, () => {
    const version = pragma(database, 'user_version');
    if (version > 0) expectReleased(pragma(database, 'application_id'), file);
    if (version > migrations.length) {
      throw new UsageError(
        `expected \`${file}\` in schema version ${migrations.length} or older, found ${version}: ` +
          'a newer version of Colloquy made it',
      );
    }
    for (const migration of migrations.slice(version)) database.exec(migration);
    database.exec(`PRAGMA user_version = ${migrations.length}; PRAGMA application_id = ${APPLICATION_ID}`);
  });
}

function pragma(database: DatabaseSync, name: 'application_id' | 'user_version'): number {
  return row<Readonly<Record<string, number>>>(database.prepare(`PRAGMA ${name}`))![name]!;
}

/** What SQLITE_NOTADB and SQLITE_CORRUPT mean to the operator. */
function explained(error: unknown, file: string): unknown {
  switch (sqliteCode(error)) {
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
