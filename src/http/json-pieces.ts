// Large answers as JSON without blocking the event loop: a few records at a time, with room for other
// requests in between.

import { turn } from './turns.ts';

/** How many bytes are made before others have their turn; one record may be longer. */
export const PIECE_BYTES = 262_144;

/** An answer with many records, behind which no other text says `"data":[`. */
interface Listing {
  readonly data: readonly object[];
}

/** What the JSON of an answer has in front of its first record and behind its last one. */
export function aroundData(envelope: Listing): [head: string, tail: string] {
  const text = JSON.stringify({ ...envelope, data: [] });
  const end = text.indexOf(DATA) + DATA.length;
  return [text.slice(0, end), text.slice(end)];
}

const DATA = '"data":[';

/** The bytes of `JSON.stringify(value)`, in pieces: no text is longer than one in the value and twice PIECE_BYTES. */
export function jsonPieces(value: object): Promise<Buffer[]> {
  return inPieces(partsOf(value));
}

/** The same of a text that comes in parts, each of some milliseconds of work at the most. */
export async function inPieces(parts: Iterable<string>): Promise<Buffer[]> {
  const pieces: Buffer[] = [];
  let text = '';
  for (const part of parts) {
    text += part;
    if (text.length < PIECE_BYTES) continue;
    pieces.push(Buffer.from(text));
    text = '';
    await turn();
  }
  pieces.push(Buffer.from(text));
  return pieces;
}

/**
 * What has no more than this together is written at once: one call for many rows takes a fraction of the time of a call
 * for each. JSON makes six signs of one at the most, so what is written at once is no longer than PIECE_BYTES.
 */
const GROUP_UNITS = 32_768;
/** Of a number, a brace or a comma in place of the signs of a text. */
const BESIDE_TEXTS = 8;

/** Together they are the JSON of the value. */
function* partsOf(value: unknown): Generator<string> {
  if (typeof value !== 'object' || value === null || unitsOf(value, GROUP_UNITS) <= GROUP_UNITS) {
    yield JSON.stringify(value);
  } else if (Array.isArray(value)) {
    let separator = '[';
    for (let from = 0; from < value.length; ) {
      const to = endOfGroup(value, from);
      yield separator;
      if (to > from) yield JSON.stringify(value.slice(from, to)).slice(1, -1);
      else yield* partsOf(value[from]);
      separator = ',';
      from = Math.max(to, from + 1);
    }
    yield ']';
  } else {
    let separator = '{';
    for (const [name, one] of Object.entries(value)) {
      if (one === undefined) continue;
      yield `${separator}${JSON.stringify(name)}:`;
      yield* partsOf(one);
      separator = ',';
    }
    yield '}';
  }
}

/** Where those end that are written together from this one on; `from` itself where that is larger than a group. */
function endOfGroup(list: readonly unknown[], from: number): number {
  let left = GROUP_UNITS;
  let to = from;
  for (; to < list.length; to++) {
    left -= unitsOf(list[to], left);
    if (left < 0) break;
  }
  return to;
}

/** UTF-16 units of its texts and names, and something for all else; any number above `limit` for more than that. */
function unitsOf(value: unknown, limit: number): number {
  if (typeof value === 'string') return value.length + BESIDE_TEXTS;
  let units = BESIDE_TEXTS;
  if (Array.isArray(value)) {
    for (const one of value) {
      units += unitsOf(one, limit - units);
      if (units > limit) break;
    }
  } else if (typeof value === 'object' && value !== null) {
    // Of a million rows, Object.values would make as many lists.
    for (const name in value) {
      units += name.length + unitsOf(value[name as keyof typeof value], limit - units);
      if (units > limit) break;
    }
  }
  return units;
}
