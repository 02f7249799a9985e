// The base of an edition: all its records of one kind, from one view of the index, in one resumable export file. All
// published files are made from it, so that they have the same records.

import { createReadStream, existsSync } from 'node:fs';
import { join } from 'node:path';
import { createZstdDecompress } from 'node:zlib';
import { StorageError } from '../../../errors.ts';
import type { Kind } from '../../../model/record.ts';
import type { Row } from '../../../operation/text-forms.ts';
import { DEFAULT_FIELDS } from '../../../search/presenter.ts';
import type { ExportPlan, ExportService } from '../export-service.ts';
import { exportToFile, type FileReport, keptRecords } from '../file/file-export.ts';
import { partOf } from '../file/file-state.ts';
import type { DatasetDefinition } from './store.ts';

export interface BaseRequest {
  readonly plan: ExportPlan;
  readonly folder: string;
  readonly version: string;
  readonly signal: AbortSignal;
  readonly onProgress: (progress: { readonly done: number; readonly total: number }) => void;
}

/** Published files have the fields of the interface; a comment's post is needed for removals. */
export function basePlan(exports: ExportService, { query }: DatasetDefinition, kind: Kind): ExportPlan {
  const fields = kind === 'comment' ? [...DEFAULT_FIELDS.comment, 'post_id'].join(',') : null;
  return exports.plan({
    ...{ kind, query, under: null, order: 'oldest', after: null, limit: null },
    ...{ fields, format: 'ndjson', compress: 'zstd' },
  });
}

/** Resumes an earlier run if the index still gives the same bytes; otherwise starts over. */
export async function writeBase(exports: ExportService, request: BaseRequest): Promise<FileReport> {
  const { plan, folder, version, signal, onProgress } = request;
  const out = baseFile(folder, plan.wish.kind);
  const write = (restart: boolean) =>
    exportToFile(exports, { plan, out, restart, version, signal, onProgress });
  // Finished, but not recorded: it may be older than a removal.
  if (existsSync(out) && !existsSync(partOf(out))) return await write(true);
  const hasBegun = keptRecords(out) > 0;
  try {
    return await write(false);
  } catch (error) {
    if (!hasBegun || !(error instanceof StorageError)) throw error;
    return await write(true);
  }
}

export function baseFile(folder: string, kind: Kind): string {
  return join(folder, `base-${kind}s.ndjson.zst`);
}

export interface BaseRow {
  readonly row: Row;
  /** A comment's post; empty if it is not known. */
  readonly post: string;
}

const NEWLINE = 0x0a;

/** In the order of the file, in batches. */
export async function* readBase(folder: string, kind: Kind): AsyncGenerator<readonly BaseRow[]> {
  const file = createReadStream(baseFile(folder, kind), { highWaterMark: 1_048_576 });
  const plain = createZstdDecompress({ chunkSize: 1_048_576 });
  file.once('error', (error) => plain.destroy(error));
  let rest: Buffer[] = [];
  try {
    for await (const chunk of file.pipe(plain) as AsyncIterable<Buffer>) {
      const end = chunk.lastIndexOf(NEWLINE);
      if (end === -1) {
        rest.push(chunk);
        continue;
      }
      const lines = Buffer.concat([...rest, chunk.subarray(0, end)]).toString();
      rest = [chunk.subarray(end + 1)];
      yield lines.split('\n').map(baseRow);
    }
  } finally {
    file.destroy();
  }
}

function baseRow(line: string): BaseRow {
  const { post_id, ...row } = JSON.parse(line) as Row & { readonly post_id?: string | null };
  return { row, post: post_id ?? '' };
}
