// A block: consecutive JSON values of a source, one on each line, that are processed together. Readers make blocks;
// workers turn them into records.

import type { Rejection } from '../normalise/outcome.ts';

/** A value, line or row of a source may have this many bytes; a longer one is rejected unread. */
export const MAX_VALUE_BYTES = 16 * 1024 * 1024;

/** Blocks are closed at the end of the value that reaches this many bytes. */
export const BLOCK_BYTES = 256 * 1024;

export interface Block {
  /** JSON values, each ended by a line feed (the last one of a source may lack it). Blank lines are ignored. */
  readonly data: Uint8Array<ArrayBuffer>;
  /** The line of each value in the source, from 1: the number of the first line, or one number for each. */
  readonly lines: number | Uint32Array;
  /** Rows of CSV as in the source, one for each line of `data`; absent unless they were asked for. */
  readonly rows?: BlockRows;
  /** What the reader itself rejected in this stretch of the source. */
  readonly rejects: readonly Reject[];
  readonly end: SourcePosition;
}

interface BlockRows {
  /** With their line breaks, if they have one. */
  readonly bytes: Uint8Array;
  /** Where each row ends in `bytes`. */
  readonly ends: Uint32Array;
}

export interface SourcePosition {
  /** The place in the unpacked content: bytes (reader of lines) or values (other readers) before it. */
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

  /** Values before `from` are counted and left out. */
  constructor(from: SourcePosition) {
    this.#toSkip = from.offset;
  }

  /**
   * Adds a value; line feeds between its parts become spaces, which changes nothing in JSON. `row`: the row as in the
   * source; either all values have one, or none.
   */
  add(value: Buffer, line: number, row?: Buffer): void {
    if (this.#values++ < this.#toSkip) return;
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

  /** A full block; null: there is none yet. `line`: line feeds of the source so far. */
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

interface Splitter {
  /** Line feeds so far. */
  readonly line: number;
  push(chunk: Buffer): void;
  finish(): void;
}

/** The blocks that `builder` gets from `splitter`. An error of `bytes` follows the blocks before it. */
export async function* builtBlocks(
  bytes: AsyncIterable<Buffer>,
  splitter: Splitter,
  builder: BlockBuilder,
): AsyncGenerator<Block> {
  const ending: Ending = { error: null };
  for await (const chunk of untilError(bytes, ending)) {
    splitter.push(chunk);
    const block = builder.takeFull(splitter.line);
    if (block !== null) yield block;
  }
  if (ending.error === null) splitter.finish();
  const last = builder.takeRest(splitter.line);
  if (last !== null) yield last;
  if (ending.error !== null) throw ending.error;
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

/** An error ends the items like an end, and is left in `ending`. */
export async function* untilError<Item>(items: AsyncIterable<Item>, ending: Ending): AsyncGenerator<Item> {
  try {
    yield* items;
  } catch (error) {
    ending.error = error;
  }
}
