// Writes the dictionary of a segment (dictionary.ts), each list in front of the block that has its key.

import { Buffer } from 'node:buffer';
import { ByteWriter } from '../../packing/bytes.ts';
import { BLOCK_KEYS } from './block-cache.ts';
import type { BlockIndex } from './dictionary.ts';
import { payloadBytes } from './keys.ts';
import { hasPayloads } from './neighbours.ts';
import {
  encodeChunks,
  MAX_INLINE,
  MAX_SPARSE,
  PAYLOAD_MARK,
  writeDeltas,
  writeSparse,
} from './posting-codec.ts';
import type { SegmentWriter } from './segment-writer.ts';

/** Takes keys in order, and writes their lists and blocks into the open section of a segment as they come. */
export class DictionaryWriter {
  readonly #out: SegmentWriter;
  readonly #docs: number;
  readonly #block = new ByteWriter(1 << 14);
  readonly #sparse = new ByteWriter(1 << 14);
  #payloads = new Uint8Array(1 << 14);
  readonly #offsets: number[] = [];
  readonly #keys = new ByteWriter(1 << 12);
  readonly #keyStarts: number[] = [];
  #inBlock = 0;
  #previous: Buffer = Buffer.alloc(512);
  #previousLength = 0;
  #current: Buffer = Buffer.alloc(512);
  #currentLength = 0;

  constructor(out: SegmentWriter, docs: number) {
    this.#out = out;
    this.#docs = docs;
  }

  add(key: string, docs: Uint32Array, from: number, to: number): void {
    this.#current = atLeast(this.#current, key.length * 3);
    this.#currentLength = this.#current.write(key, 0, 'utf8');
    this.addDocs(docs, from, to);
  }

  /** Begins a key in pieces: this ASCII text, then `appendKey`. `addDocs` ends it. */
  beginKey(text: string): void {
    for (let i = 0; i < text.length; i++) this.#current[i] = text.charCodeAt(i);
    this.#currentLength = text.length;
  }

  /** Appends the UTF-8 from `start` to `end`. */
  appendKey(bytes: Uint8Array, start: number, end: number): void {
    const length = this.#currentLength;
    this.#currentLength += end - start;
    if (this.#currentLength > this.#current.length) {
      this.#current = Buffer.concat([this.#current.subarray(0, length)], this.#currentLength * 2);
    }
    const current = this.#current;
    for (let i = start; i < end; i++) current[length + i - start] = bytes[i]!;
  }

  /**
   * Adds the docs of the key: those from `from` to `to`, at least one, ascending. `payloads`: by doc; where the first
   * is 0, or they are absent, the list has none.
   */
  addDocs(docs: Uint32Array, from: number, to: number, payloads?: Uint32Array): void {
    if (this.#inBlock === BLOCK_KEYS) this.#endBlock();
    const length = to - from;
    const width = payloads?.[from] && hasPayloads(length, this.#docs) ? payloadBytes(this.#current[0]!) : 0;
    this.#addKey();
    const bytes = length > MAX_INLINE ? this.#encode(docs, from, to) : null;
    const at = bytes === null ? 0 : this.#out.append(bytes);
    const block = this.#block;
    if (width > 0) {
      block.varint(PAYLOAD_MARK);
      block.varint(this.#appendPayloads(payloads!, from, to, width));
    }
    block.varint(length);
    if (bytes === null) writeDeltas(block, docs, from, to);
    else {
      block.varint(at);
      block.varint(bytes.length);
    }
    this.#inBlock++;
  }

  /** Returns where they begin. */
  #appendPayloads(payloads: Uint32Array, from: number, to: number, width: number): number {
    const { length } = this.#payloads;
    if (length < (to - from) * width)
      this.#payloads = new Uint8Array(Math.max(length, (to - from) * width) * 2);
    const bytes = this.#payloads;
    let at = 0;
    for (let i = from; i < to; i++) {
      const payload = payloads[i]!;
      bytes[at++] = payload;
      if (width === 1) continue;
      bytes[at++] = payload >>> 8;
      bytes[at++] = payload >>> 16;
    }
    return this.#out.append(bytes.subarray(0, at));
  }

  finish(): BlockIndex {
    this.#endBlock();
    this.#keyStarts.push(this.#keys.length);
    return {
      offsets: Float64Array.from(this.#offsets),
      keys: Uint8Array.from(this.#keys.written()),
      keyStarts: Uint32Array.from(this.#keyStarts),
    };
  }

  #encode(docs: Uint32Array, from: number, to: number): Uint8Array {
    if (to - from > MAX_SPARSE) {
      this.#out.align();
      return encodeChunks(docs, from, to, this.#docs);
    }
    this.#sparse.length = 0;
    writeSparse(this.#sparse, docs, from, to, this.#docs);
    return this.#sparse.written();
  }

  #addKey(): void {
    const bytes = this.#current;
    const length = this.#currentLength;
    const previous = this.#previous;
    let shared = 0;
    if (this.#inBlock === 0) {
      this.#keyStarts.push(this.#keys.length);
      this.#keys.raw(bytes, 0, length);
    } else {
      const most = Math.min(length, this.#previousLength);
      while (shared < most && bytes[shared] === previous[shared]) shared++;
    }
    const block = this.#block;
    block.varint(shared);
    block.varint(length - shared);
    block.reserve(length - shared);
    const { bytes: target, length: at } = block;
    for (let i = shared; i < length; i++) target[at + i - shared] = bytes[i]!;
    block.length += length - shared;
    this.#current = previous;
    this.#previous = bytes;
    this.#previousLength = length;
  }

  #endBlock(): void {
    // uncovered: a dictionary has a key, and a block ends with one in it
    if (this.#inBlock === 0) return;
    const offset = this.#out.append(this.#block.written());
    this.#offsets.push(offset, offset + this.#block.length);
    this.#block.length = 0;
    this.#inBlock = 0;
  }
}

function atLeast(bytes: Buffer, length: number): Buffer {
  return bytes.length < length ? Buffer.allocUnsafeSlow(length) : bytes;
}
