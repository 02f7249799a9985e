// Copies the records of one kind between engines, oldest first. The target keeps a mark (`Checkpoint`) of the progress,
// also after the move, so that a later run knows where its records came from.

import type { Checkpoint, IndexReport, SearchEngine } from '../../model/engine.ts';
import type { Kind, RecordBatch } from '../../model/record.ts';
import type { ArrivalTime } from '../../model/time.ts';
import { FRAME_SHAPER, type Frame, frameOf } from './frames.ts';

/** A batch is written when it has this many records (unless the target asks for more), or bytes. */
const BATCH_RECORDS = 10_000;
const BATCH_BYTES = 8 * 1024 * 1024;

export interface CopyJob {
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
export async function copyRecords(job: CopyJob): Promise<void> {
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
  let batch = new FramedBatch();
  let writing: Promise<void> = Promise.resolve();
  try {
    for await (const { bytes, records, withheld } of run.blocks) {
      for (const piece of bytes) batch.add(frameOf(piece));
      job.onRecords(before + records + withheld);
      const most = job.target.batchRecords?.() ?? BATCH_RECORDS;
      const mostBytes = BATCH_BYTES * Math.max(1, most / BATCH_RECORDS);
      if (batch.arrived.length < most && batch.bytes < mostBytes) continue;
      await writing;
      writing = write(job, batch);
      // Its error is thrown when it is awaited.
      writing.catch(() => {});
      batch = new FramedBatch();
    }
  } finally {
    await writing.catch(() => {});
  }
  await writing;
  await write(job, batch);
}

async function write({ target, kind, folder, onBatch }: CopyJob, batch: FramedBatch): Promise<void> {
  if (batch.records.count === 0) return;
  const mark = markOf({ folder, second: batch.last });
  onBatch(await target.index(kind, batch.records, mark, batch.arrived));
}

class FramedBatch {
  readonly arrived: ArrivalTime[] = [];
  /** Unix seconds of the last record. */
  last = 0;
  bytes = 0;
  readonly #packs: Uint8Array[] = [];

  add(frame: Frame): void {
    for (const time of frame.arrived) this.arrived.push(time);
    this.last = frame.last;
    this.#packs.push(frame.pack);
    this.bytes += frame.pack.length;
  }

  get records(): RecordBatch {
    return { count: this.arrived.length, parts: this.#packs };
  }
}

/** The name of the mark among the checkpoints. It never clashes with imports: their names are content hashes. */
export const MOVE_MARK = 'colloquy move';

export interface MoveMark {
  readonly folder: string;
  /** Unix seconds: every record created before is in the target. null: nothing is known. */
  readonly second: number | null;
}

export function markOf(mark: MoveMark): Checkpoint {
  return { source: MOVE_MARK, state: JSON.stringify(mark) };
}

/** null: no move has written there. */
export async function readMark(target: SearchEngine, kind: Kind): Promise<MoveMark | null> {
  const state = (await target.checkpoints(kind)).get(MOVE_MARK);
  return state === undefined ? null : (JSON.parse(state) as MoveMark);
}
