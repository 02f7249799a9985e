// gzip, member by member (RFC 1952). Node's own gunzip reads any bytes after a member as the next one, and loses its
// pending output if they are none. Here everything before foreign bytes is returned, and they are reported.
//
//   member   ID1 ID2 CM FLG MTIME(4) XFL OS │ [extra] [name\0] [comment\0] [crc16] │ deflate data │ CRC-32(4) size(4)

import { crc32, createInflateRaw, type InflateRaw } from 'node:zlib';
import {
  brokenOff,
  damaged,
  drain,
  foreignBytes,
  HeadedBytes,
  unpackingError,
  type Vouched,
} from './byte-source.ts';

const FIXED_BYTES = 10;
const MAGIC_BYTES = 3;
const TRAILER_BYTES = 8;
const HAS_CRC = 2;
const HAS_EXTRA = 4;
const HAS_NAME = 8;
const HAS_COMMENT = 16;
/** Longer names and comments are not valid. */
const MAX_HEADER_BYTES = 1 << 20;

/**
 * The content of all members, in chunks of at most `chunkSize` bytes. Throws a BrokenSource after the last byte that
 * could be unpacked, also if foreign bytes follow the last member.
 */
export async function* gunzip(
  input: AsyncIterable<Buffer>,
  chunkSize: number,
  vouched: Vouched,
): AsyncGenerator<Buffer> {
  const source = new HeadedBytes(input);
  let unpacked = 0;
  try {
    while (await startsMember(source)) {
      await takeHeader(source);
      for await (const chunk of inflatedMember(source, chunkSize)) {
        unpacked += chunk.length;
        yield chunk;
      }
      vouched.bytes = unpacked;
    }
    if ((await source.peek(1)).length > 0) throw foreignBytes('gzip', source.taken);
  } finally {
    await source.close();
  }
}

async function startsMember(source: HeadedBytes): Promise<boolean> {
  const magic = await source.peek(MAGIC_BYTES);
  return magic.length === MAGIC_BYTES && magic[0] === 0x1f && magic[1] === 0x8b && magic[2] === 8;
}

async function* inflatedMember(source: HeadedBytes, chunkSize: number): AsyncGenerator<Buffer> {
  const inflate = createInflateRaw({ chunkSize });
  const feeding = feed(source, inflate);
  feeding.catch((error) => inflate.destroy(error));
  let crc = 0;
  let size = 0;
  try {
    for await (const chunk of drain(inflate)) {
      crc = crc32(chunk, crc);
      size += chunk.length;
      yield chunk;
    }
    await feeding;
  } catch (error) {
    throw unpackingError('gzip', source.taken, error);
  } finally {
    inflate.destroy();
  }
  const trailer = await source.take(TRAILER_BYTES);
  if (trailer.length < TRAILER_BYTES) throw brokenOff('gzip', source.taken);
  if (trailer.readUInt32LE(0) !== crc || trailer.readUInt32LE(4) !== size % 2 ** 32) {
    throw damaged('gzip', source.taken, 'its checksum differs');
  }
}

/** Chunk by chunk, so that the bytes left over by the decompressor are from the last chunk and can be given back. */
async function feed(source: HeadedBytes, inflate: InflateRaw): Promise<void> {
  const closed = new Promise<void>((resolve) => inflate.once('close', resolve));
  let given = 0;
  while (!inflate.destroyed && !inflate.readableEnded) {
    const chunk = await source.next();
    if (chunk === null) {
      inflate.end();
      return;
    }
    given += chunk.length;
    const written = new Promise<unknown>((resolve) => inflate.write(chunk, resolve));
    await Promise.race([written, closed]);
    const left = given - inflate.bytesWritten;
    if (left > 0) {
      source.giveBack(chunk.subarray(chunk.length - left));
      return;
    }
  }
}

async function takeHeader(source: HeadedBytes): Promise<void> {
  const flags = (await peekWhole(source, FIXED_BYTES)).readUInt8(3);
  let length = FIXED_BYTES;
  if (flags & HAS_EXTRA) length += 2 + (await peekWhole(source, length + 2)).readUInt16LE(length);
  for (const flag of [HAS_NAME, HAS_COMMENT]) if (flags & flag) length = await behindZero(source, length);
  if (flags & HAS_CRC) length += 2;
  await peekWhole(source, length);
  await source.take(length);
}

async function behindZero(source: HeadedBytes, from: number): Promise<number> {
  for (let size = from + 256; size <= MAX_HEADER_BYTES; size *= 2) {
    const bytes = await source.peek(size);
    const zero = bytes.indexOf(0, from);
    if (zero >= 0) return zero + 1;
    if (bytes.length < size) throw brokenOff('gzip', source.taken);
  }
  throw damaged('gzip', source.taken, 'its header does not end');
}

async function peekWhole(source: HeadedBytes, size: number): Promise<Buffer> {
  const bytes = await source.peek(size);
  if (bytes.length < size) throw brokenOff('gzip', source.taken);
  return bytes;
}
