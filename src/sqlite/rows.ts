// The rows a statement reads, typed: the one place where SQLite's rows become those the schema promises.

import type { SQLInputValue, StatementSync } from 'node:sqlite';

/** Positional parameters, or one object of named ones. */
type Values = readonly (SQLInputValue | Readonly<Record<string, SQLInputValue>>)[];

/** Every row. `Row` has the columns as the statement names them; nothing checks it against the schema. */
export function rows<Row extends object>(statement: StatementSync, ...values: Values): Row[] {
  return statement.all(...(values as SQLInputValue[])) as unknown as Row[];
}

/** The first row; undefined if there is none. */
export function row<Row extends object>(statement: StatementSync, ...values: Values): Row | undefined {
  return statement.get(...(values as SQLInputValue[])) as Row | undefined;
}
