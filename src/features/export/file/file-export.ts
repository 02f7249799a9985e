// An export into a file, which a later run goes on with where this one breaks off. Bytes go to `FILE.part`;
// at each step they are synced, then `FILE.state` says so; at the end the part gets its name, and the state
// stays, by which the same command knows its own file.

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
  /** Begins anew, whatever is there; a file of this name gives way when the new one is whole. */
  readonly restart: boolean;
  /** Of program and runtime: another one may write other bytes. */
  readonly version: string;
  /** Aborted: the part stays as it was at the last step. */
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: FileProgress) => void;
}

export interface FileProgress {
  /** Records, those that removals took away included. */
  readonly done: number;
  readonly total: number;
  /** Whether they are held against the part of an earlier run. */
  readonly isCompared: boolean;
}

export interface FileReport {
  readonly total: number;
  readonly matches: number;
  /** Of the view that the first run had; absent: an earlier version wrote it. */
  readonly arrival?: number;
  readonly count: number;
  readonly withheld: number;
  readonly cutCells: number;
  readonly bytes: number;
  readonly sha256: string;
  /** How many records earlier runs had written. */
  readonly resumedBehind: number;
  /** Of its kind, in the view that all of it comes from; null: an earlier run finished it without telling. */
  readonly index: IndexFingerprint | null;
  /** The same command had made the file before, and nothing was done. */
  readonly wasThere?: true;
}

/**
 * Resolves when the file has its name, and is on disk. Throws a UsageError where something else is in the
 * way, a StorageError where nothing can go on behind the part, the reason of the signal, and what
 * `ExportService.open` throws. Where it throws before the first step, it leaves nothing.
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

/** How many records the next run of the same command need not write again. */
export function keptRecords(out: string): number {
  return readState(out)?.records ?? 0;
}

/** Throws a UsageError where there is a file, or a part without its state. */
function expectNothing(out: string): void {
  expectNone(out, false);
  if (!existsSync(partOf(out))) return;
  throw new UsageError(
    `expected \`${stateOf(out)}\` beside \`${partOf(out)}\`, found none, so that nothing can go on behind it; ` +
      '`--restart` starts again, or choose another name',
  );
}

/** A file that is there, or what was broken off between the last byte and the end. */
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
  // Windows renames no open file.
  opened.part[Symbol.dispose]();
  publish(out, state.replaces);
  const { index } = opened.run;
  return { ...reportOf(state, state.finished!.cutCells, opened.state.records), index };
}

/** What is on disk, at each step and at the end. */
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
