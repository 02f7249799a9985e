// How many records a removal hides or an undo brings back, and of which months: numbers, and nothing else.

export interface MovedRecords {
  readonly records: number;
  /** By the first second of the month, in UTC, in which they were created: up, each above 0; they add up. */
  readonly months: readonly (readonly [month: number, records: number])[];
}

export const NONE_MOVED: MovedRecords = { records: 0, months: [] };
