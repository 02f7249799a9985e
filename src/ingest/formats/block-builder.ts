// Builds blocks of values that did not stand one a line in their source: each becomes a line, with its number kept.

import type { Rejection } from '../normalise/reasons.ts';
import {
  BLOCK_BYTES,
  type Block,
  type BlockRows,
  REJECT_TEXT,
  type Reject,
  type SourcePosition,
  type TooLong,
} from './block.ts';

const LINE_FEED = 0x0a;
const BLANK = 0x20;

export class BlockBuilder {
  #pieces: Buffer[] = [];
  #lines: number[] = [];
  #rows: Buffer[] = [];
  #rejects: Reject[] = [];
  #size = 0;
  /** Values seen, those in front of `from` too. */
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

  /** All that has come together; null where that is nothing. */
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
