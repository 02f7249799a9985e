// An export into a file that a later run can resume. Bytes go to `FILE.part`; at each step they are synced, then
// recorded in `FILE.state`. At the end the part is renamed; the state stays, so that the same command recognises its
// file.

import { existsSync } from 'node:fs';
import { UsageError } from '../../../errors.ts';
import type { IndexFingerprint } from '../../../model/hash.ts';
import type { ExportPlan, ExportService } from '../export-service.ts';
import {
  commandOf,
  expectSameCommand,
  type FileState,
  partOf,
  readState,
  removeState,
  stateOf,
  writeState,
} from './file-state.ts';
import { type Opened, openAnew, openBehind } from './opening.ts';
import { expectNone, isWritten, lockOut, notOurs, publish, removePart } from './part-file.ts';

export interface FileRequest {
  readonly plan: ExportPlan;
  readonly out: string;
  /** Starts over; an existing file of this name is replaced when the new one is complete. */
  readonly restart: boolean;
  /** Of program and runtime: another version may write different bytes. */
  readonly version: string;
  /** When aborted, the part stays as it was at the last step. */
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: FileProgress) => void;
}

export interface FileProgress {
  /** Records so far, including those taken away by removals. */
  readonly done: number;
  readonly total: number;
  /** Whether they are compared with the part of an earlier run. */
  readonly isCompared: boolean;
}

export interface FileReport {
  readonly total: number;
  readonly matches: number;
  /** Of the first run's view; absent: an earlier version wrote the state. */
  readonly arrival?: number;
  readonly count: number;
  readonly withheld: number;
  readonly cutCells: number;
  readonly bytes: number;
  readonly sha256: string;
  /** Records that earlier runs had written. */
  readonly resumedBehind: number;
  /** Of its kind, in the view of the whole file; null: an earlier run finished without recording it. */
  readonly index: IndexFingerprint | null;
  /** The same command had already made the file; nothing was done. */
  readonly wasThere?: true;
}

/**
 * Resolves when the file is renamed and on disk. Throws a UsageError if something is in the way, a StorageError if the
 * part cannot be resumed, the signal's reason, and what `ExportService.open` throws. If it throws before the first
 * step, it leaves no files.
 */
export async function exportToFile(exports: ExportService, request: FileRequest): Promise<FileReport> {
  const { plan, out, restart, version, signal } = request;
  using _lock = lockOut(out);
  const left = restart ? null : readState(out);
  const isGone = left?.finished !== undefined && !existsSync(partOf(out)) && !existsSync(out);
  const before = isGone ? null : left;
  if (before !== null) expectSameCommand(out, before.command, commandOf(plan));
  else if (!restart) expectNothing(out);
  if (before?.finished !== undefined) return finishLeft(out, before, before.finished.cutCells);
  const replaces = before?.replaces ?? restart;
  expectNone(out, replaces);
  const opening = { exports, plan, out, replaces, version, signal };
  const isBegun = before !== null && before.records + before.withheld > 0;
  await using opened = await (isBegun ? openBehind(opening, before) : openAnew(opening));
  return await writeAll(opened, request);
}

/** Records that the next run of the same command need not write again. */
export function keptRecords(out: string): number {
  return readState(out)?.records ?? 0;
}

/** Throws a UsageError if there is a file, or a part without its state. */
function expectNothing(out: string): void {
  expectNone(out, false);
  if (!existsSync(partOf(out))) return;
  throw new UsageError(
    `expected \`${stateOf(out)}\` beside \`${partOf(out)}\`, found none, so that it cannot be resumed; ` +
      '`--restart` starts again, or choose another name',
  );
}

/** For a file that is already there, or a run interrupted between the last byte and the end. */
function finishLeft(out: string, state: FileState, cutCells: number): FileReport {
  const part = partOf(out);
  const index = state.sources?.index[state.command.kind] ?? null;
  const report = { ...reportOf(state, cutCells, state.records), index };
  if (existsSync(part)) {
    if (!isWritten(part, state)) throw notOurs(part, 'expected the bytes that were written, found others');
    publish(out, state.replaces);
    return report;
  }
  if (!isWritten(out, state)) expectNone(out, false);
  return { ...report, wasThere: true };
}

async function writeAll(opened: Opened, request: FileRequest): Promise<FileReport> {
  const { out } = request;
  let { state } = opened;
  try {
    for await (const kept of written(opened, request)) {
      state = kept;
      writeState(out, state);
    }
  } catch (error) {
    if (state.records + state.withheld === 0) {
      removePart(out);
      removeState(out);
    }
    throw error;
  }
  // Windows cannot rename an open file.
  opened.part[Symbol.dispose]();
  publish(out, state.replaces);
  const { index } = opened.run;
  return { ...reportOf(state, state.finished!.cutCells, opened.state.records), index };
}

/** Yields what is on disk, at each step and at the end. */
async function* written({ run, part, state, compared }: Opened, { onProgress }: FileRequest) {
  let isCompared = compared !== null;
  for await (const block of run.blocks) {
    const { records, withheld, report } = block;
    const bytes = isCompared ? compared!.take(block) : block.bytes;
    isCompared = bytes === null;
    part.write(bytes ?? []);
    onProgress?.({ done: records + withheld, total: run.head.total, isCompared });
    const now = { records, withheld, shaper: block.state ?? null };
    if (report !== undefined) {
      const all = part.sync();
      if (all.sha256 !== report.sha256) throw new Error('expected the digest of the bytes, found another');
      yield { ...state, ...now, ...all, finished: { cutCells: report.cutCells } } satisfies FileState;
    } else if (block.state !== undefined && !isCompared) {
      yield { ...state, ...now, ...part.sync() } satisfies FileState;
    }
  }
}

function reportOf(state: FileState, cutCells: number, resumedBehind: number): Omit<FileReport, 'index'> {
  const { head, records, withheld, bytes, sha256 } = state;
  return { ...head, count: records, withheld, cutCells, bytes, sha256, resumedBehind };
}
