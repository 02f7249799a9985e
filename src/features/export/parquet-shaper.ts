// Shapes records into a Parquet file. A row group spans two steps, so that an export resumes behind complete groups.

import { createHash, type Hash } from 'node:crypto';
import { storageError } from '../../errors.ts';
import { EXPORT_STEP, type HeldRecords, type RecordShaper, type ShaperReport } from '../../model/export.ts';
import type { Column } from '../../operation/text-forms.ts';
import { ParquetFile } from './parquet-file.ts';
import { checkLength, hashPart } from './part.ts';
import type { RowSource } from './rows.ts';
import { type ParquetState, type Resumption, readParquetState } from './state.ts';

/** Uncompressed bytes of text after which a row group ends early: it is in memory until it ends. */
export const GROUP_BYTES = 67_108_864;

/** Closes `source` when it is closed, not if it throws. */
export async function openParquetShaper(
  columns: readonly Column[],
  about: Readonly<Record<string, string>>,
  source: RowSource,
  resume: Resumption | null,
): Promise<RecordShaper> {
  const hash = createHash('sha256');
  if (resume === null) {
    return new ParquetShaper(new ParquetFile(columns, about, null), source, hash, 0);
  }
  const state = readParquetState(resume.state, source.generation);
  checkLength({ path: resume.part, bytes: state.bytes });
  try {
    await hashPart({ path: resume.part }, hash);
  } catch (error) {
    throw storageError(error, resume.part);
  }
  return new ParquetShaper(new ParquetFile(columns, about, state), source, hash, state.bytes);
}

class ParquetShaper implements RecordShaper {
  /** The rows of the current row group. */
  readonly held: HeldRecords;
  readonly #file: ParquetFile;
  readonly #source: RowSource;
  readonly #hash: Hash;
  #bytes: number;

  constructor(file: ParquetFile, source: RowSource, hash: Hash, bytes: number) {
    this.#file = file;
    this.held = {
      get count() {
        return file.rows;
      },
      forget: () => file.forgetGroup(),
    };
    this.#source = source;
    this.#hash = hash;
    this.#bytes = bytes;
  }

  async add(...[records, isStep, arrived]: Parameters<RecordShaper['add']>): Promise<readonly Uint8Array[]> {
    const file = this.#file;
    for (const row of await this.#source.rows(records, arrived)) {
      file.add(row);
      if (file.rows === EXPORT_STEP || file.textBytes >= GROUP_BYTES) file.endGroup();
    }
    if (isStep) file.endGroup();
    return this.#take();
  }

  state(): ParquetState {
    return { generation: this.#source.generation, bytes: this.#bytes, groups: this.#file.groups };
  }

  async end(): Promise<{ bytes: readonly Uint8Array[]; report: ShaperReport }> {
    this.#file.end();
    const bytes = this.#take();
    return { bytes, report: { sha256: this.#hash.digest('hex'), cutCells: 0 } };
  }

  close(): void {
    this.#source.close();
  }

  #take(): Uint8Array[] {
    const bytes = this.#file.take();
    if (bytes.length === 0) return [];
    this.#hash.update(bytes);
    this.#bytes += bytes.length;
    return [bytes];
  }
}
