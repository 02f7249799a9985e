// What an engine is given to take in.

import type { StoredRecord } from './record.ts';

/** Records of one kind. The bytes are shared between threads: nobody changes them. */
export interface PackedBatch {
  readonly count: number;
  /** By lane: packs, in the order of the records. */
  readonly lanes: readonly (readonly Uint8Array[])[];
}

/** What is given to an engine: records of one kind, in the order in which they were read. */
export type RecordBatch = readonly StoredRecord[] | PackedBatch;
