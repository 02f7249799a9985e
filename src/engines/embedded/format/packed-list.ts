// A posting list of more docs than stand in the dictionary, packed by Elias and Fano (Vigna, "Quasi-Succinct Indices",
// WSDM 2013): two to three bits for each doc, and the logarithm of how many docs of the segment there are for each.
//
//   low    of each docId the lowest bits, as many as `lowBits` says, one after the other, up to a whole byte
//   high   of the docId numbered i (from 0), whose other bits are h: bit i + h is set, up to a whole byte
//
// Bits are numbered from the lowest of the first byte up. How long a list is follows from how many docs it and its
// segment have. At least 17 docs: the high part then has 33 bits, so that words may be read at the end of the low one.

/** Of each docId, in a segment of `docs`: 15 at the most. */
function lowBits(count: number, docs: number): number {
  return 31 - Math.clz32(docs / count);
}

/** Where the high part begins. */
function lowBytes(count: number, docs: number): number {
  return (count * lowBits(count, docs) + 7) >>> 3;
}

/** Bytes of a list with `count` docs of a segment's `docs`. */
export function packedBytes(count: number, docs: number): number {
  const high = count + ((docs - 1) >>> lowBits(count, docs));
  return lowBytes(count, docs) + ((high + 7) >>> 3);
}

/** Writes the docs from `from` to `to`, which go up, at `at`: as many bytes as `packedBytes` says. */
export function pack(
  into: Uint8Array,
  at: number,
  docs: Uint32Array,
  from: number,
  to: number,
  segmentDocs: number,
): void {
  const count = to - from;
  const bits = lowBits(count, segmentDocs);
  const mask = (1 << bits) - 1;
  into[at] = 0;
  for (let i = from, lowAt = at * 8; i < to; i++, lowAt += bits) {
    const low = (docs[i]! & mask) << (lowAt & 7);
    const byte = lowAt >>> 3;
    into[byte]! |= low;
    into[byte + 1] = low >>> 8;
    into[byte + 2] = low >>> 16;
  }
  const high = at + lowBytes(count, segmentDocs);
  const end = at + packedBytes(count, segmentDocs);
  for (let byte = high; byte < end; byte++) into[byte] = 0;
  for (let i = 0; i < count; i++) {
    const set = i + (docs[from + i]! >>> bits);
    into[high + (set >>> 3)]! |= 1 << (set & 7);
  }
}

/** Reads `count` docs of a segment's `docs`, written at `at`. */
export function unpack(bytes: Uint8Array, at: number, count: number, docs: number, into: Uint32Array): void {
  const view = viewOf(bytes.buffer);
  const start = bytes.byteOffset + at;
  const bits = lowBits(count, docs);
  const mask = (1 << bits) - 1;
  const end = start + packedBytes(count, docs);
  let lowAt = start * 8;
  let i = 0;
  for (let next = start + lowBytes(count, docs), last = 31; next < end; next += 4, last += 32) {
    for (let word = wordAt(view, next, end); word !== 0; word &= word - 1) {
      const low = (view.getInt32(lowAt >>> 3, true) >>> (lowAt & 7)) & mask;
      lowAt += bits;
      into[i] = ((last - Math.clz32(word & -word) - i) << bits) | low;
      i++;
    }
  }
}

/** Sets their bits: the loop of `unpack` again, a quarter faster than reading and setting one after the other. */
export function addPacked(
  bytes: Uint8Array,
  at: number,
  count: number,
  docs: number,
  words: Uint32Array,
): void {
  const view = viewOf(bytes.buffer);
  const start = bytes.byteOffset + at;
  const bits = lowBits(count, docs);
  const mask = (1 << bits) - 1;
  const end = start + packedBytes(count, docs);
  let lowAt = start * 8;
  for (let next = start + lowBytes(count, docs), last = 31; next < end; next += 4, last += 32) {
    for (let word = wordAt(view, next, end); word !== 0; word &= word - 1) {
      const low = (view.getInt32(lowAt >>> 3, true) >>> (lowAt & 7)) & mask;
      lowAt += bits;
      const doc = ((last - Math.clz32(word & -word)) << bits) | low;
      last--;
      words[doc >>> 5] = words[doc >>> 5]! | (1 << (doc & 31));
    }
  }
}

/** Of what was read last: lists come from a few buffers, and making a view takes as long as reading 30 docs. */
let lastView: DataView = new DataView(new ArrayBuffer(0));

function viewOf(buffer: ArrayBufferLike): DataView {
  if (lastView.buffer !== buffer) lastView = new DataView(buffer);
  return lastView;
}

/** 32 bits from `at` on; those from `end` on are 0. */
function wordAt(view: DataView, at: number, end: number): number {
  if (at + 4 <= end) return view.getInt32(at, true);
  let word = 0;
  for (let i = at; i < end; i++) word |= view.getUint8(i) << ((i - at) * 8);
  return word;
}
