// The objects of one block: skips lines that cannot match, parses and unwraps the others.

import { type Block, MAX_VALUE_BYTES, type Reject, rejectText } from './formats/block.ts';
import { NOT_JSON, parseJson } from './formats/json.ts';
import { unwrap } from './formats/unwrap.ts';
import type { NormaliseOptions } from './normalise/normalise.ts';
import type { Outcome } from './normalise/outcome.ts';
import type { Selection } from './selection/selection.ts';

export interface BlockLine {
  /** Without its line feed. */
  readonly bytes: Buffer;
  readonly number: number;
  /** Number of the line in the block, from 0; blank lines count. */
  readonly index: number;
}

export interface ObjectTaker {
  /** The line cannot match, whatever it contains. */
  passOver(): void;
  reject(reject: Reject): void;
  /** Takes one object; a line may have several. */
  take(outcome: Outcome, line: BlockLine): void;
}

const LINE_FEED = 10;

/** In the order of the source. `selection` null: every line is read. */
export function takeObjects(
  block: Block,
  options: NormaliseOptions,
  selection: Selection | null,
  taker: ObjectTaker,
): void {
  const data = Buffer.from(block.data.buffer, block.data.byteOffset, block.data.length);
  const lines = selection?.linesOf(data);
  let start = 0;
  for (let index = 0; start < data.length; index++) {
    const found = data.indexOf(LINE_FEED, start);
    const end = found < 0 ? data.length : found;
    const bytes = data.subarray(start, end);
    const mayMatch = lines?.mayMatch(start, end) ?? true;
    start = end + 1;
    if (isBlank(bytes)) continue;
    const number = typeof block.lines === 'number' ? block.lines + index : (block.lines[index] ?? 0);
    if (mayMatch) takeValue({ bytes, number, index }, options, taker);
    else taker.passOver();
  }
}

function takeValue(line: BlockLine, options: NormaliseOptions, taker: ObjectTaker): void {
  const { bytes, number } = line;
  const isTooLong = bytes.length > MAX_VALUE_BYTES;
  const value = isTooLong ? NOT_JSON : parseJson(bytes);
  if (value !== NOT_JSON) unwrap(value, options, (outcome) => taker.take(outcome, line));
  else {
    const reason = isTooLong ? 'too_long' : 'bad_json';
    taker.reject({ line: number, reason, text: rejectText(bytes) });
  }
}

/** Blanks, carriage returns, NULs: what an empty line may hold. */
function isBlank(bytes: Buffer): boolean {
  for (let i = 0; i < bytes.length; i++) {
    if (bytes[i]! > 0x20) return false;
  }
  return true;
}
