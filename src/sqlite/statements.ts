// What the code does with an open database: reads rows, runs transactions, and tells a lock from a failure.
// The one place where SQLite's rows become those the schema promises.

import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import { sqliteCode, storageError } from '../errors.ts';

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
