// gzip, member by member (RFC 1952). Node's own gunzip takes whatever follows a member for the next one, and loses what
// it had not handed out yet when it is not: here everything in front of foreign bytes comes out, and they are told.
//
//   member   ID1 ID2 CM FLG MTIME(4) XFL OS │ [extra] [name\0] [comment\0] [crc16] │ deflate data │ CRC-32(4) size(4)

import { Readable } from 'node:stream';
import { crc32, createInflateRaw } from 'node:zlib';
import { BrokenSource } from './broken.ts';
import { drain } from './drain.ts';

const FIXED_BYTES = 10;
const TRAILER_BYTES = 8;
const HAS_CRC = 2;
const HAS_EXTRA = 4;
const HAS_NAME = 8;
const HAS_COMMENT = 16;
/** Names and comments that are longer are none. */
const MAX_HEADER_BYTES = 1 << 20;

/** The content of all members. `tell` gets a line where something else follows the last one. */
export async function* gunzip(
  input: AsyncIterable<Buffer>,
  chunkSize: number,
  tell: (note: string) => void,
): AsyncGenerator<Buffer> {
  const source = new ByteSource(input);
  try {
    for (let members = 0; ; members++) {
      const header = await headerBytes(source);
      if (header === null) {
        if (members === 0) throw damaged(source, 'expected a gzip header');
        if ((await source.peek(1)).length === 0) return;
        tell(`the gzip data ends at byte ${source.taken}, and something else follows: not read`);
        return;
      }
      await source.take(header);
      yield* inflateMember(source, chunkSize);
    }
  } finally {
    await source.close();
  }
}

async function* inflateMember(source: ByteSource, chunkSize: number): AsyncGenerator<Buffer> {
  const inflate = createInflateRaw({ chunkSize });
  const feed = new Feed(source, () => inflate.bytesWritten);
  const readable = Readable.from(feed.chunks(), { objectMode: true, highWaterMark: 1 });
  readable.on('error', (error) => inflate.destroy(error));
  readable.pipe(inflate);
  let crc = 0;
  let size = 0;
  try {
    for await (const chunk of drain(inflate)) {
      crc = crc32(chunk, crc);
      size += chunk.length;
      yield chunk;
    }
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'Z_BUF_ERROR') throw brokenOff(source, error);
    if (code?.startsWith('Z') === true) throw damaged(source, message, error);
    throw error;
  } finally {
    readable.destroy();
    inflate.destroy();
  }
  source.giveBack(await feed.leftBehind());
  const trailer = await source.take(TRAILER_BYTES);
  if (trailer.length < TRAILER_BYTES) throw brokenOff(source);
  if (trailer.readUInt32LE(0) !== crc || trailer.readUInt32LE(4) !== size % 2 ** 32) {
    throw damaged(source, 'its checksum does not agree');
  }
}

/** Length of the member's header; null where no header stands there. */
async function headerBytes(source: ByteSource): Promise<number | null> {
  const head = await source.peek(FIXED_BYTES);
  if (head.length < 3 || head[0] !== 0x1f || head[1] !== 0x8b || head[2] !== 8) return null;
  if (head.length < FIXED_BYTES) throw brokenOff(source);
  const flags = head[3]!;
  let length = FIXED_BYTES;
  if (flags & HAS_EXTRA) length += 2 + (await source.peek(length + 2)).readUInt16LE(length);
  for (const flag of [HAS_NAME, HAS_COMMENT]) {
    if (flags & flag) length = await behindZero(source, length);
  }
  if (flags & HAS_CRC) length += 2;
  if ((await source.peek(length)).length < length) throw brokenOff(source);
  return length;
}

async function behindZero(source: ByteSource, from: number): Promise<number> {
  for (let wanted = from + 256; ; wanted *= 2) {
    const bytes = await source.peek(wanted);
    const zero = bytes.indexOf(0, from);
    if (zero >= 0) return zero + 1;
    if (bytes.length < wanted) throw brokenOff(source);
    if (wanted > MAX_HEADER_BYTES) throw damaged(source, 'its header does not end');
  }
}

function brokenOff(source: ByteSource, cause?: unknown): BrokenSource {
  return new BrokenSource(`the gzip data breaks off after ${source.taken} bytes: the file is not complete`, {
    cause,
  });
}

function damaged(source: ByteSource, what: string, cause?: unknown): BrokenSource {
  return new BrokenSource(`the gzip data is damaged near byte ${source.taken}: ${what}`, { cause });
}

/** Bytes that can be looked at, taken, and given back. */
class ByteSource {
  readonly #input: AsyncIterator<Buffer>;
  #front: Buffer[] = [];
  /** Bytes taken and not given back. */
  taken = 0;

  constructor(input: AsyncIterable<Buffer>) {
    this.#input = input[Symbol.asyncIterator]();
  }

  /** The next chunk, however long; null at the end. */
  async next(): Promise<Buffer | null> {
    const chunk = this.#front.shift() ?? (await this.#read());
    if (chunk !== null) this.taken += chunk.length;
    return chunk;
  }

  /** The next `size` bytes, fewer at the end; they stay. */
  async peek(size: number): Promise<Buffer> {
    let waiting = this.#front.reduce((sum, chunk) => sum + chunk.length, 0);
    while (waiting < size) {
      const chunk = await this.#read();
      if (chunk === null) break;
      this.#front.push(chunk);
      waiting += chunk.length;
    }
    if (this.#front.length > 1) this.#front = [Buffer.concat(this.#front)];
    return (this.#front[0] ?? Buffer.alloc(0)).subarray(0, size);
  }

  /** Fewer than `size` at the end. */
  async take(size: number): Promise<Buffer> {
    const bytes = await this.peek(size);
    const whole = this.#front.shift();
    if (whole !== undefined && whole.length > bytes.length) this.#front.unshift(whole.subarray(bytes.length));
    this.taken += bytes.length;
    return bytes;
  }

  giveBack(bytes: Buffer): void {
    if (bytes.length > 0) this.#front.unshift(bytes);
    this.taken -= bytes.length;
  }

  async close(): Promise<void> {
    await this.#input.return?.();
  }

  async #read(): Promise<Buffer | null> {
    const next = await this.#input.next();
    return next.done ? null : next.value;
  }
}

/** What is handed to a decompressor, kept until it has taken it. */
class Feed {
  readonly #source: ByteSource;
  /** How many bytes the decompressor has taken. */
  readonly #used: () => number;
  #kept: Buffer[] = [];
  /** Bytes given to the decompressor and no longer kept. */
  #dropped = 0;
  #reading: Promise<Buffer | null> = Promise.resolve(null);
  #isEnded = false;

  constructor(source: ByteSource, used: () => number) {
    this.#source = source;
    this.#used = used;
  }

  async *chunks(): AsyncGenerator<Buffer> {
    while (!this.#isEnded) {
      this.#reading = this.#source.next();
      const chunk = await this.#reading;
      if (chunk === null) return;
      this.#kept.push(chunk);
      this.#dropUsed();
      yield chunk;
    }
  }

  /** The bytes that were read and not taken, a chunk that is being read at the moment among them. */
  async leftBehind(): Promise<Buffer> {
    this.#isEnded = true;
    // `chunks` waits for the same chunk, and did so first: it has kept it when this goes on.
    await this.#reading;
    return Buffer.concat(this.#kept).subarray(this.#used() - this.#dropped);
  }

  #dropUsed(): void {
    const used = this.#used();
    while (this.#kept.length > 0 && this.#dropped + this.#kept[0]!.length <= used) {
      this.#dropped += this.#kept.shift()!.length;
    }
  }
}
