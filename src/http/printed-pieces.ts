// A page of the API of records that came as text: their communities are put in, and bytes are copied.

import { GAP_BYTES } from '../model/printed-records.ts';
import type { Envelope, PrintedPage } from '../search/search-service.ts';
import { letGo } from './bytes-under-way.ts';
import { aroundData, PIECE_BYTES } from './json-pieces.ts';
import { turn } from './turns.ts';

/**
 * The bytes of the JSON of the envelope with these records, in pieces: none is longer than two records and PIECE_BYTES.
 * Takes the memory of `page.bytes`.
 */
export async function printedPieces(envelope: Envelope, page: PrintedPage): Promise<Buffer[]> {
  const { gaps, of, bytes } = page;
  const [head, tail] = aroundData(envelope).map((text) => Buffer.from(text)) as [Buffer, Buffer];
  const communities = page.communities.map((community) => Buffer.from(JSON.stringify(community)));
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const pieces: Buffer[] = [];
  let first = 0;
  let from = 0;
  do {
    // Behind some gap, or to the end of all.
    const isFirst = first === 0;
    let size = isFirst ? head.length : 0;
    let next = first;
    let to = from;
    while (next < gaps.length && (next === first || size < PIECE_BYTES)) {
      size += gaps[next]! - to + communities[of[next]!]!.length;
      to = gaps[next++]! + GAP_BYTES;
    }
    const isLast = next === gaps.length;
    if (isLast) size += text.length - to + tail.length;
    const piece = Buffer.allocUnsafeSlow(size);
    let at = isFirst ? head.copy(piece) : 0;
    for (; first < next; first++) {
      at += text.copy(piece, at, from, gaps[first]!);
      at += communities[of[first]!]!.copy(piece, at);
      from = gaps[first]! + GAP_BYTES;
    }
    if (isLast) tail.copy(piece, at + text.copy(piece, at, from));
    pieces.push(piece);
    if (!isLast) await turn();
  } while (first < gaps.length);
  letGo(bytes);
  return pieces;
}
