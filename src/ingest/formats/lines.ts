// Reader of lines: newline-delimited JSON, cut into blocks at line feeds (never at U+2028; a carriage return belongs
// to the line and is white space in JSON). It works on bytes, so characters that cross chunks do not matter.

import {
  BLOCK_BYTES,
  type Block,
  type Ending,
  MAX_VALUE_BYTES,
  REJECT_TEXT,
  type Reject,
  rejectText,
  type SourcePosition,
  START,
  untilError,
} from './block.ts';

const LINE_FEED = 10;

/** Blocks of complete lines from `from` on; `bytes` is still the whole content. */
export async function* readLines(
  bytes: AsyncIterable<Buffer>,
  from: SourcePosition = START,
): AsyncGenerator<Block> {
  const cutter = new LineCutter(from);
  let toSkip = from.offset;
  const ending: Ending = { error: null };
  for await (const chunk of untilError(bytes, ending)) {
    const skipped = Math.min(toSkip, chunk.length);
    toSkip -= skipped;
    if (skipped === chunk.length) continue;
    const block = cutter.add(chunk.subarray(skipped));
    if (block !== null) yield block;
  }
  const last = cutter.finish(ending.error === null);
  if (last !== null) yield last;
  if (ending.error !== null) throw ending.error;
}

/**
 * Collects chunks and cuts after the last line feed once a block is full. Keeps at most MAX_VALUE_BYTES and a chunk.
 */
class LineCutter {
  #pieces: Buffer[] = [];
  #size = 0;
  #offset: number;
  #line: number;
  /** The beginning of the line while inside one that is too long. */
  #tooLong: string | null = null;
  #rejects: Reject[] = [];

  constructor(from: SourcePosition) {
    this.#offset = from.offset;
    this.#line = from.line;
  }

  add(chunk: Buffer): Block | null {
    let rest = chunk;
    if (this.#tooLong !== null) {
      const end = rest.indexOf(LINE_FEED);
      this.#offset += end < 0 ? rest.length : end + 1;
      if (end < 0) return null;
      this.#endTooLong();
      rest = rest.subarray(end + 1);
    }
    this.#pieces.push(rest);
    this.#size += rest.length;
    if (this.#size < BLOCK_BYTES) return null;
    const cut = rest.lastIndexOf(LINE_FEED);
    if (cut >= 0) return this.#cut(this.#size - (rest.length - cut - 1));
    if (this.#size > MAX_VALUE_BYTES) return this.#beginTooLong();
    return null;
  }

  /** The last lines; null if nothing is left. A last line without a line feed counts only if the content `isWhole`. */
  finish(isWhole: boolean): Block | null {
    if (this.#tooLong !== null) this.#endTooLong();
    const all = Buffer.concat(this.#pieces, this.#size);
    const length = isWhole ? all.length : all.lastIndexOf(LINE_FEED) + 1;
    return length > 0 || this.#rejects.length > 0 ? this.#cut(length) : null;
  }

  /** The first `length` bytes collected become a block. */
  #cut(length: number): Block {
    const data = new Uint8Array(length);
    const rest: Buffer[] = [];
    let filled = 0;
    // Each byte is copied once: if most lines do not match, copies and their memory are the main cost.
    for (const piece of this.#pieces) {
      const taken = Math.min(piece.length, length - filled);
      data.set(taken === piece.length ? piece : piece.subarray(0, taken), filled);
      filled += taken;
      if (taken < piece.length) rest.push(Buffer.from(piece.subarray(taken)));
    }
    this.#pieces = rest;
    this.#size -= length;
    const lines = this.#line + 1;
    this.#offset += length;
    this.#line += countLines(data);
    const rejects = this.#rejects;
    this.#rejects = [];
    return { data, lines, rejects, end: { offset: this.#offset, line: this.#line } };
  }

  /** What was collected contains complete lines and the beginning of one that is too long. */
  #beginTooLong(): Block | null {
    const all = Buffer.concat(this.#pieces, this.#size);
    const start = all.lastIndexOf(LINE_FEED) + 1;
    const head = all.subarray(start);
    if (head.length <= MAX_VALUE_BYTES) return this.#cut(start);
    const block = start > 0 ? this.#cut(start) : null;
    this.#tooLong = rejectText(head.subarray(0, REJECT_TEXT * 4));
    this.#offset += this.#size;
    this.#pieces = [];
    this.#size = 0;
    return block;
  }

  #endTooLong(): void {
    this.#line++;
    this.#rejects.push({ line: this.#line, reason: 'too_long', text: this.#tooLong ?? '' });
    this.#tooLong = null;
  }
}

/** Line feeds, plus one for a last line without it. */
function countLines(data: Uint8Array<ArrayBuffer>): number {
  // A Buffer's indexOf is several times as fast as a Uint8Array's.
  const buffer = Buffer.from(data.buffer);
  let lines = 0;
  for (let at = buffer.indexOf(LINE_FEED); at >= 0; at = buffer.indexOf(LINE_FEED, at + 1)) lines++;
  return data.length > 0 && data[data.length - 1] !== LINE_FEED ? lines + 1 : lines;
}
