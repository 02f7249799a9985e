// Writes, reads and hashes bytes: variable-length whole numbers, texts, raw bytes.

import { Buffer } from 'node:buffer';

type Numbers = Uint8Array | Uint16Array | Uint32Array | Int32Array | Float64Array;

/** The same numbers in twice the room, and in room for `least`. */
export function grown<T extends Numbers>(numbers: T, least = 0): T {
  const length = Math.max(numbers.length * 2, least);
  const larger = new (numbers.constructor as new (length: number) => T)(length);
  larger.set(numbers as never);
  return larger;
}

/** A buffer that grows. Numbers are whole, 0 to 2^53 − 1. */
export class ByteWriter {
  bytes: Buffer;
  length = 0;

  constructor(capacity = 256) {
    this.bytes = Buffer.allocUnsafeSlow(capacity);
  }

  /** Seven bits a byte, low bits first, the high bit set on all but the last byte (LEB128). */
  varint(value: number): void {
    this.reserve(8);
    let rest = value;
    let at = this.length;
    while (rest > 0x7f) {
      this.bytes[at++] = (rest % 128) | 0x80;
      rest = rest > 0x7fffffff ? Math.floor(rest / 128) : rest >>> 7;
    }
    this.bytes[at++] = rest;
    this.length = at;
  }

  byte(value: number): void {
    this.reserve(1);
    this.bytes[this.length++] = value;
  }

  float64(value: number): void {
    this.reserve(8);
    this.length = this.bytes.writeDoubleLE(value, this.length);
  }

  /** UTF-8, with its length in bytes in front. */
  text(text: string): void {
    const most = text.length * 3;
    this.reserve(most + 10);
    // The length comes first: one byte is reserved for it, more only if the text needs more.
    const lengthBytes = text.length < 128 ? 1 : varintBytes(text.length);
    const start = this.length + lengthBytes;
    const written = this.bytes.write(text, start, 'utf8');
    if (varintBytes(written) !== lengthBytes) {
      this.bytes.copyWithin(this.length + varintBytes(written), start, start + written);
    }
    this.varint(written);
    this.length += written;
  }

  raw(bytes: Uint8Array, start = 0, end = bytes.length): void {
    this.reserve(end - start);
    this.bytes.set(start === 0 && end === bytes.length ? bytes : bytes.subarray(start, end), this.length);
    this.length += end - start;
  }

  /** What has been written; valid until the next write. */
  written(): Buffer {
    return this.bytes.subarray(0, this.length);
  }

  /** Makes room for this many more bytes. */
  reserve(more: number): void {
    if (this.length + more <= this.bytes.length) return;
    const grown = Buffer.allocUnsafeSlow(Math.max(this.bytes.length * 2, this.length + more));
    this.bytes.copy(grown, 0, 0, this.length);
    this.bytes = grown;
  }
}

export function varintBytes(value: number): number {
  let bytes = 1;
  for (let rest = value; rest > 0x7f; rest = Math.floor(rest / 128)) bytes++;
  return bytes;
}

/** Reads what ByteWriter wrote, in the same order. */
export class ByteReader {
  bytes: Buffer;
  at: number;

  constructor(bytes: Uint8Array, at = 0) {
    this.bytes = Buffer.isBuffer(bytes)
      ? bytes
      : Buffer.from(bytes.buffer as ArrayBuffer, bytes.byteOffset, bytes.byteLength);
    this.at = at;
  }

  varint(): number {
    const { bytes } = this;
    let byte = bytes[this.at++]!;
    if (byte < 0x80) return byte;
    let value = byte & 0x7f;
    let scale = 128;
    do {
      byte = bytes[this.at++]!;
      value += (byte & 0x7f) * scale;
      scale *= 128;
    } while (byte >= 0x80);
    return value;
  }

  byte(): number {
    return this.bytes[this.at++]!;
  }

  float64(): number {
    this.at += 8;
    return this.bytes.readDoubleLE(this.at - 8);
  }

  text(): string {
    const length = this.varint();
    this.at += length;
    const start = this.at - length;
    return shortText(this.bytes, start, length) ?? this.bytes.toString('utf8', start, this.at);
  }

  skipText(): void {
    const length = this.varint();
    this.at += length;
  }

  get atEnd(): boolean {
    return this.at >= this.bytes.length;
  }
}

/**
 * null: it is no ASCII, or not as long as ids are. A page of records has a hundred ids, and each took five times as
 * long by `toString`.
 */
function shortText(bytes: Buffer, at: number, length: number): string | null {
  if (length < 4 || length > 8) return null;
  let all = 0;
  for (let i = at; i < at + length; i++) all |= bytes[i]!;
  if (all >= 0x80) return null;
  const [a, b, c, d] = [bytes[at]!, bytes[at + 1]!, bytes[at + 2]!, bytes[at + 3]!];
  if (length === 4) return String.fromCharCode(a, b, c, d);
  const e = bytes[at + 4]!;
  if (length === 5) return String.fromCharCode(a, b, c, d, e);
  const f = bytes[at + 5]!;
  if (length === 6) return String.fromCharCode(a, b, c, d, e, f);
  const g = bytes[at + 6]!;
  if (length === 7) return String.fromCharCode(a, b, c, d, e, f, g);
  return String.fromCharCode(a, b, c, d, e, f, g, bytes[at + 7]!);
}

/** FNV-1a of Fowler, Noll and Vo, with 32 bits. */
const OFFSET_BASIS = 0x811c9dc5;
const PRIME = 0x01000193;

/** A hash of these bytes. High bits are mixed into the lowest ones, which choose the slot. */
export function byteHash(bytes: Uint8Array, start: number, end: number): number {
  let hash = OFFSET_BASIS | 0;
  for (let at = start; at < end; at++) hash = Math.imul(hash ^ bytes[at]!, PRIME);
  return hash ^ (hash >>> 15);
}
