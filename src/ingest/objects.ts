// The objects of one block: skips lines that cannot match, parses and unwraps the others, and counts their outcomes.
// An import or a filter gets the selected ones.

import { type Block, MAX_VALUE_BYTES, type Reject, rejectText } from './formats/block.ts';
import { NOT_JSON, parseJson } from './formats/json.ts';
import { unwrap } from './formats/unwrap.ts';
import type { NormaliseOptions } from './normalise/normalise.ts';
import { count, type Outcome, type Rejection, type Skip, type Tally } from './normalise/outcome.ts';
import { isSelected, type Selection } from './selection/selection.ts';

export interface BlockLine {
  /** Without its line feed. */
  readonly bytes: Buffer;
  readonly number: number;
  /** Number of the line in the block, from 0; blank lines count. */
  readonly index: number;
}

export interface BlockTally {
  /** All objects that should be records, with the skipped and rejected ones. */
  read: number;
  readonly skipped: Tally<Skip>;
  readonly rejected: Tally<Rejection>;
  /** At most `rejectsKept`; `rejected` counts all. */
  readonly rejects: Reject[];
}

type Kept = Extract<Outcome, { kind: 'record' | 'community' }>;

interface Taking {
  /** null: every line is read, and everything taken. */
  readonly selection: Selection | null;
  readonly rejectsKept: number;
  /** Gets the selected objects, in the order of the source; a line may contain several. */
  readonly keep: (kept: Kept, line: BlockLine) => void;
}

const LINE_FEED = 10;

export function takeObjects(
  block: Block,
  options: NormaliseOptions,
  { selection, rejectsKept, keep }: Taking,
): BlockTally {
  const tally: BlockTally = { read: 0, skipped: {}, rejected: {}, rejects: [] };
  const passOver = () => {
    tally.read++;
    count(tally.skipped, 'where');
  };
  const reject = (rejected: Reject) => {
    tally.read++;
    count(tally.rejected, rejected.reason);
    if (tally.rejects.length < rejectsKept) tally.rejects.push(rejected);
  };
  const take = (outcome: Outcome, line: BlockLine) => {
    if (outcome.kind === 'rejected')
      return reject({ line: line.number, reason: outcome.reason, text: rejectText(line.bytes) });
    if (!isSelected(outcome, selection)) return passOver();
    tally.read++;
    if (outcome.kind === 'skipped') count(tally.skipped, outcome.reason);
    else keep(outcome, line);
  };
  for (const one of block.rejects) reject(one);
  const data = Buffer.from(block.data.buffer, block.data.byteOffset, block.data.length);
  const test = selection?.testOf(data);
  let start = 0;
  for (let index = 0; start < data.length; index++) {
    const found = data.indexOf(LINE_FEED, start);
    const end = found < 0 ? data.length : found;
    const bytes = data.subarray(start, end);
    const mayMatch = test?.(start, end) ?? true;
    start = end + 1;
    if (isBlank(bytes)) continue;
    const number = typeof block.lines === 'number' ? block.lines + index : (block.lines[index] ?? 0);
    const line = { bytes, number, index };
    const isTooLong = bytes.length > MAX_VALUE_BYTES;
    const value = !mayMatch || isTooLong ? NOT_JSON : parseJson(bytes);
    if (!mayMatch) passOver();
    else if (value !== NOT_JSON) unwrap(value, options, (outcome) => take(outcome, line));
    else reject({ line: number, reason: isTooLong ? 'too_long' : 'bad_json', text: rejectText(bytes) });
  }
  return tally;
}

/** Whether the line has only blanks, carriage returns and NULs. */
function isBlank(bytes: Buffer): boolean {
  for (let i = 0; i < bytes.length; i++) {
    if (bytes[i]! > 0x20) return false;
  }
  return true;
}
