// The formats that are text: how a record becomes its line or row.
//
// Text on its way to bytes: UTF-8 in one piece of memory that is used again.

import type { Kind } from '../model/record.ts';
import { csvCells, quotedIfNeeded, SHEET, sheetText } from '../text/quoted.ts';
import { type Column, columnsOf, type Row } from './columns.ts';
import type { TextFormat } from './formats.ts';

export interface TextForm {
  /** Stands before the first record. */
  readonly head: string;
  line(row: Row): string;
  readonly cutCells: number;
}

/** `fields`: null for those of the interface. */
export function openTextForm(format: TextFormat, kind: Kind, fields: readonly string[] | null): TextForm {
  if (format === 'ndjson') return NDJSON;
  const columns = columnsOf(kind, fields);
  return format === 'csv' ? new PlainCsv(columns) : new ExcelCsv(columns);
}

/** A JSON object a line (https://github.com/ndjson/ndjson-spec), as answers have it in `data`. */
const NDJSON: TextForm = { head: '', line: (row) => `${JSON.stringify(row)}\n`, cutCells: 0 };

/** RFC 4180, but for LF as the end of a row; null is an empty cell. */
class PlainCsv implements TextForm {
  readonly #columns: readonly Column[];
  readonly cutCells = 0;

  constructor(columns: readonly Column[]) {
    this.#columns = columns;
  }

  get head(): string {
    return `${this.#columns.map(({ name }) => quotedIfNeeded(name)).join(',')}\n`;
  }

  line(row: Row): string {
    return `${rowOf(this.#columns, row)}\n`;
  }
}

/**
 * Characters of a cell
 * (https://support.microsoft.com/office/excel-specifications-and-limits-1672b34d-7043-467e-8e27-269d656771c3).
 */
const MAX_CELL = 32_767;

/**
 * What Excel opens as it is meant: a byte order mark, CRLF, an apostrophe before texts that it would take for formulas,
 * and cells that end where its own do.
 */
class ExcelCsv implements TextForm {
  readonly #columns: readonly Column[];
  cutCells = 0;

  constructor(columns: readonly Column[]) {
    this.#columns = columns;
  }

  get head(): string {
    return `${SHEET.head}${this.#columns.map(({ name }) => quotedIfNeeded(name)).join(',')}${SHEET.end}`;
  }

  line(row: Row): string {
    return `${rowOf(this.#columns, row, (text) => quotedIfNeeded(this.#fitting(text)))}${SHEET.end}`;
  }

  #fitting(text: string): string {
    const safe = sheetText(text);
    if (safe.length <= MAX_CELL) return safe;
    this.cutCells++;
    const isPair = (safe.codePointAt(MAX_CELL - 1) ?? 0) > 0xffff;
    return safe.slice(0, isPair ? MAX_CELL - 1 : MAX_CELL);
  }
}

function rowOf(columns: readonly Column[], row: Row, textCell?: (text: string) => string): string {
  return csvCells(
    columns.map(({ cell }) => cell(row)),
    textCell,
  );
}

const FIRST_BYTES = 1_048_576;

/** Bytes of UTF-8 that one UTF-16 unit becomes at the most. */
const BYTES_A_UNIT = 3;

export class PlainText {
  #buffer = Buffer.allocUnsafeSlow(FIRST_BYTES);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  write(text: string): void {
    const needed = this.#length + BYTES_A_UNIT * text.length;
    if (needed > this.#buffer.length) this.#grow(needed);
    this.#length += this.#buffer.write(text, this.#length, 'utf8');
  }

  take(): Uint8Array {
    const bytes = this.#buffer.subarray(0, this.#length);
    this.#length = 0;
    return bytes;
  }

  #grow(needed: number): void {
    const larger = Buffer.allocUnsafeSlow(Math.max(needed, 2 * this.#buffer.length));
    larger.set(this.#buffer.subarray(0, this.#length));
    this.#buffer = larger;
  }
}
