// Reader of JSON values that are not one per line: an array of records with any line breaks, an indented answer,
// several values in a row. The elements of an outermost array are values of their own, so that the
// array may be of any length. Only brackets and strings are looked at here; parsing comes later.

import {
  type Block,
  BlockBuilder,
  builtBlocks,
  MAX_VALUE_BYTES,
  REJECT_TEXT,
  rejectText,
  type SourcePosition,
  START,
} from './block.ts';

/** Blocks of complete values from `from` on; `bytes` is still the whole content. */
export function readValues(
  bytes: AsyncIterable<Buffer>,
  from: SourcePosition = START,
): AsyncGenerator<Block> {
  const builder = new BlockBuilder(from);
  const splitter = new ValueSplitter((value, line) => {
    if (typeof value === 'string') builder.reject('too_long', line, value);
    else builder.add(value, line);
  });
  return builtBlocks(bytes, splitter, builder);
}

/** Gets each value in turn, or the beginning of one that is too long, with the line (from 1) on which it begins. */
type TakeValue = (value: Buffer | string, line: number) => void;

const TAB = 0x09;
const LINE_FEED = 0x0a;
const BLANK = 0x20;
const QUOTE = 0x22;
const COMMA = 0x2c;
const OPEN_BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

export class ValueSplitter {
  readonly #take: TakeValue;
  line = 0;
  /** Open brackets, not counting that of an outermost array. */
  #depth = 0;
  #isInString = false;
  #isEscaped = false;
  #pieces: Buffer[] | null = null;
  #size = 0;
  #startLine = 0;
  /** Set if a damaged value made us lose count of the brackets; the next value begins on a new line. */
  #isLost = false;
  /** While lost: only spaces since the last line feed, which may be in an earlier chunk. */
  #isAtLineStart = false;

  constructor(take: TakeValue) {
    this.#take = take;
  }

  /** A hot loop over every byte: kept in one piece. */
  push(chunk: Buffer): void {
    let start = 0;
    for (let i = 0; i < chunk.length; i++) {
      const byte = chunk[i]!;
      if (byte === LINE_FEED) {
        this.line++;
        // JSON has no line feed inside a string: a value was cut off here.
        if (this.#isInString) this.#isLost = true;
      }
      if (this.#isLost) {
        if (byte !== OPEN_BRACE || !this.#isAtLineStart) {
          if (byte === LINE_FEED) this.#isAtLineStart = true;
          else if (byte !== BLANK && byte !== TAB) this.#isAtLineStart = false;
          continue;
        }
        this.#end(chunk.subarray(start, i));
      }
      if (this.#isInString) {
        if (this.#isEscaped) this.#isEscaped = false;
        else if (byte === BACKSLASH) this.#isEscaped = true;
        else if (byte === QUOTE) this.#isInString = false;
        continue;
      }
      if (this.#pieces === null) {
        // Between values: spaces, commas and the brackets of the outermost array.
        if (byte <= 0x20 || byte === COMMA || byte === OPEN_BRACKET || byte === CLOSE_BRACKET) continue;
        this.#pieces = [];
        this.#startLine = this.line + 1;
        start = i;
      }
      if (byte === QUOTE) this.#isInString = true;
      else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) this.#depth++;
      else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) {
        this.#depth--;
        if (this.#depth <= 0) {
          this.#end(chunk.subarray(start, i + 1));
        }
      } else if (this.#depth === 0 && (byte === COMMA || byte === LINE_FEED)) {
        // A number or word on its own.
        this.#end(chunk.subarray(start, i));
      }
    }
    if (this.#pieces !== null) this.#keep(chunk.subarray(start));
  }

  finish(): void {
    if (this.#pieces !== null) this.#end(Buffer.alloc(0));
  }

  /** Of a value that is too long, only the beginning is kept. */
  #keep(piece: Buffer): void {
    this.#size += piece.length;
    if (this.#size <= MAX_VALUE_BYTES || this.#pieces?.length === 0) {
      this.#pieces?.push(Buffer.from(piece));
    } else if (this.#pieces !== null && this.#pieces.length > 1) {
      this.#pieces = [Buffer.concat(this.#pieces).subarray(0, REJECT_TEXT * 4)];
    }
  }

  #end(piece: Buffer): void {
    this.#keep(piece);
    const value = Buffer.concat(this.#pieces ?? []);
    this.#take(this.#size > MAX_VALUE_BYTES ? rejectText(value) : value, this.#startLine);
    this.#pieces = null;
    this.#size = 0;
    this.#depth = 0;
    this.#isInString = false;
    this.#isEscaped = false;
    this.#isLost = false;
    this.#isAtLineStart = false;
  }
}
