// What a statement reads, typed: the one place where SQLite's rows become those that the schema promises.

import type { SQLInputValue, StatementSync } from 'node:sqlite';

/** By place, or one object by name. */
type Values = readonly (SQLInputValue | Readonly<Record<string, SQLInputValue>>)[];

/** Every row. `Row` has the columns by their names in the statement; nothing checks it against the schema. */
export function rows<Row extends object>(statement: StatementSync, ...values: Values): Row[] {
  return statement.all(...(values as SQLInputValue[])) as unknown as Row[];
}

/** The first row; undefined where there is none. */
export function row<Row extends object>(statement: StatementSync, ...values: Values): Row | undefined {
  return statement.get(...(values as SQLInputValue[])) as Row | undefined;
}
