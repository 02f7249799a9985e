// What the processes that are killed bring in, hide and take back: all of it follows from numbers, so that whoever
// looks knows what has to be there.

import type { StoredRecord } from '../../src/model/record.ts';
import { comment } from '../helpers.ts';

/** New records of a batch; of the batch before it every second one comes again, with another score. */
export const BATCH = 500;

/** The import that all of them belong to; its state is how many batches are in. */
export const SOURCE = 'dump';

/** One community a batch. */
export function communityOf(batch: number): string {
  return `c${batch}`;
}

export function batchOf(batch: number): StoredRecord[] {
  const records = recordsOf(batch, 1);
  if (batch === 0) return records;
  return [...recordsOf(batch - 1, 2).filter((_, i) => i % 2 === 1), ...records];
}

function recordsOf(batch: number, score: number): StoredRecord[] {
  const community = communityOf(batch);
  return Array.from({ length: BATCH }, (_, i) => {
    const number = batch * BATCH + i;
    const id = number.toString(36);
    return comment({ id, created: 1_000 + number, score, community, communityId: community, body: 'solar' });
  });
}

export interface RemovalStep {
  readonly what: 'hide' | 'restore';
  readonly batch: number;
}

/** Hides batch after batch, and takes back every third one. */
export function removalStep(number: number): RemovalStep {
  const [round, place] = [Math.floor(number / 4), number % 4];
  return place === 3 ? { what: 'restore', batch: 3 * round + 1 } : { what: 'hide', batch: 3 * round + place };
}

/** A batch must be so far behind that no later one brings its records. */
export function isDue({ batch }: RemovalStep, batchesIn: number): boolean {
  return batch + 3 <= batchesIn;
}
