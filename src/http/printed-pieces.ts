// A page of the API of records that came as text: bytes are copied, and communities of which more is known than their
// records say are put in.

import type { Community } from '../model/community.ts';
import type { Envelope, PrintedPage } from '../search/search-service.ts';
import { letGo } from './bytes-under-way.ts';
import { aroundData, PIECE_BYTES } from './json-pieces.ts';
import { turn } from './turns.ts';

/**
 * The bytes of the JSON of the envelope with these records, in pieces: none has more than twice PIECE_BYTES of records.
 * Takes the memory of `page.bytes`.
 */
export async function printedPieces(envelope: Envelope, page: PrintedPage): Promise<Buffer[]> {
  const [head, tail] = aroundData(envelope);
  const pieces: Buffer[] = [];
  let parts: Buffer[] = [Buffer.from(head)];
  let size = parts[0]!.length;
  for (const part of partsOf(page)) {
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

/** Each of PIECE_BYTES at the most. */
function* partsOf({ bytes, places, of, communities, known }: PrintedPage): Generator<Buffer> {
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
