// Large answers as JSON without blocking the event loop: a few records at a time, with room for other
// requests in between.

import type { Community } from '../../model/community.ts';
import type { PrintedPage } from '../../search/search-service.ts';
import { turn } from '../requests/turns.ts';
import { letGo } from './bytes-under-way.ts';

/** How many bytes are made before others have their turn; one record may be longer. */
export const PIECE_BYTES = 262_144;

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
 * Values up to this size are written by one call, which is faster than many. JSON writes six signs for one at most, so
 * that is no more than PIECE_BYTES.
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

/**
 * The answer as JSON with these printed records as `data`, in pieces of at most twice PIECE_BYTES. Copies bytes, and
 * updates communities. Takes the memory of `page.bytes`.
 */
export async function printedPieces(answer: object, page: PrintedPage): Promise<Buffer[]> {
  const [head, tail] = aroundData(answer);
  const pieces: Buffer[] = [];
  let parts: Buffer[] = [Buffer.from(head)];
  let size = parts[0]!.length;
  for (const part of printedParts(page)) {
    if (size >= PIECE_BYTES) {
      pieces.push(Buffer.concat(parts, size));
      parts = [];
      size = 0;
      await turn();
    }
    parts.push(part);
    size += part.length;
  }
  const last = Buffer.from(tail);
  pieces.push(Buffer.concat([...parts, last], size + last.length));
  letGo(page.bytes);
  return pieces;
}

/** What the JSON of an answer has in front of its first record and behind its last one; no other text says DATA. */
function aroundData(answer: object): [head: string, tail: string] {
  const text = JSON.stringify({ ...answer, data: [] });
  const end = text.indexOf(DATA) + DATA.length;
  return [text.slice(0, end), text.slice(end)];
}

const DATA = '"data":[';

/** Each of PIECE_BYTES at the most. */
function* printedParts({ bytes, places, of, communities, known }: PrintedPage): Generator<Buffer> {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const changes = known.map(
    (whole, i) => whole && ([jsonOf(communities[i]!).length, jsonOf(whole)] as const),
  );
  const hasChanges = changes.some((change) => change !== null);
  let from = 0;
  for (let i = 0; hasChanges && i < places.length; i++) {
    const change = changes[of[i]!]!;
    if (change === null) continue;
    const [printed, whole] = change;
    yield* cut(text, from, places[i]!);
    yield whole;
    from = places[i]! + printed;
  }
  yield* cut(text, from, text.length);
}

function jsonOf(community: Community): Buffer {
  return Buffer.from(JSON.stringify(community));
}

function* cut(text: Buffer, from: number, to: number): Generator<Buffer> {
  for (let at = from; at < to; at += PIECE_BYTES) yield text.subarray(at, Math.min(to, at + PIECE_BYTES));
}
