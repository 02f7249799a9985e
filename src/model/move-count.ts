// Counts records that a removal hides or an undo brings back.

import type { MovedRecords } from './moved-records.ts';
import { bucketStart } from './timeline.ts';

export class MoveCount {
  readonly #months = new Map<number, number>();

  /** Of one record, or of several: created at this Unix second, or within a day that begins with it. */
  add(created: number, records = 1): void {
    const month = bucketStart('month', created);
    this.#months.set(month, (this.#months.get(month) ?? 0) + records);
  }

  addAll({ months }: MovedRecords): void {
    for (const [month, records] of months) this.add(month, records);
  }

  value(): MovedRecords {
    const months = [...this.#months].filter(([, records]) => records > 0).sort(([a], [b]) => a - b);
    return { records: months.reduce((sum, [, records]) => sum + records, 0), months };
  }
}
