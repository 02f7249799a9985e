// An answer as a table of CSV: a header, and a row for each bucket or row.

import { csvCells, quotedIfNeeded, SHEET, sheetText } from '../text/csv.ts';

export type Cell = string | number | null;

export interface CsvTable {
  readonly columns: readonly string[];
  /** Each as long as `columns`. */
  readonly rows: readonly (readonly Cell[])[];
}

/** RFC 4180, but for LF as the end of a row; null is an empty cell. */
export function csvText(table: CsvTable): string {
  return [...csvLines(table)].join('');
}

/** The same line by line, each with its end. `csv-excel`: for spreadsheets, as exports have it. */
export function* csvLines({ columns, rows }: CsvTable, form: 'csv' | 'csv-excel' = 'csv'): Generator<string> {
  const { head, end } = form === 'csv' ? { head: '', end: '\n' } : SHEET;
  const textCell = form === 'csv' ? quotedIfNeeded : (text: string) => quotedIfNeeded(sheetText(text));
  yield `${head}${csvCells(columns)}${end}`;
  for (const cells of rows) yield `${csvCells(cells, textCell)}${end}`;
}

/** Names of columns that each of several queries has: `count`, or `count_1`, `share_1`, `count_2` … */
export function columnsOfQueries(names: readonly string[], queries: number): string[] {
  if (queries === 1) return [...names];
  return Array.from({ length: queries }, (_, i) => names.map((name) => `${name}_${i + 1}`)).flat();
}
