// A move copies every record of both kinds to another engine, oldest first, then the checkpoints of imports, and
// compares the two. Every step may be repeated, so the same call resumes an interrupted move. The target keeps a mark
// (`Checkpoint`) of the progress, also after the move, so that a later run knows where its records came from.
//
// The list of removals belongs to the data folder and stays there. Hidden copies are not moved, so a move starts only
// if there are none.

import { UsageError } from '../../errors.ts';
import type { Checkpoint, IndexReport, SearchEngine } from '../../model/engine.ts';
import { IndexDamage } from '../../model/engine-errors.ts';
import type { IndexFingerprint } from '../../model/hash.ts';
import { KINDS, type Kind, NO_RECORDS } from '../../model/record.ts';
import { NAMED_AT_ONCE, type RemovalList } from '../../model/removals.ts';
import { FRAME_SHAPER, type Frame, frameOf } from './frames.ts';

interface MoveParts {
  readonly source: SearchEngine;
  readonly target: SearchEngine;
  readonly folder: string;
  readonly removals: RemovalList;
}

export interface MoveProgress {
  readonly done: number;
  readonly total: number;
}

export interface MoveOptions {
  readonly onProgress?: (progress: MoveProgress) => void;
  /** Stops between two batches. */
  readonly signal?: AbortSignal;
}

export type MoveReport = Awaited<ReturnType<typeof moveRecords>>;

/**
 * `checkpoints`: number of incomplete imports, which the target can resume.
 *
 * Throws a UsageError if the source has hidden copies, or the target has records that no earlier move of this data
 * folder copied; an IndexDamage if either side cannot read a kind; the reason of the signal.
 */
export async function moveRecords(parts: MoveParts, options: MoveOptions = {}) {
  const started = performance.now();
  const { source, target } = parts;
  await expectNothingHidden(source);
  for (const kind of KINDS) await expectOwn(parts, kind);
  await source.refresh();
  const totals = await ofBoth(async (kind) => (await source.ask({ kind, query: { items: [] } })).total);
  const copied: Record<Kind, IndexReport> = { post: NOTHING, comment: NOTHING };
  let before = 0;
  for (const kind of KINDS) {
    const onRecords = (done: number) => {
      options.onProgress?.({ done: before + done, total: totals.post + totals.comment });
    };
    copied[kind] = await moveKind(parts, kind, { ...options, onRecords });
    before += totals[kind];
  }
  // The checkpoints first, so that none is ahead of the compared records.
  const checkpoints = await ofBoth((kind) => checkpointsOf(source, kind));
  const kinds = await ofBoth((kind) => comparedKind(parts, kind));
  const hidden = await source.hiddenCount();
  const isWhole = hidden === 0 && KINDS.every((kind) => isEqual(kinds[kind]));
  if (isWhole) for (const kind of KINDS) await moveCheckpoints(target, kind, checkpoints[kind]);
  const seconds = (performance.now() - started) / 1000;
  return {
    kinds: {
      post: { copied: copied.post, ...kinds.post },
      comment: { copied: copied.comment, ...kinds.comment },
    },
    checkpoints: isWhole ? new Set(KINDS.flatMap((kind) => [...checkpoints[kind].keys()])).size : 0,
    ...{ hidden, isWhole, seconds },
  };
}

const NOTHING: IndexReport = { added: 0, replaced: 0, unchanged: 0, removed: 0 };

async function expectNothingHidden(source: SearchEngine): Promise<void> {
  const hidden = await source.hiddenCount();
  if (hidden === 0) return;
  throw new UsageError(
    `expected no removed records whose text is still in the index, found ${hidden.toLocaleString('en')}: ` +
      'the target could not restore them; repeat the command after `colloquy remove --purge`, or after an undo',
  );
}

/** Throws a UsageError if the target has records of this kind that no move of this folder copied. */
async function expectOwn({ source, target, folder }: MoveParts, kind: Kind): Promise<void> {
  await target.refresh();
  const { total } = await target.ask({ kind, query: { items: [] } });
  const mark = await readMark(target, kind);
  if (total === 0 || mark?.folder === folder) return;
  const [here, there] = [await fingerprintOf(source, kind), await fingerprintOf(target, kind)];
  if (isEqual({ source: here, target: there })) return;
  throw new UsageError(
    `expected an engine without ${kind}s, or with those of an earlier move of this data folder, ` +
      `found ${total.toLocaleString('en')} others there; delete them, or set another place ` +
      '(for OpenSearch another `COLLOQUY_OPENSEARCH_PREFIX`)',
  );
}

async function ofBoth<T>(of: (kind: Kind) => Promise<T>): Promise<Record<Kind, T>> {
  return { post: await of('post'), comment: await of('comment') };
}

/** Resumes an earlier run; starts again from the first record if the result differs. */
async function moveKind(parts: MoveParts, kind: Kind, options: Pick<CopyJob, 'signal' | 'onRecords'>) {
  const { source, target, folder } = parts;
  let copied = NOTHING;
  const onBatch = (report: IndexReport) => {
    copied = sumOf(copied, report);
  };
  let second = (await readMark(target, kind))?.second ?? null;
  while (!isEqual(await comparedKind(parts, kind))) {
    options.signal?.throwIfAborted();
    await copyRecords({ ...options, source, target, kind, folder, second, onBatch });
    // A later run starts with the first record, because records that arrive meanwhile may be of any age.
    await target.index(kind, NO_RECORDS, markOf({ folder, second: null }));
    if (second === null) break;
    second = null;
  }
  await takeOutRemoved(parts, kind);
  return copied;
}

/** Erases records that were removed after they were copied. */
async function takeOutRemoved(parts: MoveParts, kind: Kind): Promise<void> {
  const { target, removals } = parts;
  if (removals.version() > 0 && !isEqual(await comparedKind(parts, kind))) {
    const ids: string[] = [];
    const hide = async () => target.hide(UNDER_NO_REMOVAL, kind, { ids: ids.splice(0) });
    for await (const records of target.scan(kind, { items: [] }, 'oldest')) {
      const isRefused = removals.refused(records);
      for (const [i, { id }] of records.entries()) if (isRefused[i]) ids.push(id);
      if (ids.length >= NAMED_AT_ONCE / 2) await hide();
    }
    if (ids.length > 0) await hide();
  }
  if ((await target.hiddenCount([kind])) > 0) await target.purge([kind]);
}

/** No removal has this number, so nothing can restore these records. */
const UNDER_NO_REMOVAL = 2 ** 31 - 1;

interface Compared {
  readonly source: IndexFingerprint;
  readonly target: IndexFingerprint;
}

async function comparedKind({ source, target }: MoveParts, kind: Kind): Promise<Compared> {
  await source.refresh();
  await target.refresh();
  return { source: await fingerprintOf(source, kind), target: await fingerprintOf(target, kind) };
}

async function fingerprintOf(engine: SearchEngine, kind: Kind): Promise<IndexFingerprint> {
  const found = (await engine.fingerprints())[kind];
  if (found instanceof IndexDamage) throw found;
  return found;
}

function isEqual({ source, target }: Compared): boolean {
  return source.records === target.records && source.fingerprint === target.fingerprint;
}

async function checkpointsOf(engine: SearchEngine, kind: Kind): Promise<ReadonlyMap<string, string>> {
  const all = new Map(await engine.checkpoints(kind));
  all.delete(MOVE_MARK);
  return all;
}

/** Deletes checkpoints of an earlier run that no longer exist in the source. */
async function moveCheckpoints(target: SearchEngine, kind: Kind, wanted: ReadonlyMap<string, string>) {
  const there = await checkpointsOf(target, kind);
  for (const [source, state] of wanted) {
    if (there.get(source) !== state) await target.index(kind, NO_RECORDS, { source, state });
  }
  for (const source of there.keys()) {
    if (!wanted.has(source)) await target.index(kind, NO_RECORDS, { source, state: null });
  }
}

function sumOf(a: IndexReport, b: IndexReport): IndexReport {
  return {
    added: a.added + b.added,
    replaced: a.replaced + b.replaced,
    unchanged: a.unchanged + b.unchanged,
    removed: a.removed + b.removed,
  };
}

/** A batch is written when it has this many records (unless the target asks for more), or bytes. */
const BATCH_RECORDS = 10_000;
const BATCH_BYTES = 8 * 1024 * 1024;

interface CopyJob {
  readonly source: SearchEngine;
  readonly target: SearchEngine;
  readonly kind: Kind;
  readonly folder: string;
  /** Unix seconds: starts with the records of this second; null: with the first record. */
  readonly second: number | null;
  readonly signal?: AbortSignal | undefined;
  readonly onBatch: (report: IndexReport) => void;
  /** Records done: those that an earlier run copied, and those read so far. */
  readonly onRecords: (records: number) => void;
}

/** Reads a batch while the previous one is written. After an error, the mark still covers the written batches. */
async function copyRecords(job: CopyJob): Promise<void> {
  const { source, kind, second, signal } = job;
  await source.refresh();
  await using run = await source.export(
    {
      ...{ kind, query: { items: [] }, order: 'oldest', limit: null, arrived: true, shaper: FRAME_SHAPER },
      after: second === null ? null : { second, given: 0 },
    },
    signal,
  );
  const before = run.head.matches - run.head.total;
  let frames: Frame[] = [];
  let writing: Promise<void> = Promise.resolve();
  try {
    for await (const { bytes, records, withheld } of run.blocks) {
      for (const piece of bytes) frames.push(frameOf(piece));
      job.onRecords(before + records + withheld);
      const most = job.target.batchRecords?.() ?? BATCH_RECORDS;
      const mostBytes = BATCH_BYTES * Math.max(1, most / BATCH_RECORDS);
      const count = frames.reduce((sum, { arrived }) => sum + arrived.length, 0);
      if (count < most && frames.reduce((sum, { pack }) => sum + pack.length, 0) < mostBytes) continue;
      await writing;
      writing = write(job, frames);
      // Its error is thrown when it is awaited.
      writing.catch(() => {});
      frames = [];
    }
  } finally {
    await writing.catch(() => {});
  }
  await writing;
  await write(job, frames);
}

async function write({ target, kind, folder, onBatch }: CopyJob, frames: readonly Frame[]): Promise<void> {
  const last = frames.at(-1);
  if (last === undefined) return;
  const arrived = frames.flatMap((frame) => frame.arrived);
  const batch = { count: arrived.length, parts: frames.map(({ pack }) => pack) };
  onBatch(await target.index(kind, batch, markOf({ folder, second: last.last }), arrived));
}

/** The name of the mark among the checkpoints. It never clashes with imports: their names are content hashes. */
const MOVE_MARK = 'colloquy move';

interface MoveMark {
  readonly folder: string;
  /** Unix seconds: every record created before is in the target. null: nothing is known. */
  readonly second: number | null;
}

function markOf(mark: MoveMark): Checkpoint {
  return { source: MOVE_MARK, state: JSON.stringify(mark) };
}

/** null: no move has written there. */
async function readMark(target: SearchEngine, kind: Kind): Promise<MoveMark | null> {
  const state = (await target.checkpoints(kind)).get(MOVE_MARK);
  return state === undefined ? null : (JSON.parse(state) as MoveMark);
}
