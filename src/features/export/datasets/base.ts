// The base of an edition: all its records of one kind, from one view of the index, in one file that the export room
// writes and goes on with. Every published file is made from it, so that all of them have the same records.

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

/** What is published has the fields of the interface; which post a comment belongs to is for removals. */
export function basePlan(exports: ExportService, { query }: DatasetDefinition, kind: Kind): ExportPlan {
  const fields = kind === 'comment' ? [...DEFAULT_FIELDS.comment, 'post_id'].join(',') : null;
  return exports.plan({
    ...{ kind, query, under: null, order: 'oldest', after: null, limit: null },
    ...{ fields, format: 'ndjson', compress: 'zstd' },
  });
}

/** Goes on behind what an earlier run left, if the index still gives that; otherwise begins anew. */
export async function writeBase(exports: ExportService, request: BaseRequest): Promise<FileReport> {
  const { plan, folder, version, signal, onProgress } = request;
  const out = baseFile(folder, plan.wish.kind);
  const write = (restart: boolean) =>
    exportToFile(exports, { plan, out, restart, version, signal, onProgress });
  // Finished, but nobody noted so: it may be older than what is removed by now.
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
  /** Of a comment, its post; empty where that is not known. */
  readonly post: string;
}

const NEWLINE = 0x0a;

/** In the order of the file, as many at once as came out of it at once. */
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
