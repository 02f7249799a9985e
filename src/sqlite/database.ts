// Opens, migrates, copies and checks SQLite databases: small ones that processes share and only their owner can read
// (accounts.db, catalogue.db), and files that this process may only read. Reads rows, runs transactions, and tells a
// lock from a failure. Only here are SQLite's rows cast to the types of the schema. Features keep tables beside those
// of the core; missing ones are made on first use, because a folder may have been written without the feature. The
// schema version of a database holds for all of its tables. Also here: a lock that the system releases when its process
// dies, and syncing files and folders to disk.

import {
  accessSync,
  chmodSync,
  closeSync,
  constants,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { backup, DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { naming, StorageError, sqliteCode, storageError, systemCode, UsageError } from '../errors.ts';

/** The mode of a file that only its owner can read. */
const OWNER_ONLY = 0o600;

/** How long a statement waits for another process's write, in milliseconds. */
const BUSY_TIMEOUT_MS = 5000;

/**
 * Opens or makes the database. `migrations[n]` leads from schema version n to n + 1; missing ones run in order
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
 * Opens the database for callers that only read. A missing one is not made, and reads as empty. If it is not
 * writable, or `isReadOnly`, it is not migrated either: an older schema is a UsageError.
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
        `found ${version}, which cannot be migrated without write access: open it once with that`,
    );
  } catch (error) {
    database.close();
    throw explained(error, file);
  }
}

/** `PRAGMA application_id` of our databases since 0.1.0: "CLQY". */
export const APPLICATION_ID = 0x434c5159;

/** Throws a UsageError for a database from before Colloquy 0.1.0. */
export function expectReleased(applicationId: number, file: string): void {
  if (applicationId === APPLICATION_ID) return;
  throw new UsageError(
    `\`${file}\`: expected a database of Colloquy 0.1.0 or later, found one from before: ` +
      'import its dumps again into a new folder, which `--data` names',
  );
}

/**
 * A connection to read and write, or only to read if the database is not writable or `isReadOnly`. A read-only
 * connection cannot make the -wal and -shm files (https://www.sqlite.org/wal.html#readonly). It uses those of a writing
 * process, running or killed; without them nobody is writing, and it opens the file as immutable. Throws a StorageError
 * if the file cannot be opened.
 */
export function connect(file: string, timeoutMs: number, isReadOnly = false): DatabaseSync {
  return naming(file, () => connectAsAllowed(file, timeoutMs, isReadOnly));
}

function connectAsAllowed(file: string, timeoutMs: number, isReadOnly: boolean): DatabaseSync {
  if (!isReadOnly && (!existsSync(file) || mayBeWritten(file)))
    return new DatabaseSync(file, { timeout: timeoutMs });
  if (hasLog(file)) return new DatabaseSync(file, { timeout: timeoutMs, readOnly: true });
  const address = pathToFileURL(file);
  address.searchParams.set('immutable', '1');
  return new DatabaseSync(address, { readOnly: true });
}

/** Whether the write-ahead log may contain commits. */
export function hasLog(file: string): boolean {
  return (statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0;
}

/** Copies in one step: a write of another process in between would make the copy start again. */
const ALL_PAGES = 0x7fffffff;

/** Writes a consistent copy to a new file, even during writes. Throws if the file exists. */
export async function copyDatabase(database: DatabaseSync, file: string, mode = OWNER_ONLY): Promise<void> {
  closeSync(openSync(file, 'wx', mode));
  await backup(database, file, { rate: ALL_PAGES });
}

/** The report of SQLite's own check of pages, indexes and constraints; empty: no problems. */
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

/** Between two attempts. */
const PAUSE_MS = 20;

/**
 * The switch needs exclusive access and ignores the busy timeout, so this retries it for at most `patienceMs`, then
 * throws SQLite's error.
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
  // The usual case takes no lock. Otherwise the version is read again under the lock.
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

/** Explains SQLITE_NOTADB (26) and SQLITE_CORRUPT (11) to the operator. */
function explained(error: unknown, file: string): unknown {
  const code = sqliteCode(error);
  if (code === 26)
    return new UsageError(`expected a database at \`${file}\`, found another file`, { cause: error });
  if (code !== 11) return storageError(error, file);
  const found = (error as Error).message;
  const words = `\`${file}\`: expected a whole database, found: ${found}; restore a backup`;
  return new StorageError(words, { cause: error });
}

/** Whether this process may write the file and its folder. */
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

/** `Row` has the columns as the statement names them; nothing checks it against the schema. */
export function rows<Row extends object>(statement: StatementSync, ...values: Values): Row[] {
  return statement.all(...(values as SQLInputValue[])) as unknown as Row[];
}

/** A statement for `value`: reading rows as arrays costs half as much. */
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

/** Runs a statement; how many rows it changed. */
export function change(database: DatabaseSync, sql: string, ...values: Values): number {
  return Number(database.prepare(sql).run(...(values as SQLInputValue[])).changes);
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

/** Whether another connection holds a lock on the database. */
export function isBusy(error: unknown): boolean {
  return BUSY.includes(sqliteCode(error) ?? -1);
}

/** A database in which features keep tables. */
export interface TableHome {
  /** For stores of features. */
  readonly database: DatabaseSync;
}

/** https://www.sqlite.org/rescode.html#readonly */
const READ_ONLY = 8;

export class FeatureTables<Home extends TableHome, Store> {
  readonly #sql: string;
  readonly #open: (home: Home) => Store;
  readonly #opened = new WeakMap<Home, Store>();

  /** `sql`: only `CREATE … IF NOT EXISTS`. `open`: makes the store over the tables. */
  constructor(sql: string, open: (home: Home) => Store) {
    this.#sql = sql;
    this.#open = open;
  }

  /** One store per home. Makes missing tables; in a read-only database they are empty. */
  in(home: Home): Store {
    return this.#opened.getOrInsertComputed(home, () => {
      this.#make(home.database);
      return this.#open(home);
    });
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
 * A lock by an exclusive transaction on an SQLite file, made if it does not exist. null: this or another process holds
 * it. Disposing releases it.
 */
export function tryToLock(file: string): Disposable | null {
  mkdirSync(dirname(file), { recursive: true });
  const database = new DatabaseSync(file, { timeout: 0 });
  try {
    // Nothing is ever written, so a journal in memory and no syncs avoid a second file.
    database.exec('PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF; BEGIN EXCLUSIVE');
  } catch (error) {
    database.close();
    if (!isBusy(error)) throw error;
    return null;
  }
  return { [Symbol.dispose]: () => database.close() };
}

/** A power cut leaves the file as it was or as it is to be. `mode`: of a new one. */
export function replaceFile(path: string, text: string, mode = 0o666): void {
  const draft = `${path}.new`;
  writeFileSync(draft, text, { mode, flush: true });
  renameSync(draft, path);
  syncFolder(dirname(path));
}

/** null: there is no such file. Throws a StorageError that names it. */
export function readIfThere(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return null;
    throw storageError(error, path);
  }
}

/**
 * What `read` makes of a file of JSON; null: there is no such file. Throws a StorageError if the file is no JSON, or if
 * `read` throws or gives null. `expected`: for the message.
 */
export function readJsonFile<Value, Found>(
  path: string,
  read: (value: Value) => Found | null,
  expected: string,
): Found | null {
  const text = readIfThere(path);
  if (text === null) return null;
  try {
    const found = read(JSON.parse(text));
    if (found !== null) return found;
  } catch {
    // Reported below, without the text.
  }
  throw new StorageError(`\`${path}\`: expected ${expected}`);
}

/** Whether this value from JSON is a whole number from 0. */
export function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
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
