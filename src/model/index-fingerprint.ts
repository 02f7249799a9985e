// What tells one index from another: equal where the records are.

export interface IndexFingerprint {
  /** Sum modulo 2^64 of `recordMix` (content-hash.ts) over the records: 16 lower-case hex digits. */
  readonly fingerprint: string;
  /** How many records there are. */
  readonly records: number;
}
