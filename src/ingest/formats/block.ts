// A block: a run of JSON values of a source, one a line, that is worked on as one. Readers make blocks; workers turn
// them into records.
//
// Builds blocks of values that did not stand one a line in their source: each becomes a line, with its number kept.
//
// Bytes that end in an error, for readers that still have data to return.

import type { Rejection } from '../normalise/outcome.ts';

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
  readonly end: SourcePosition;
}

interface BlockRows {
  /** With their line breaks, where they have one. */
  readonly bytes: Uint8Array;
  /** Where each row ends in `bytes`. */
  readonly ends: Uint32Array;
}

export interface SourcePosition {
  /** Bytes of unpacked content (a reader of lines), or values (other readers), in front of it. */
  readonly offset: number;
  readonly line: number;
}

export const START: SourcePosition = { offset: 0, line: 0 };

export interface Reject {
  readonly line: number;
  readonly reason: Rejection;
  /** At most REJECT_TEXT characters. */
  readonly text: string;
}

export const REJECT_TEXT = 80;

export function rejectText(bytes: Uint8Array): string {
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, REJECT_TEXT * 4));
  return Array.from(head.toString('utf8')).slice(0, REJECT_TEXT).join('').toWellFormed();
}

/** What is handed out for a value that is longer than MAX_VALUE_BYTES: how it began. */
export interface TooLong {
  readonly beginning: string;
}

const LINE_FEED = 0x0a;
const BLANK = 0x20;

export class BlockBuilder {
  #pieces: Buffer[] = [];
  #lines: number[] = [];
  #rows: Buffer[] = [];
  #rejects: Reject[] = [];
  #size = 0;
  #values = 0;
  readonly #toSkip: number;

  /** Values in front of `from` are counted and left out. */
  constructor(from: SourcePosition) {
    this.#toSkip = from.offset;
  }

  /**
   * Takes a value in; line feeds between its parts become blanks, which changes nothing in JSON. `row`: as it
   * stands in the source, for those who ask for it: given with all values or with none.
   */
  add(value: Buffer | TooLong, line: number, row?: Buffer): void {
    if (this.#values++ < this.#toSkip) return;
    if ('beginning' in value) {
      this.#rejects.push({ line, reason: 'too_long', text: value.beginning });
      return;
    }
    const onOneLine = Buffer.allocUnsafe(value.length + 1);
    value.copy(onOneLine);
    for (
      let at = onOneLine.indexOf(LINE_FEED);
      at >= 0 && at < value.length;
      at = onOneLine.indexOf(LINE_FEED, at)
    ) {
      onOneLine[at] = BLANK;
    }
    onOneLine[value.length] = LINE_FEED;
    this.#pieces.push(onOneLine);
    this.#lines.push(line);
    if (row !== undefined) this.#rows.push(Buffer.from(row));
    this.#size += onOneLine.length;
  }

  reject(reason: Rejection, line: number, text: string): void {
    if (this.#values++ < this.#toSkip) return;
    this.#rejects.push({ line, reason, text: Array.from(text).slice(0, REJECT_TEXT).join('') });
  }

  /** A block where enough has come together; null otherwise. `line`: line feeds of the source so far. */
  takeFull(line: number): Block | null {
    return this.#size >= BLOCK_BYTES ? this.takeRest(line) : null;
  }

  takeRest(line: number): Block | null {
    if (this.#size === 0 && this.#rejects.length === 0) return null;
    const block = {
      data: new Uint8Array(Buffer.concat(this.#pieces, this.#size)),
      lines: Uint32Array.from(this.#lines),
      ...(this.#rows.length === 0 ? {} : { rows: blockRows(this.#rows) }),
      rejects: this.#rejects,
      end: { offset: this.#values, line },
    };
    this.#pieces = [];
    this.#lines = [];
    this.#rows = [];
    this.#rejects = [];
    this.#size = 0;
    return block;
  }
}

function blockRows(rows: readonly Buffer[]): BlockRows {
  let end = 0;
  const ends = Uint32Array.from(rows, (row) => {
    end += row.length;
    return end;
  });
  return { bytes: new Uint8Array(Buffer.concat(rows)), ends };
}

/** How the bytes ended: `error` is null at a regular end. */
export interface Ending {
  error: unknown;
}

/** The chunks; an error ends them like an end, and is left in `ending`. */
export async function* chunksUntilError(
  bytes: AsyncIterable<Buffer>,
  ending: Ending,
): AsyncGenerator<Buffer> {
  try {
    yield* bytes;
  } catch (error) {
    ending.error = error;
  }
}
