// SQLite databases: opening small ones that several processes share, brought to the newest schema and readable only by
// their owner (accounts.db, catalogue.db), and any file that this process may only read; copies and checks of them.
// Then what the code does with an open one: reads rows, runs transactions, and tells a lock from a failure. This is the
// one place where SQLite's rows become those the schema promises. Features keep tables beside those of the core. They
// are made where they are missing, when somebody first asks for them: a folder may have been written without the
// feature. The schema version of a database holds for all of its tables. What outlives a process: a lock that the
// system releases when it dies, and files and folders that survive a power cut.

import {
  accessSync,
  chmodSync,
  closeSync,
  constants,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  statSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { backup, DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { StorageError, sqliteCode, storageError, UsageError } from '../errors.ts';

/** The mode of a file that only its owner can read. */
const OWNER_ONLY = 0o600;

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

/** `PRAGMA application_id` of our databases since 0.1.0: "CLQY". */
export const APPLICATION_ID = 0x434c5159;

/** Throws a UsageError for a database that a Colloquy before 0.1.0 made. */
export function expectReleased(applicationId: number, file: string): void {
  if (applicationId === APPLICATION_ID) return;
  throw new UsageError(
    `\`${file}\`: expected a database of Colloquy 0.1.0 or later, found one from before: ` +
      'import its dumps again into a new folder, which `--data` names',
  );
}

/**
 * A connection to read and write, or only to read if the database may not be written or `isReadOnly`. In the second
 * case SQLite cannot make the files by which it coordinates processes in WAL mode
 * (https://www.sqlite.org/wal.html#readonly). If a writing process keeps them or has left them, they are used;
 * otherwise nobody is writing, and the file is read as one that does not change. Throws a StorageError if the file
 * cannot be opened.
 */
export function connect(file: string, timeoutMs: number, isReadOnly = false): DatabaseSync {
  try {
    return connectAsAllowed(file, timeoutMs, isReadOnly);
  } catch (error) {
    throw storageError(error, file);
  }
}

function connectAsAllowed(file: string, timeoutMs: number, isReadOnly: boolean): DatabaseSync {
  if (!isReadOnly && (!existsSync(file) || mayBeWritten(file)))
    return new DatabaseSync(file, { timeout: timeoutMs });
  if (hasLog(file)) return new DatabaseSync(file, { timeout: timeoutMs, readOnly: true });
  const address = pathToFileURL(file);
  address.searchParams.set('immutable', '1');
  return new DatabaseSync(address, { readOnly: true });
}

/** Whether commits may stand in the write-ahead log beside the file. */
export function hasLog(file: string): boolean {
  return (statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0;
}

/** In one step, so that the copy is one state of the database and no other process's write makes it start again. */
const ALL_PAGES = 0x7fffffff;

/**
 * Writes one state of the database to a new file, whoever writes to the database meanwhile. Throws if the file exists.
 */
export async function copyDatabase(database: DatabaseSync, file: string, mode = OWNER_ONLY): Promise<void> {
  closeSync(openSync(file, 'wx', mode));
  await backup(database, file, { rate: ALL_PAGES });
}

/** What SQLite's own check of pages, indexes and constraints reports; empty if there is no problem. */
export function integrityProblems(database: DatabaseSync): string[] {
  try {
    const lines = rows<{ readonly integrity_check: string }>(database.prepare('PRAGMA integrity_check'));
    return lines.map((line) => line.integrity_check).filter((line) => line !== 'ok');
  } catch (error) {
    return [(error as Error).message];
  }
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

/** Between two tries. */
const PAUSE_MS = 20;

/**
 * The switch needs the file for itself and does not wait for other connections, whatever their timeout says, so it
 * is tried again for at most `patienceMs`; then the error of SQLite is thrown.
 */
export function switchToWal(database: Pick<DatabaseSync, 'exec'>, patienceMs: number): void {
  const givenUp = performance.now() + patienceMs;
  for (;;) {
    try {
      database.exec('PRAGMA journal_mode = WAL');
      return;
    } catch (error) {
      if (!isBusy(error) || performance.now() > givenUp) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS);
    }
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

/** Whether this process may write the file, and files beside it. */
function mayBeWritten(file: string): boolean {
  try {
    for (const path of [dirname(file), file]) accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/** Positional parameters, or one object of named ones. */
type Values = readonly (SQLInputValue | Readonly<Record<string, SQLInputValue>>)[];

/** Every row. `Row` has the columns as the statement names them; nothing checks it against the schema. */
export function rows<Row extends object>(statement: StatementSync, ...values: Values): Row[] {
  return statement.all(...(values as SQLInputValue[])) as unknown as Row[];
}

/** A statement that reads one value, to be asked by `value`: a row without names costs half as much. */
export function valueStatement(database: DatabaseSync, sql: string): StatementSync {
  const statement = database.prepare(sql);
  statement.setReturnArrays(true);
  return statement;
}

/** The first column of the first row; undefined if there is none. */
export function value<Value>(statement: StatementSync, ...values: Values): Value | undefined {
  const found = statement.get(...(values as SQLInputValue[])) as unknown as readonly [Value] | undefined;
  return found?.[0];
}

/** The first row; undefined if there is none. */
export function row<Row extends object>(statement: StatementSync, ...values: Values): Row | undefined {
  return statement.get(...(values as SQLInputValue[])) as Row | undefined;
}

/** Runs `work` in a transaction that holds the write lock from its start, and rolls it back if it throws. */
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

const BUSY = [5, 6];

/** Another connection has locked the database for the moment. */
export function isBusy(error: unknown): boolean {
  return BUSY.includes(sqliteCode(error) ?? -1);
}

/** A database in which features keep tables. */
export interface TableHome {
  /** For stores of features. */
  readonly database: DatabaseSync;
  /** Unix seconds. */
  readonly now: () => number;
}

/** https://www.sqlite.org/rescode.html#readonly */
const READ_ONLY = 8;

export class FeatureTables<Home extends TableHome, Store> {
  readonly #sql: string;
  readonly #open: (home: Home) => Store;
  readonly #opened = new WeakMap<Home, { readonly store: Store }>();

  /** `sql`: each statement makes something `IF NOT EXISTS`. `open`: the store over the tables. */
  constructor(sql: string, open: (home: Home) => Store) {
    this.#sql = sql;
    this.#open = open;
  }

  /** One for each home, over tables that are there. Where nothing may be written, tables that are missing are empty. */
  in(home: Home): Store {
    const known = this.#opened.get(home);
    if (known !== undefined) return known.store;
    this.#make(home.database);
    const store = this.#open(home);
    this.#opened.set(home, { store });
    return store;
  }

  #make(database: DatabaseSync): void {
    try {
      database.exec(this.#sql);
    } catch (error) {
      if (sqliteCode(error) !== READ_ONLY) throw error;
      const tables = this.#sql.replaceAll('CREATE TABLE', 'CREATE TEMP TABLE');
      database.exec(`PRAGMA temp_store = MEMORY; ${tables.replace(/CREATE (UNIQUE )?INDEX [^;]*;/g, '')}`);
    }
  }
}

/**
 * An SQLite file held in an exclusive transaction; made if it does not exist. null: the lock is held, in this process
 * or another. Disposing releases it.
 */
export function tryToLock(file: string): Disposable | null {
  mkdirSync(dirname(file), { recursive: true });
  const database = new DatabaseSync(file, { timeout: 0 });
  try {
    // Journal in memory, and nothing is ever written: no file beside this one, no sync.
    database.exec('PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF; BEGIN EXCLUSIVE');
  } catch (error) {
    database.close();
    if (!isBusy(error)) throw error;
    return null;
  }
  return { [Symbol.dispose]: () => database.close() };
}

/** A new file or a rename survives a power cut only once its folder is synced. Windows does not sync folders. */
export function syncFolder(folder: string): void {
  if (process.platform === 'win32') return;
  syncFile(folder);
}

export function syncFile(path: string): void {
  const file = openSync(path, 'r');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
