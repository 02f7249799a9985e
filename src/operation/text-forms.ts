// Records as text, for programs and tables: the columns of flat forms (which a field of a record becomes, in which
// order, of which type), and how a record becomes its line or row.

import type { Community } from '../model/community.ts';
import type { Kind } from '../model/record.ts';
import { DEFAULT_FIELDS } from '../search/presenter.ts';
import { csvCells, quotedIfNeeded, SHEET, sheetText } from '../text/quoted.ts';

export const TEXT_TYPES = {
  ndjson: 'application/x-ndjson',
  csv: 'text/csv; charset=utf-8; header=present',
  'csv-excel': 'text/csv; charset=utf-8; header=present',
} as const;

export type TextFormat = keyof typeof TEXT_TYPES;

export interface TextForm {
  readonly head: string;
  line(row: Row): string;
  readonly cutCells: number;
}

/** `fields`: null for those of the interface. */
export function openTextForm(format: TextFormat, kind: Kind, fields: readonly string[] | null): TextForm {
  if (format === 'ndjson') return NDJSON;
  return new Csv(columnsOf(kind, fields), format === 'csv-excel');
}

/** A JSON object a line (https://github.com/ndjson/ndjson-spec), as answers have it in `data`. */
const NDJSON: TextForm = { head: '', line: (row) => `${JSON.stringify(row)}\n`, cutCells: 0 };

/**
 * Characters of a cell
 * (https://support.microsoft.com/office/excel-specifications-and-limits-1672b34d-7043-467e-8e27-269d656771c3).
 */
const MAX_CELL = 32_767;

/**
 * RFC 4180, but for LF as the end of a row; null is an empty cell. For a sheet, what Excel opens as it is meant: a byte
 * order mark, CRLF, an apostrophe before texts that it would take for formulas, and cells that end where its own do.
 */
class Csv implements TextForm {
  readonly #columns: readonly Column[];
  readonly #textCell: (text: string) => string;
  readonly #end: string;
  readonly head: string;
  cutCells = 0;

  constructor(columns: readonly Column[], isSheet: boolean) {
    this.#columns = columns;
    this.#textCell = isSheet ? (text) => quotedIfNeeded(this.#fitting(text)) : quotedIfNeeded;
    this.#end = isSheet ? SHEET.end : '\n';
    const names = columns.map(({ name }) => quotedIfNeeded(name));
    this.head = `${isSheet ? SHEET.head : ''}${names.join(',')}${this.#end}`;
  }

  line(row: Row): string {
    const cells = this.#columns.map(({ cell }) => cell(row));
    return csvCells(cells, this.#textCell) + this.#end;
  }

  #fitting(text: string): string {
    const safe = sheetText(text);
    if (safe.length <= MAX_CELL) return safe;
    this.cutCells++;
    const isPair = (safe.codePointAt(MAX_CELL - 1) ?? 0) > 0xffff;
    return safe.slice(0, isPair ? MAX_CELL - 1 : MAX_CELL);
  }
}

/** Fields of a record by name: those of the interface, or those that were chosen. */
export type Row = Readonly<Record<string, unknown>>;

export type Cell = string | number | boolean | null;

export interface Column {
  readonly name: string;
  /** `int64`: below 2^53. */
  readonly type: 'string' | 'int32' | 'int64' | 'double' | 'boolean';
  readonly isNullable: boolean;
  /** One line, for readers of a file. */
  readonly description: string;
  cell(row: Row): Cell;
}

export function fieldsOf(kind: Kind, chosen: readonly string[] | null): readonly string[] {
  return chosen ?? DEFAULT_FIELDS[kind];
}

/** In the order of the fields, those of a community in its place. */
export function columnsOf(kind: Kind, chosen: readonly string[] | null): readonly Column[] {
  return fieldsOf(kind, chosen).flatMap((field) => {
    if (field === 'subreddit') return COMMUNITY;
    const column = COLUMNS[field];
    if (column === undefined) throw new Error(`field \`${field}\`: expected one that has a column`);
    return [{ name: field, ...column, cell: (row: Row) => row[field] as Cell }];
  });
}

const COMMUNITY: readonly Column[] = [
  ofCommunity('id', 'string', 'id of the community, empty where no source gave it'),
  ofCommunity('name', 'string', 'name of the community, lower case'),
  ofCommunity('nsfw', 'boolean', 'true for a community with adult content'),
];

function ofCommunity(field: keyof Community, type: Column['type'], description: string): Column {
  const cell = (row: Row) => (row.subreddit as Community)[field];
  return { name: `subreddit.${field}`, type, isNullable: false, description, cell };
}

type ColumnOfField = Omit<Column, 'name' | 'cell'>;

const text = (description: string): ColumnOfField => ({ type: 'string', isNullable: false, description });
const time = (description: string): ColumnOfField => ({ type: 'int64', isNullable: true, description });

/** By field; every field that can be chosen has one. */
const COLUMNS: Readonly<Record<string, ColumnOfField>> = {
  type: text('`post` or `comment`'),
  id: text('without `t3_` or `t1_`: text, even where it looks like a number'),
  created_utc: { ...time('Unix seconds'), isNullable: false },
  permalink: text('absolute address'),
  domain: text('domain of the link; `self.<community>` for a text post'),
  title: text('title of the post'),
  selftext: text('text of the post'),
  url: { ...text('linked address; null for a text post'), isNullable: true },
  body: text('text of the comment'),
  sentiment: { type: 'double', isNullable: true, description: 'VADER compound, −1 to 1; null: unrated' },
  score: { type: 'int32', isNullable: false, description: 'may be zero or negative' },
  created: text('`created_utc` in ISO 8601'),
  post_id: { ...text('id of the post; null where the source had none'), isNullable: true },
  parent_id: {
    ...text('id of what the comment answers, `post_id` at the top level; null where the source had none'),
    isNullable: true,
  },
  depth: {
    type: 'int32',
    isNullable: true,
    description: 'comments between this one and the post; null below one that is not here',
  },
  retrieved_utc: time('when the copy was taken, Unix seconds; null where the source does not say'),
  arrived_utc: time('when the record came in here, Unix seconds; null where that is not known'),
};
