// zstd, frame by frame (RFC 8878, section 3.1), so that it is known how far checksums vouch for what was unpacked.
//
//   frame   magic(4) │ descriptor(1) [window(1)] [dictionary(0–4)] [size(0–8)] │ blocks │ [checksum(4)]
//   block   header(3): last(1 bit) kind(2 bits) size(21 bits) │ data

import { Readable } from 'node:stream';
import { constants, createZstdDecompress } from 'node:zlib';
import { brokenOff, drain, foreignBytes, HeadedBytes, unpackingError, type Vouched } from './byte-source.ts';

const MAGIC = 0xfd2fb528;
const MAGIC_BYTES = 4;
const HEAD_BYTES = 5;
const BLOCK_HEADER_BYTES = 3;
const SKIPPABLE_MAGIC = 0x184d2a50;
/** Dumps are written with a window of 2^31 bytes; zstd refuses more than 2^27 unless told. */
const WINDOW_LOG_MAX = 31;
const DICTIONARY_BYTES = [0, 1, 2, 4];
const SIZE_BYTES = [0, 2, 4, 8];
const CHECKSUM_BYTES = 4;
/** A block of one repeated byte stores only that byte. */
const REPEATED = 1;
/** Blocks are handed on in pieces of about this size. */
const PIECE_BYTES = 256 * 1024;

/** True also for the magic numbers of skippable frames. */
export function startsFrame(head: Buffer): boolean {
  return head.length >= MAGIC_BYTES && (head.readUInt32LE(0) === MAGIC || isSkippable(head));
}

function isSkippable(head: Buffer): boolean {
  return (head.readUInt32LE(0) & 0xfffffff0) >>> 0 === SKIPPABLE_MAGIC;
}

/**
 * The content of all frames, in chunks of at most `chunkSize` bytes. A frame without a checksum, and everything after
 * it, counts as confirmed only when all frames have been read. Throws a BrokenSource after the last byte that could be
 * unpacked.
 */
export async function* unzstd(
  input: AsyncIterable<Buffer>,
  chunkSize: number,
  vouched: Vouched,
): AsyncGenerator<Buffer> {
  const source = new HeadedBytes(input);
  let unpacked = 0;
  let haveChecksums = true;
  try {
    for (let head = await source.peek(HEAD_BYTES); startsFrame(head); head = await source.peek(HEAD_BYTES)) {
      if (isSkippable(head)) {
        await skipFrame(source);
        continue;
      }
      for await (const chunk of unpackedFrame(source, chunkSize)) {
        unpacked += chunk.length;
        yield chunk;
      }
      haveChecksums &&= hasChecksum(head);
      if (haveChecksums) vouched.bytes = unpacked;
    }
    if ((await source.peek(1)).length > 0) {
      vouched.bytes = unpacked;
      throw foreignBytes('zstd', source.taken);
    }
  } finally {
    await source.close();
  }
}

async function* unpackedFrame(source: HeadedBytes, chunkSize: number): AsyncGenerator<Buffer> {
  const decompress = createZstdDecompress({
    chunkSize,
    params: { [constants.ZSTD_d_windowLogMax]: WINDOW_LOG_MAX },
  });
  const frame = Readable.from(packedFrame(source), { objectMode: true, highWaterMark: 1 });
  frame.on('error', (error) => decompress.destroy(error));
  frame.pipe(decompress);
  try {
    yield* drain(decompress);
  } catch (error) {
    throw unpackingError('zstd', source.taken, error);
  } finally {
    frame.destroy();
    decompress.destroy();
  }
}

/** The bytes of the next frame, in pieces; the decompressor checks them. */
async function* packedFrame(source: HeadedBytes): AsyncGenerator<Buffer> {
  const head = await source.peek(HEAD_BYTES);
  let pieces = [await source.take(headerBytes(head))];
  let size = 0;
  for (let isLast = false; !isLast; ) {
    const header = await source.take(BLOCK_HEADER_BYTES);
    const block = header.length < BLOCK_HEADER_BYTES ? 0 : header.readUIntLE(0, BLOCK_HEADER_BYTES);
    isLast = (block & 1) === 1;
    const repeats = ((block >> 1) & 3) === REPEATED;
    const bytes = (repeats ? 1 : block >> 3) + (isLast && hasChecksum(head) ? CHECKSUM_BYTES : 0);
    const data = await source.take(bytes);
    pieces.push(header, data);
    size += data.length;
    const isCut = header.length < BLOCK_HEADER_BYTES || data.length < bytes;
    if (size >= PIECE_BYTES || isLast || isCut) {
      yield Buffer.concat(pieces);
      pieces = [];
      size = 0;
    }
    if (isCut) throw brokenOff('zstd', source.taken);
  }
}

function headerBytes(head: Buffer): number {
  const descriptor = head[MAGIC_BYTES] ?? 0;
  const isSingle = (descriptor & 0x20) !== 0;
  const sizeBytes = SIZE_BYTES[descriptor >> 6]! || (isSingle ? 1 : 0);
  return HEAD_BYTES + (isSingle ? 0 : 1) + DICTIONARY_BYTES[descriptor & 3]! + sizeBytes;
}

function hasChecksum(head: Buffer): boolean {
  return ((head[MAGIC_BYTES] ?? 0) & 4) !== 0;
}

async function skipFrame(source: HeadedBytes): Promise<void> {
  const header = await source.take(2 * MAGIC_BYTES);
  let left = header.length < 2 * MAGIC_BYTES ? 1 : header.readUInt32LE(MAGIC_BYTES);
  while (left > 0) {
    const skipped = await source.take(Math.min(left, PIECE_BYTES));
    if (skipped.length === 0) throw brokenOff('zstd', source.taken);
    left -= skipped.length;
  }
}
