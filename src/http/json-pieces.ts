// Large answers as JSON without blocking the event loop: a few records at a time, with room for other
// requests in between.

import { turn } from './turns.ts';

/** How many bytes are made before others have their turn; one record may be longer. */
export const PIECE_BYTES = 262_144;

/** An answer with many records, behind which no other text says `"data":[`. */
interface Listing {
  readonly data: readonly object[];
}

/**
 * Records whose texts have no more UTF-16 units than this together are written at once, which takes half as long as one
 * by one. JSON makes six signs of one at the most, so these are no longer than PIECE_BYTES.
 */
const GROUP_UNITS = 32_768;
const BESIDE_TEXTS = 128;

/** The bytes of `JSON.stringify(envelope)`, in pieces: no text is longer than a record and twice PIECE_BYTES. */
export async function jsonPieces(envelope: Listing): Promise<Buffer[]> {
  const [head, tail] = aroundData(envelope);
  const pieces: Buffer[] = [];
  const { data } = envelope;
  let text = head;
  for (let from = 0; from < data.length; ) {
    const to = endOfGroup(data, from);
    text += (from === 0 ? '' : ',') + JSON.stringify(data.slice(from, to)).slice(1, -1);
    from = to;
    if (text.length < PIECE_BYTES) continue;
    pieces.push(Buffer.from(text));
    text = '';
    await turn();
  }
  pieces.push(Buffer.from(text + tail));
  return pieces;
}

/** What the JSON of an answer has in front of its first record and behind its last one. */
export function aroundData(envelope: Listing): [head: string, tail: string] {
  const text = JSON.stringify({ ...envelope, data: [] });
  const end = text.indexOf(DATA) + DATA.length;
  return [text.slice(0, end), text.slice(end)];
}

const DATA = '"data":[';

/** Where the records end that are written together with the one at `from`, which may be larger than a group. */
function endOfGroup(data: readonly object[], from: number): number {
  let units = unitsOf(data[from]!);
  let to = from + 1;
  for (; to < data.length; to++) {
    units += unitsOf(data[to]!);
    if (units > GROUP_UNITS) break;
  }
  return to;
}

/** Of its texts, and something for what it has besides. */
function unitsOf(record: object): number {
  let units = BESIDE_TEXTS;
  for (const name in record) {
    const value: unknown = record[name as keyof typeof record];
    if (typeof value === 'string') units += value.length;
  }
  return units;
}

/** The bytes of `JSON.stringify(value)`, in pieces, of a value whose lists may be long. */
export function jsonInTurns(value: object): Promise<Buffer[]> {
  return inPieces(partsOf(value));
}

/** The same of a text that comes in parts. */
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

/** Together they are the JSON of the value. What holds no list is one part. */
function* partsOf(value: unknown): Generator<string> {
  if (Array.isArray(value)) {
    yield '[';
    for (const [i, one] of value.entries()) {
      if (i > 0) yield ',';
      yield* partsOf(one);
    }
    yield ']';
  } else if (holdsList(value)) {
    yield '{';
    const fields = Object.entries(value).filter(([, one]) => one !== undefined);
    for (const [i, [name, one]] of fields.entries()) {
      yield `${i > 0 ? ',' : ''}${JSON.stringify(name)}:`;
      yield* partsOf(one);
    }
    yield '}';
  } else yield JSON.stringify(value);
}

/** Whether it is an object with a list somewhere inside. */
function holdsList(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false;
  // Of a million rows, Object.values would make as many lists.
  for (const name in value) {
    const one: unknown = value[name as keyof typeof value];
    if (Array.isArray(one) || holdsList(one)) return true;
  }
  return false;
}
