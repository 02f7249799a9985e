// What an engine is given to take in.

/**
 * Records of one kind, in the order in which they were read; their bytes as packing/packed-records.ts packs
 * them.
 */
export interface RecordBatch {
  /** How many records there are. */
  readonly count: number;
  /** Packs, in the order of the records. Their bytes are shared between threads: nobody changes them. */
  readonly parts: readonly Uint8Array[];
}

/** For a call that only commits a checkpoint. */
export const NO_RECORDS: RecordBatch = { count: 0, parts: [] };
