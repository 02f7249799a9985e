// The bytes of a segment, read: written once (segment-writer.ts), never changed. Kept in a file of its own, or in
// memory (small segments live as one value in the manifest).
//
//   "CLQSEG01"   8 bytes
//   sections     records, postings, columns … each begins at a multiple of 8
//   footer       JSON: what the segment is, and offset, length and CRC-32 of each section
//   u32 length of the footer, u32 CRC-32 of the footer, "CLQSEG01"

import { Buffer } from 'node:buffer';
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import type { Kind } from '../../model/record.ts';

/** At the beginning and at the end. */
export const MAGIC = Buffer.from('CLQSEG01', 'latin1');
/** Length of the footer, its checksum, the mark. */
export const TAIL_BYTES = 16;

export const FORMAT_VERSION = 1;

export interface Section {
  readonly offset: number;
  readonly length: number;
  readonly crc: number;
}

/** What a segment is: read first, small. */
export interface Footer {
  readonly version: number;
  readonly kind: Kind;
  readonly docs: number;
  /** Least and greatest id by `compareIds`. */
  readonly firstId: string;
  readonly lastId: string;
  /** Unix seconds of the first and the last record. */
  readonly firstCreated: number;
  readonly lastCreated: number;
  /** Which pairs are indexed (pairs.ts). */
  readonly pairRule: number;
  readonly sections: Readonly<Record<string, Section>>;
}

/** Bytes that can be read anywhere. */
export interface ByteSource {
  readonly size: number;
  /** Fills `target` from `offset` on. Throws where the bytes end before. */
  readInto(
    target: NodeJS.ArrayBufferView<ArrayBuffer | SharedArrayBuffer>,
    offset: number,
    length: number,
  ): void;
}

export class FileSource implements ByteSource {
  readonly fd: number;
  readonly size: number;
  readonly #path: string;

  /** `fd` may have been opened by another thread of the process, which then closes it. */
  constructor(path: string, fd = openSync(path, 'r')) {
    this.fd = fd;
    this.#path = path;
    this.size = fstatSync(fd).size;
  }

  readInto(target: NodeJS.ArrayBufferView, offset: number, length: number): void {
    for (let done = 0; done < length; ) {
      const read = readSync(
        this.fd,
        target as NodeJS.ArrayBufferView<ArrayBuffer>,
        done,
        length - done,
        offset + done,
      );
      if (read === 0)
        throw new Error(
          `segment file \`${this.#path}\` ends at ${offset + done}, expected ${offset + length}`,
        );
      done += read;
    }
  }

  close(): void {
    closeSync(this.fd);
  }
}

export class MemorySource implements ByteSource {
  readonly #bytes: Uint8Array;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get size(): number {
    return this.#bytes.length;
  }

  readInto(target: NodeJS.ArrayBufferView, offset: number, length: number): void {
    if (offset + length > this.size)
      throw new Error(`segment of ${this.size} bytes, expected ${offset + length}`);
    const into = new Uint8Array(target.buffer, target.byteOffset, length);
    into.set(this.#bytes.subarray(offset, offset + length));
  }
}

/** Throws where the bytes are no segment, or one of another version. */
export function readFooter(source: ByteSource, name: string): Footer {
  const broken = (what: string) => new Error(`segment \`${name}\`: expected ${what}; run \`colloquy check\``);
  if (source.size < MAGIC.length + TAIL_BYTES) throw broken('at least 24 bytes');
  const tail = Buffer.alloc(TAIL_BYTES);
  source.readInto(tail, source.size - TAIL_BYTES, TAIL_BYTES);
  if (!tail.subarray(8).equals(MAGIC)) throw broken('the mark of a segment at its end');
  const length = tail.readUInt32LE(0);
  if (length > source.size - TAIL_BYTES) throw broken('a footer inside the file');
  const json = Buffer.alloc(length);
  source.readInto(json, source.size - TAIL_BYTES - length, length);
  if (crc32(json) !== tail.readUInt32LE(4)) throw broken('a footer that fits its checksum');
  const footer = JSON.parse(json.toString()) as Footer;
  if (footer.version !== FORMAT_VERSION) {
    throw broken(`format version ${FORMAT_VERSION}, found ${footer.version} (written by a newer Colloquy?)`);
  }
  return footer;
}
