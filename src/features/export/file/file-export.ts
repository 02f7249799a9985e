// An export into a file that a later run can resume. Bytes go to `FILE.part`; at each step they are synced, then
// recorded in `FILE.state`. At the end the part is renamed; the state stays, so that the same command recognises its
// file.

import { existsSync } from 'node:fs';
import { StorageError, UsageError } from '../../../errors.ts';
import { count } from '../../../http/views/format.ts';
import { EXPORT_STEP, type ExportBlock } from '../../../model/export.ts';
import type { IndexFingerprint } from '../../../model/hash.ts';
import { KINDS, type Kind } from '../../../model/record.ts';
import {
  type ExportedArchive,
  type ExportPlan,
  type ExportSources,
  type OpenExport,
  openExport,
  sourcesOf,
} from '../export-service.ts';
import {
  commandOf,
  expectNone,
  expectSameCommand,
  type FileState,
  isWritten,
  lockOut,
  notOurs,
  PartFile,
  partOf,
  publish,
  readState,
  removePart,
  removeState,
  stateOf,
  writeState,
} from './part-file.ts';

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
 * part cannot be resumed, the signal's reason, and what `openExport` throws. If it throws before the first
 * step, it leaves no files.
 */
export async function exportToFile(archive: ExportedArchive, request: FileRequest): Promise<FileReport> {
  const { plan, out, restart } = request;
  using _lock = lockOut(out);
  const left = restart ? null : readState(out);
  const isGone = left?.finished !== undefined && !existsSync(partOf(out)) && !existsSync(out);
  const before = isGone ? null : left;
  if (before !== null) expectSameCommand(out, before.command, commandOf(plan));
  else if (!restart) expectNothing(out);
  if (before?.finished !== undefined) return await finishLeft(out, before, before.finished.cutCells);
  const replaces = before?.replaces ?? restart;
  expectNone(out, replaces);
  await using held = new AsyncDisposableStack();
  const opening = { ...request, archive, replaces, held };
  const isBegun = before !== null && before.records + before.withheld > 0;
  const opened = await (isBegun ? openBehind(opening, before) : openAnew(opening));
  return await writeAll(opened, request);
}

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
async function finishLeft(out: string, state: FileState, cutCells: number): Promise<FileReport> {
  const part = partOf(out);
  const index = state.sources?.index[state.command.kind] ?? null;
  const report = { ...reportOf(state, cutCells, state.records), index };
  if (existsSync(part)) {
    if (!(await isWritten(part, state)))
      throw notOurs(part, 'expected the bytes that were written, found others');
    publish(out, state.replaces);
    return report;
  }
  if (!(await isWritten(out, state))) expectNone(out, false);
  return { ...report, wasThere: true };
}

async function writeAll(opened: Opened, { out, onProgress }: FileRequest): Promise<FileReport> {
  const { run, part, compared } = opened;
  let { state } = opened;
  let isCompared = compared !== null;
  try {
    for await (const block of run.blocks) {
      const { records, withheld, report } = block;
      const bytes = isCompared ? compared!(block) : block.bytes;
      isCompared = bytes === null;
      part.write(bytes ?? []);
      onProgress?.({ done: records + withheld, total: run.head.total, isCompared });
      if (report === undefined && (block.state === undefined || isCompared)) continue;
      const all = part.sync();
      if (report !== undefined && all.sha256 !== report.sha256)
        throw new Error('expected the digest of the bytes, found another');
      const finished = report && { finished: { cutCells: report.cutCells } };
      state = { ...state, records, withheld, shaper: block.state ?? null, ...all, ...finished };
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
  part[Symbol.dispose]();
  publish(out, state.replaces);
  return { ...reportOf(state, state.finished!.cutCells, opened.state.records), index: run.index };
}

function reportOf(state: FileState, cutCells: number, resumedBehind: number): Omit<FileReport, 'index'> {
  const { head, records, withheld, bytes, sha256 } = state;
  return { ...head, count: records, withheld, cutCells, bytes, sha256, resumedBehind };
}

interface Opening extends FileRequest {
  readonly archive: ExportedArchive;
  readonly replaces: boolean;
  readonly held: AsyncDisposableStack;
}

interface Opened {
  readonly run: OpenExport;
  readonly part: PartFile;
  /** Of the part on disk. */
  readonly state: FileState;
  /** null: bytes are appended without verification. */
  readonly compared: ReturnType<typeof comparedPart> | null;
}

/** Starts an empty part; an existing one is overwritten. */
async function openAnew(opening: Opening): Promise<Opened> {
  const { plan, out, replaces, version, held } = opening;
  const run = held.use(await openExport(opening.archive, plan, opening.signal));
  const { head, sources } = run;
  const nothing = { bytes: 0, sha256: '', records: 0, withheld: 0, shaper: null };
  const state = { command: commandOf(plan), replaces, version, sources, head, ...nothing };
  // In this order: a part without a state would be refused as foreign.
  writeState(out, state);
  const part = held.use(PartFile.create(partOf(out)));
  return { run, part, state, compared: null };
}

/**
 * Resumes the part that `before` describes; verifies it first if what the bytes depend on has changed. Throws a
 * StorageError if that is impossible.
 */
async function openBehind(opening: Opening, before: FileState): Promise<Opened> {
  const { archive, plan, out, version, signal, held } = opening;
  if (before.withheld > 0) throw withheldPart(out, before);
  const part = held.use(PartFile.reopen(out, before));
  const atOnce = await openAtOnce(opening, before, part);
  const run = held.use(atOnce ?? (await openExport(archive, plan, signal)));
  const { head, sources } = run;
  const other = (where: string) => otherPart(out, before, { head, sources, version }, where);
  const compared = atOnce === null ? comparedPart(part, before, other) : null;
  return { run, part, state: { ...before, version, sources, head }, compared };
}

/** null: what the bytes depend on has changed, or may have. */
async function openAtOnce({ archive, plan, version, signal }: Opening, before: FileState, part: PartFile) {
  const sources = await sourcesOf(archive, plan);
  const isSame = sources !== null && before.sources !== null && sameSources(sources, before.sources);
  if (!isSame || before.version !== version) return null;
  const resume = { state: before.shaper, part: part.path };
  const run = await openExport(archive, plan, signal, { skip: before.records, resume });
  if (run.sources !== null && sameSources(sources, run.sources)) return run;
  await run[Symbol.asyncDispose]();
  return null;
}

type Now = Pick<FileState, 'head' | 'sources' | 'version'>;

function sameSources(a: ExportSources, b: ExportSources): boolean {
  return changesBetween(a, b).length === 0;
}

function otherPart(out: string, before: FileState, now: Now, where: string): StorageError {
  const { kind } = before.command;
  const changes = [
    ...(before.version === now.version ? [] : [`written by ${before.version}, now ${now.version}`]),
    ...(before.head.matches === now.head.matches || (isEverything(before, kind) && isEverything(now, kind))
      ? []
      : [`${count(before.head.matches)} matches then, ${count(now.head.matches)} now`]),
    ...(before.sources === null || now.sources === null ? [] : changesBetween(before.sources, now.sources)),
  ];
  const told = changes.length === 0 ? '' : ` (${changes.join('; ')})`;
  return new StorageError(
    `\`${partOf(out)}\`: the index has changed since this part was written${told}: ${where} ` +
      'the bytes would differ now; begin again with `--restart`',
  );
}

/** Whether every record of the kind matches: its matches then change exactly as its records do. */
function isEverything({ head, sources }: Pick<Now, 'head' | 'sources'>, kind: Kind): boolean {
  return head.matches === sources?.index[kind].records;
}

function withheldPart(out: string, { withheld }: FileState): StorageError {
  const records = withheld === 1 ? 'record was' : 'records were';
  return new StorageError(
    `\`${partOf(out)}\`: ${count(withheld)} ${records} removed while this part was written, ` +
      'so that it cannot be resumed; begin again with `--restart`',
  );
}

function changesBetween(a: ExportSources, b: ExportSources): string[] {
  return [
    ...(a.permalinkBase === b.permalinkBase
      ? []
      : [`links began with ${a.permalinkBase}, now with ${b.permalinkBase}`]),
    ...(a.generation === b.generation ? [] : ['other things are known of communities']),
    ...KINDS.filter((kind) => a.index[kind].fingerprint !== b.index[kind].fingerprint).map((kind) => {
      const [then, now] = [a.index[kind].records, b.index[kind].records];
      return then === now ? `other ${kind}s` : `${count(then)} ${kind}s then, ${count(now)} now`;
    }),
  ];
}

/**
 * Compares the blocks of a new run with the part, one after the other. The result is the bytes behind the part once a
 * block reaches its end; null: not reached yet. `other` makes the error for differing bytes; it gets their place.
 */
function comparedPart(part: PartFile, before: FileState, other: (where: string) => Error) {
  const { bytes: end, records: last } = before;
  let at = 0;
  return ({ bytes, records, withheld, report }: ExportBlock): readonly Uint8Array[] | null => {
    const rest: Uint8Array[] = [];
    for (const piece of bytes) {
      const inside = piece.subarray(0, Math.max(0, end - at));
      const differs = part.firstDifference(inside, at);
      if (differs !== null) throw other(`${within(records)}, at byte ${differs.toLocaleString('en')},`);
      if (inside.length < piece.length) rest.push(piece.subarray(inside.length));
      at += inside.length;
    }
    const isThere = records === last && withheld === 0 && records % EXPORT_STEP === 0 && at === end;
    // At a step, all bytes before it have come and none behind it, except at the very end.
    if (isThere && (rest.length === 0 || report !== undefined)) return rest;
    if (rest.length > 0 || records + withheld >= last || report !== undefined) throw other(within(records));
    return null;
  };
}

function within(records: number): string {
  return `within the first ${records.toLocaleString('en')} records`;
}
