// A Parquet file (https://parquet.apache.org/docs/file-format/), written row group by row group: flat columns, each
// page compressed with zstd. A row group spans no two steps, so that an export resumes behind complete groups.

import { deserialize, serialize } from 'node:v8';
import { constants, zstdCompressSync } from 'node:zlib';
import { ByteWriter, type ColumnSource, ParquetWriter } from 'hyparquet-writer';
import { EXPORT_STEP, type HeldRecords } from '../../model/export.ts';
import type { Cell, Column, Row } from '../../operation/text-forms.ts';
import type { RowBytes } from './compression.ts';
import { noState, type ParquetState } from './compression.ts';

type SchemaElement = ParquetWriter['schema'][number];
type RowGroups = ParquetWriter['row_groups'];

/** Bytes of text after which a row group ends early: it is in memory until it ends. */
const GROUP_BYTES = 67_108_864;

const ZSTD_LEVEL = 3;

export class ParquetFile implements RowBytes {
  readonly cutCells = 0;
  readonly held: HeldRecords;
  readonly #columns: readonly Column[];
  readonly #out = new ByteWriter();
  readonly #writer: ParquetWriter;
  #cells: Cell[][] = [];
  #rows = 0;
  #textBytes = 0;

  /** `about`: key-value metadata of the footer. `part`: resumed behind it; null: begins with the first byte. */
  constructor(
    columns: readonly Column[],
    about: Readonly<Record<string, string>>,
    part: ParquetState | null,
  ) {
    this.#columns = columns;
    const params = { [constants.ZSTD_c_compressionLevel]: ZSTD_LEVEL };
    this.#writer = new ParquetWriter({
      writer: this.#out,
      schema: [{ name: 'records', num_children: columns.length }, ...columns.map(schemaElement)],
      codec: 'ZSTD',
      compressors: { ZSTD: (page) => zstdCompressSync(page, { params, pledgedSrcSize: page.length }) },
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
    this.#writer.row_groups = readGroups(part.groups);
    this.#writer.num_rows = this.#writer.row_groups.reduce((sum, { num_rows }) => sum + num_rows, 0n);
    this.#out.index = 0;
    this.#out.offset = part.bytes;
  }

  async add(rows: readonly Row[], isStep: boolean): Promise<void> {
    for (const row of rows) {
      for (const [i, column] of this.#columns.entries()) {
        const cell = column.cell(row);
        if (typeof cell === 'string') this.#textBytes += Buffer.byteLength(cell);
        this.#cells[i]!.push(cell);
      }
      if (++this.#rows === EXPORT_STEP || this.#textBytes >= GROUP_BYTES) this.#endGroup();
    }
    if (isStep) this.#endGroup();
  }

  async end(): Promise<void> {
    this.#endGroup();
    this.#writer.finish();
  }

  take(): Uint8Array[] {
    const bytes = this.#out.getBytes().slice();
    this.#out.index = 0;
    return bytes.length === 0 ? [] : [bytes];
  }

  state() {
    return { groups: serialize(this.#writer.row_groups).toString('base64') };
  }

  close(): void {}

  #endGroup(): void {
    if (this.#rows === 0) return;
    const columnData = this.#columns.map((column, i) => columnSource(column, this.#cells[i]!));
    this.#writer.write({ columnData, rowGroupSize: this.#rows });
    // No page indexes.
    this.#writer.pendingIndexes = [];
    this.#forgetGroup();
  }

  #forgetGroup(): void {
    this.#cells = this.#columns.map(() => []);
    this.#rows = 0;
    this.#textBytes = 0;
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

function readGroups(text: string): RowGroups {
  try {
    return deserialize(Buffer.from(text, 'base64')) as RowGroups;
  } catch {
    throw noState();
  }
}
