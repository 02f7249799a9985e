// A block: a run of JSON values of a source, one a line, that is worked on as one. Readers make blocks; workers turn
// them into records.

import type { Rejection } from '../normalise/reasons.ts';

/** A value, line or row of a source may have this many bytes; a longer one is rejected unread. */
export const MAX_VALUE_BYTES = 16 * 1024 * 1024;

/** Blocks are closed at the end of the value that reaches this many bytes. */
export const BLOCK_BYTES = 256 * 1024;

export interface Block {
  /** JSON values, each ended by a line feed (the last one of a source may lack it); blank lines are nothing. */
  readonly data: Uint8Array<ArrayBuffer>;
  /** Where each line of `data` stands in the source, from 1: the number of the first line, or one number a line. */
  readonly lines: number | Uint32Array;
  /** Rows of CSV as they stand in the source, one a line of `data`; only where they were asked for. */
  readonly rows?: BlockRows;
  /** What the reader itself rejected in this stretch of the source. */
  readonly rejects: readonly Reject[];
  /** Behind this block. */
  readonly end: SourcePosition;
}

export interface BlockRows {
  /** With their line breaks, where they have one. */
  readonly bytes: Uint8Array;
  /** Where each row ends in `bytes`. */
  readonly ends: Uint32Array;
}

/** A place in a source, from which a reader can go on. */
export interface SourcePosition {
  /** Bytes of unpacked content (a reader of lines), or values (other readers), in front of it. */
  readonly offset: number;
  /** Lines in front of it. */
  readonly line: number;
}

export const START: SourcePosition = { offset: 0, line: 0 };

/** Something that was rejected, and the beginning of what stood there. */
export interface Reject {
  /** From 1. */
  readonly line: number;
  readonly reason: Rejection;
  /** At most REJECT_TEXT characters. */
  readonly text: string;
}

/** How much of a rejected line is kept. */
export const REJECT_TEXT = 80;

/** The beginning of rejected bytes as text. */
export function rejectText(bytes: Uint8Array): string {
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, REJECT_TEXT * 4));
  return Array.from(head.toString('utf8')).slice(0, REJECT_TEXT).join('').toWellFormed();
}

/** What is handed out for a value that is longer than MAX_VALUE_BYTES: how it began. */
export interface TooLong {
  readonly beginning: string;
}
