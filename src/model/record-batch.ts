// The records an engine is given to index.

/** Records of one kind, in the order in which they were read, packed as in packing/packed-records.ts. */
export interface RecordBatch {
  /** How many records there are. */
  readonly count: number;
  /** Packs, in the order of the records. Threads share their bytes, so nobody may change them. */
  readonly parts: readonly Uint8Array[];
}

/** For a call that only commits a checkpoint. */
export const NO_RECORDS: RecordBatch = { count: 0, parts: [] };
