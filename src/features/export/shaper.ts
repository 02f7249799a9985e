// Loaded by the export thread of an engine: turns records into the bytes of a file. Rows are the chosen fields, with
// what is known of communities at one moment from the records of the view, from people and from dumps.

import { createHash, type Hash } from 'node:crypto';
import { Catalogue } from '../../catalogue/catalogue.ts';
import type { CommunityEvidence } from '../../model/community.ts';
import type { ExportHead, ExportView, HeldRecords, RecordShaper, ShaperReport } from '../../model/export.ts';
import type { StoredRecord } from '../../model/record.ts';
import type { ArrivalTime } from '../../model/time.ts';
import { columnsOf, openTextForm, type Row } from '../../operation/text-forms.ts';
import { chooseFields, presentRecords } from '../../search/presenter.ts';
import {
  hashPart,
  openCompressor,
  type RowBytes,
  readParquetState,
  readTextState,
  reopenCompressor,
  TextRows,
} from './compression.ts';
import type { ShaperOptions } from './export-service.ts';

/**
 * See OpenShaper; the options are ShaperOptions. Each piece has a buffer of its own, which may be transferred to
 * another thread. Throws a StorageError if the part or the catalogue cannot be read.
 */
export async function openShaper(given: unknown, head: ExportHead, view: ExportView): Promise<RecordShaper> {
  const options = given as ShaperOptions;
  const source = new RowSource(options, view);
  const hash = createHash('sha256');
  try {
    const { rows, before } = await openRows(options, head, hash);
    return new Shaper(rows, source, hash, before);
  } catch (error) {
    source.close();
    throw error;
  }
}

async function openRows(options: ShaperOptions, head: ExportHead, hash: Hash) {
  const { kind, format, compress, fields, resume, about = {} } = options;
  if (format === 'parquet') {
    // Imported on demand: it would delay the first byte of the other formats.
    const { ParquetFile } = await import('./parquet-file.ts');
    const told = { ...about, total_count: String(head.total), matches: String(head.matches) };
    const state = resume && readParquetState(resume.state);
    if (state !== null) await hashPart(resume!.part, hash);
    return { rows: new ParquetFile(columnsOf(kind, fields), told, state), before: state?.bytes ?? 0 };
  }
  const form = openTextForm(format, kind, fields);
  if (resume === null) return { rows: new TextRows(form, openCompressor(compress)), before: 0 };
  const state = readTextState(resume.state);
  const compressor = await reopenCompressor(compress, resume.part, state.steps, hash);
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

  state() {
    return { bytes: this.#bytes, ...this.#rows.state() };
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

/** Cached names: some 2 MB. When it is full, the cache is cleared. */
const MAX_NAMES = 10_000;

class RowSource {
  readonly #options: Pick<ShaperOptions, 'permalinkBase' | 'fields'>;
  readonly #view: ExportView;
  readonly #snapshot: Catalogue | null;
  readonly #evidence = new Map<string, CommunityEvidence>();

  /** `catalogue` null: communities are known from the records alone. Throws as `Catalogue.openToRead` does. */
  constructor(
    { catalogue, ...options }: Pick<ShaperOptions, 'catalogue' | 'permalinkBase' | 'fields'>,
    view: ExportView,
  ) {
    this.#options = options;
    this.#view = view;
    this.#snapshot = catalogue && Catalogue.openSnapshot(catalogue);
  }

  /** In the same order, with the fields chosen. `arrived`: see RecordShaper. */
  async rows(records: readonly StoredRecord[], arrived: readonly ArrivalTime[] | null) {
    const { permalinkBase, fields } = this.#options;
    const names = new Set(records.map(({ community }) => community));
    const evidence = await this.#evidenceOf(names);
    const knowledge = this.#snapshot?.knowledgeOf([...names]) ?? new Map<string, never>();
    const whole = presentRecords(records, { evidence, knowledge, permalinkBase });
    if (fields === null) return whole as readonly object[] as readonly Row[];
    return whole.map((record, i) => chooseFields(record, records[i]!, fields, arrived?.[i] ?? null));
  }

  close(): void {
    this.#snapshot?.database.close();
  }

  /** Of these communities, and of others; until the next call at least. */
  async #evidenceOf(names: ReadonlySet<string>): Promise<ReadonlyMap<string, CommunityEvidence>> {
    let unknown = names.difference(this.#evidence);
    if (unknown.size === 0) return this.#evidence;
    if (this.#evidence.size + unknown.size > MAX_NAMES) {
      this.#evidence.clear();
      unknown = new Set(names);
    }
    for (const [name, evidence] of await this.#view.evidence(unknown)) this.#evidence.set(name, evidence);
    return this.#evidence;
  }
}
