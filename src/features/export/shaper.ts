// Loaded by the export thread of an engine: turns records into the bytes of a file.

import { createHash } from 'node:crypto';
import type { ExportHead, ExportView, RecordShaper, ShaperReport } from '../../model/export.ts';
import { columnsOf, openTextForm, type TextForm } from '../../operation/text-forms.ts';
import { type Compressor, openCompressor, PlainText } from './compression.ts';
import type { Compression } from './formats.ts';
import { reopenCompressor } from './part.ts';
import { RowSource } from './rows.ts';
import { type Resumption, readTextState, type ShaperOptions, type TextState } from './state.ts';

/**
 * See OpenShaper; the options are ShaperOptions. Each piece has a buffer of its own, which may be transferred to
 * another thread. Throws a StorageError if the part to resume has changed, or if the catalogue cannot be read.
 */
export async function openShaper(given: unknown, head: ExportHead, view: ExportView): Promise<RecordShaper> {
  const options = given as ShaperOptions;
  const source = new RowSource(options, view);
  try {
    const { kind, format, compress, fields, resume, about = {} } = options;
    if (format === 'parquet') {
      // Imported on demand: it would delay the first byte of the other formats.
      const { openParquetShaper } = await import('./parquet-shaper.ts');
      const counts = { total_count: String(head.total), matches: String(head.matches) };
      return await openParquetShaper(columnsOf(kind, fields), { ...about, ...counts }, source, resume);
    }
    return await openTextShaper(openTextForm(format, kind, fields), compress, source, resume);
  } catch (error) {
    source.close();
    throw error;
  }
}

/** Plain bytes that are collected before they are handed on. */
const HANDED_ON_BYTES = 131_072;

/** Closes `source` if it throws, and when it is closed. */
async function openTextShaper(
  form: TextForm,
  compress: Compression,
  source: RowSource,
  resume: Resumption | null,
): Promise<RecordShaper> {
  const hash = createHash('sha256');
  if (resume === null) return new TextShaper(form, source, openCompressor(compress), hash, null);
  const state = readTextState(resume.state, source.generation);
  const compressor = await reopenCompressor(compress, { path: resume.part, ...state }, hash);
  return new TextShaper(form, source, compressor, hash, state);
}

class TextShaper implements RecordShaper {
  readonly #form: TextForm;
  readonly #source: RowSource;
  readonly #compressor: Compressor;
  readonly #hash;
  readonly #plain = new PlainText();
  readonly #steps: number[];
  readonly #cutBefore: number;
  #given: number;
  #bytes: number;

  constructor(
    form: TextForm,
    source: RowSource,
    compressor: Compressor,
    hash: ReturnType<typeof createHash>,
    state: TextState | null,
  ) {
    this.#form = form;
    this.#source = source;
    this.#compressor = compressor;
    this.#hash = hash;
    this.#steps = [...(state?.steps ?? [])];
    this.#cutBefore = state?.cutCells ?? 0;
    this.#given = this.#steps.at(-1) ?? 0;
    this.#bytes = state?.bytes ?? 0;
    if (state === null) this.#plain.write(form.head);
  }

  async add(...[records, isStep, arrived]: Parameters<RecordShaper['add']>): Promise<readonly Uint8Array[]> {
    for (const row of await this.#source.rows(records, arrived)) {
      this.#plain.write(this.#form.line(row));
      if (this.#plain.length >= HANDED_ON_BYTES) await this.#handOn();
    }
    // Sends the first bytes at once.
    if (isStep || this.#given === 0) await this.#handOn();
    if (isStep) {
      await this.#compressor.flush();
      this.#steps.push(this.#given);
    }
    return this.#take();
  }

  state(): TextState {
    const { generation } = this.#source;
    return { generation, bytes: this.#bytes, steps: this.#steps, cutCells: this.#cutCells };
  }

  async end(): Promise<{ bytes: readonly Uint8Array[]; report: ShaperReport }> {
    await this.#handOn();
    await this.#compressor.end();
    const bytes = this.#take();
    return { bytes, report: { sha256: this.#hash.digest('hex'), cutCells: this.#cutCells } };
  }

  close(): void {
    this.#compressor.close();
    this.#source.close();
  }

  get #cutCells(): number {
    return this.#cutBefore + this.#form.cutCells;
  }

  async #handOn(): Promise<void> {
    const plain = this.#plain.take();
    this.#given += plain.length;
    await this.#compressor.write(plain);
  }

  #take(): Uint8Array[] {
    const pieces = this.#compressor.take();
    for (const piece of pieces) {
      this.#hash.update(piece);
      this.#bytes += piece.length;
    }
    return pieces;
  }
}
