// A Parquet file (https://parquet.apache.org/docs/file-format/), written row group by row group: flat columns, each
// page compressed with zstd. A row group spans no two steps, so that an export resumes behind complete groups.

import { ByteWriter, type ColumnSource, ParquetWriter } from 'hyparquet-writer';
import { EXPORT_STEP, type HeldRecords } from '../../model/export.ts';
import type { Cell, Column, Row } from '../../operation/text-forms.ts';
import type { RowBytes } from './compression.ts';
import { type ColumnChunk, compressedPage, TextChunk } from './parquet-texts.ts';
import { noState } from './part.ts';

type SchemaElement = ParquetWriter['schema'][number];
type RowGroup = ParquetWriter['row_groups'][number];

/** Uncompressed bytes of text after which a row group ends early: it is in memory until it ends. */
const GROUP_BYTES = 67_108_864;

export class ParquetFile implements RowBytes {
  readonly cutCells = 0;
  /** The rows of the current row group. */
  readonly held: HeldRecords;
  readonly #columns: readonly Column[];
  readonly #out = new ByteWriter();
  readonly #writer: ParquetWriter;
  /** The row groups so far, as JSON. */
  readonly #groups: unknown[];
  /** By column; null: its cells are kept. */
  readonly #texts: readonly (TextChunk | null)[];
  /** By column; empty for a column of texts. */
  #cells: Cell[][] = [];
  #rows = 0;

  /** `about`: key-value metadata of the footer. `part`: resumed behind it; null: begins with the first byte. */
  constructor(
    columns: readonly Column[],
    about: Readonly<Record<string, string>>,
    part: { readonly bytes: number; readonly groups: readonly unknown[] } | null,
  ) {
    this.#columns = columns;
    this.#texts = columns.map(({ name, type, isNullable, repeats }) =>
      type === 'string' && !repeats ? new TextChunk(name, isNullable) : null,
    );
    this.#groups = [...(part?.groups ?? [])];
    this.#writer = new ParquetWriter({
      writer: this.#out,
      schema: [{ name: 'records', num_children: columns.length }, ...columns.map(schemaElement)],
      codec: 'ZSTD',
      compressors: { ZSTD: compressedPage },
      kvMetadata: Object.entries(about).map(([name, value]) => ({ key: `colloquy.${name}`, value })),
      createdBy: 'colloquy',
    });
    const rows = () => this.#rows;
    this.held = {
      get count() {
        return rows();
      },
      forget: () => this.#forgetGroup(),
    };
    this.#forgetGroup();
    if (part === null) return;
    part.groups.forEach(readGroup);
    this.#out.index = 0;
    this.#out.offset = part.bytes;
  }

  async add(rows: readonly Row[], isStep: boolean): Promise<void> {
    for (const row of rows) {
      for (let i = 0; i < this.#columns.length; i++) {
        const cell = this.#columns[i]!.cell(row);
        const chunk = this.#texts[i]!;
        if (chunk === null) this.#cells[i]!.push(cell);
        else chunk.add(cell as string | null);
      }
      if (++this.#rows === EXPORT_STEP || this.#textBytes() >= GROUP_BYTES) this.#endGroup();
    }
    if (isStep) this.#endGroup();
  }

  async end(): Promise<void> {
    this.#endGroup();
    const groups = this.#groups.map(readGroup);
    this.#writer.row_groups = groups;
    this.#writer.num_rows = groups.reduce((sum, { num_rows }) => sum + num_rows, 0n);
    this.#writer.finish();
  }

  take(): Uint8Array[] {
    const bytes = this.#out.getBytes().slice();
    this.#out.index = 0;
    return bytes.length === 0 ? [] : [bytes];
  }

  state() {
    return { groups: this.#groups };
  }

  close(): void {}

  /** Uncompressed bytes of long texts in the current row group. */
  #textBytes(): number {
    return this.#texts.reduce((bytes, chunk) => bytes + (chunk?.length ?? 0), 0);
  }

  #endGroup(): void {
    if (this.#rows === 0) return;
    const start = this.#out.offset;
    const chunks = this.#keptChunks();
    const columns = this.#columns.map(
      ({ name }, i) => this.#texts[i]?.writeTo(this.#out) ?? chunks.get(name)!,
    );
    const sizes = columns.map(({ meta_data }) => meta_data!.total_uncompressed_size);
    const group: RowGroup = {
      columns,
      total_byte_size: sizes.reduce((sum, size) => sum + size, 0n),
      num_rows: BigInt(this.#rows),
      total_compressed_size: BigInt(this.#out.offset - start),
    };
    this.#groups.push(toJson(group));
    this.#forgetGroup();
  }

  #forgetGroup(): void {
    for (const chunk of this.#texts) chunk?.clear();
    this.#cells = this.#columns.map(() => []);
    this.#rows = 0;
  }

  /** Writes the columns whose cells are kept; by name. */
  #keptChunks(): Map<string, ColumnChunk> {
    const columnData = this.#columns
      .map((column, i) => columnSource(column, this.#cells[i]!))
      .filter((_, i) => this.#texts[i] === null);
    if (columnData.length === 0) return new Map();
    this.#writer.write({ columnData, rowGroupSize: this.#rows });
    const { columns } = this.#writer.row_groups.pop()!;
    // No page indexes.
    this.#writer.pendingIndexes = [];
    return new Map(columns.map((chunk) => [chunk.meta_data!.path_in_schema[0]!, chunk]));
  }
}

const TYPES = {
  string: { type: 'BYTE_ARRAY', converted_type: 'UTF8', logical_type: { type: 'STRING' } },
  int32: { type: 'INT32' },
  int64: { type: 'INT64' },
  double: { type: 'DOUBLE' },
  boolean: { type: 'BOOLEAN' },
} as const satisfies Readonly<Record<Column['type'], Partial<SchemaElement>>>;

function schemaElement({ name, type, isNullable }: Column): SchemaElement {
  return { name, ...TYPES[type], repetition_type: isNullable ? 'OPTIONAL' : 'REQUIRED' };
}

/** No minimum and maximum for texts: no export is sorted by them. */
function columnSource({ name, type }: Column, cells: Cell[]): ColumnSource {
  const data =
    type === 'int64' ? cells.map((cell) => (cell === null ? null : BigInt(cell as number))) : cells;
  return { name, data, statistics: type !== 'string', offsetIndex: false };
}

/** 64-bit integers as `5n`; −0, the least of the zeros, as `-0`. No text in it looks like these. */
function toJson(group: RowGroup): unknown {
  return JSON.parse(
    JSON.stringify(group, (_, value) =>
      typeof value === 'bigint' ? `${value}n` : Object.is(value, -0) ? '-0' : value,
    ),
  );
}

/** Throws a StorageError if it is not a row group. */
function readGroup(json: unknown): RowGroup {
  const group = JSON.parse(JSON.stringify(json), (_, value) => {
    if (typeof value !== 'string') return value;
    if (value === '-0') return -0;
    return /^-?\d+n$/.test(value) ? BigInt(value.slice(0, -1)) : value;
  }) as Partial<RowGroup> | null;
  if (typeof group?.num_rows !== 'bigint' || !Array.isArray(group.columns)) throw noState();
  return group as RowGroup;
}
