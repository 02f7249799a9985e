// Loaded by the export thread of an engine: turns records into the bytes of a file.

import { createHash, type Hash } from 'node:crypto';
import type { ExportHead, ExportView, HeldRecords, RecordShaper, ShaperReport } from '../../model/export.ts';
import { columnsOf, openTextForm } from '../../operation/text-forms.ts';
import { openCompressor, type RowBytes, TextRows } from './compression.ts';
import type { ShaperOptions } from './export-service.ts';
import {
  type ParquetState,
  readParquetState,
  readTextState,
  reopenCompressor,
  type TextState,
  takePart,
} from './part.ts';
import { RowSource } from './rows.ts';

/**
 * See OpenShaper; the options are ShaperOptions. Each piece has a buffer of its own, which may be transferred to
 * another thread. Throws a StorageError if the part to resume has changed, or if the catalogue cannot be read.
 */
export async function openShaper(given: unknown, head: ExportHead, view: ExportView): Promise<RecordShaper> {
  const options = given as ShaperOptions;
  const source = new RowSource(options, view);
  const hash = createHash('sha256');
  try {
    const { rows, before } = await openRows(options, head, source.generation, hash);
    return new Shaper(rows, source, hash, before);
  } catch (error) {
    source.close();
    throw error;
  }
}

/** Resumes the part that was left, if there is one. */
async function openRows(
  { kind, format, compress, fields, resume, about = {} }: ShaperOptions,
  head: ExportHead,
  generation: number,
  hash: Hash,
): Promise<{ readonly rows: RowBytes; readonly before: number }> {
  if (format === 'parquet') {
    // Imported on demand: it would delay the first byte of the other formats.
    const { ParquetFile } = await import('./parquet-file.ts');
    const told = { ...about, total_count: String(head.total), matches: String(head.matches) };
    const state = resume && readParquetState(resume.state, generation);
    if (state !== null) await takePart({ path: resume!.part, bytes: state.bytes }, hash);
    return { rows: new ParquetFile(columnsOf(kind, fields), told, state), before: state?.bytes ?? 0 };
  }
  const form = openTextForm(format, kind, fields);
  if (resume === null) return { rows: new TextRows(form, openCompressor(compress)), before: 0 };
  const state = readTextState(resume.state, generation);
  const compressor = await reopenCompressor(compress, { path: resume.part, ...state }, hash);
  return { rows: new TextRows(form, compressor, state), before: state.bytes };
}

class Shaper implements RecordShaper {
  readonly held?: HeldRecords;
  readonly #rows: RowBytes;
  readonly #source: RowSource;
  readonly #hash: Hash;
  #bytes: number;

  constructor(rows: RowBytes, source: RowSource, hash: Hash, bytes: number) {
    if (rows.held !== undefined) this.held = rows.held;
    this.#rows = rows;
    this.#source = source;
    this.#hash = hash;
    this.#bytes = bytes;
  }

  async add(...[records, isStep, arrived]: Parameters<RecordShaper['add']>): Promise<readonly Uint8Array[]> {
    await this.#rows.add(await this.#source.rows(records, arrived), isStep);
    return this.#take();
  }

  state(): TextState | ParquetState {
    const { generation } = this.#source;
    return { generation, bytes: this.#bytes, ...this.#rows.state() } as TextState | ParquetState;
  }

  async end(): Promise<{ bytes: readonly Uint8Array[]; report: ShaperReport }> {
    await this.#rows.end();
    const bytes = this.#take();
    return { bytes, report: { sha256: this.#hash.digest('hex'), cutCells: this.#rows.cutCells } };
  }

  close(): void {
    this.#rows.close();
    this.#source.close();
  }

  #take(): Uint8Array[] {
    const pieces = this.#rows.take();
    for (const piece of pieces) {
      this.#hash.update(piece);
      this.#bytes += piece.length;
    }
    return pieces;
  }
}
