// The section `chains`: of every record, the rows of three tokens and more in which each two neighbours are an indexed
// pair (pairs.ts), as codes. A phrase of such tokens stands in a record if it stands in its chains.
//
// Nothing is stored of a record in whose rows of two tokens and more no token comes twice: there, pairs that fit
// together stand together. So a record with all pairs of a phrase and no bytes here contains the phrase. Where a token
// comes twice and no row has three, one BETWEEN is stored.
//
//   block      of 64 docs: by doc a varint, how many bytes; then the bytes of each, one after the other
//   starts     u32, where each block begins in the section, and the end of the last
//
// Inside one record, a code stands for one token: who knows from the lists that a record has all pairs of a phrase can
// tell from the codes alone whether they follow each other. So most phrases are settled without a look at the text.
//
//   0          between two chains
//   1          some token without a code
//   2–129      the 128 commonest tokens, each with a code that no other has
//   130–247    others, by hash: level 0
//   248–255    the first of two bytes, the second 0 to 247; by hash: level 1
//
// A token has the code of the first level at which none of the other tokens in the pairs of its record has it. (A
// perfect hash by levels, as in Limasset et al., "Fast and Scalable Minimal Perfect Hashing for Massive Key Sets",
// arXiv 1702.03154, for a set as small as the words of one comment.)

import { Buffer } from 'node:buffer';
import { ByteWriter } from '../../packing/bytes.ts';
import { COMMON_TOKENS, isPair, tokenClass } from './pairs.ts';
import type { ByteSource, Footer } from './segment-file.ts';

export const BETWEEN = 0;
export const UNKNOWN = 1;

const OWN_CODES = 128;
const FIRST_OWN = 2;
const FIRST_HASHED = FIRST_OWN + OWN_CODES;
/** This byte and those above begin a code of two bytes; a second byte is below. */
export const FIRST_LEAD = 248;

/** Codes by hash, by level. */
export const LEVELS = 2;
const LEVEL_CODES = [FIRST_LEAD - FIRST_HASHED, (0x100 - FIRST_LEAD) * FIRST_LEAD] as const;
/** A number of a code at its level is below this. */
export const MAX_LEVEL_CODES: number = Math.max(...LEVEL_CODES);

const OWN_TOKENS: ReadonlyMap<string, number> = new Map(
  [...COMMON_TOKENS].slice(0, OWN_CODES).map((token, place) => [token, FIRST_OWN + place]),
);

/** The code that stands for this token in every record; 0: it has none. */
export function ownCode(token: string): number {
  return OWN_TOKENS.get(token) ?? 0;
}

/** By which a token without a code of its own gets one, 32 bits. */
export function tokenHash(token: string): number {
  const bytes = Buffer.from(token);
  return hashOfBytes(bytes, 0, bytes.length);
}

/** The same of its UTF-8, from `start` to `end`: FNV-1a, mixed by MurmurHash3's finaliser. */
export function hashOfBytes(bytes: Uint8Array, start: number, end: number): number {
  let hash = 0x811c9dc5;
  for (let i = start; i < end; i++) hash = Math.imul(hash ^ bytes[i]!, 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return hash ^ (hash >>> 16);
}

/** The number of the hash among the codes of a level. */
export function numberAt(level: number, hash: number): number {
  if (level === 0) return ((hash & 0xffff) * LEVEL_CODES[0]) >>> 16;
  return ((Math.imul(hash, 0x9e3779b1) >>> 16) * LEVEL_CODES[1]) >>> 16;
}

/** The code of a number at its level: one byte; at level 1 the first byte and, times 256, the second. */
export function codeOf(level: number, number: number): number {
  if (level === 0) return FIRST_HASHED + number;
  return FIRST_LEAD + Math.floor(number / FIRST_LEAD) + ((number % FIRST_LEAD) << 8);
}

export const CHAINS = 'chains';

/** How many tokens a chain has at least: rows of two are settled by the list of their pair. */
export const MIN_CHAIN = 3;

const BLOCK_DOCS = 64;

/** Takes the chains of each doc, in order, and hands on blocks as they are full. */
export class ChainWriter {
  readonly #append: (bytes: Uint8Array) => void;
  readonly #lengths = new ByteWriter(BLOCK_DOCS * 2);
  readonly #bytes = new ByteWriter(1 << 13);
  readonly #starts: number[] = [0];
  #end = 0;
  #inBlock = 0;

  /** `append` takes bytes of the section that are valid until it returns. */
  constructor(append: (bytes: Uint8Array) => void) {
    this.#append = append;
  }

  /** The chains of the next doc: the bytes from `start` to `end`. */
  add(bytes: Uint8Array, start: number, end: number): void {
    this.#lengths.varint(end - start);
    this.#bytes.raw(bytes, start, end);
    if (++this.#inBlock === BLOCK_DOCS) this.#endBlock();
  }

  /** Call it once, behind the last doc. */
  finish(): void {
    if (this.#inBlock > 0) this.#endBlock();
    this.#hand(Buffer.alloc(-this.#end & 3));
    this.#hand(new Uint8Array(Uint32Array.from(this.#starts).buffer));
  }

  #endBlock(): void {
    this.#hand(this.#lengths.written());
    this.#hand(this.#bytes.written());
    this.#starts.push(this.#end);
    this.#lengths.length = 0;
    this.#bytes.length = 0;
    this.#inBlock = 0;
  }

  #hand(bytes: Uint8Array): void {
    this.#append(bytes);
    this.#end += bytes.length;
  }
}

export interface ChainIndex {
  /** Of the section in the file. */
  readonly offset: number;
  /** By block: where it begins in the section; then the end of the last. */
  readonly starts: Uint32Array;
}

/** Throws a StorageError where they cannot be read. */
export function readChainIndex(source: ByteSource, { docs, sections }: Footer): ChainIndex {
  const section = sections[CHAINS]!;
  const numbers = new Uint32Array(Math.ceil(docs / BLOCK_DOCS) + 1);
  source.readInto(numbers, section.offset + section.length - numbers.byteLength, numbers.byteLength);
  return { offset: section.offset, starts: numbers };
}

/** Bytes that are read at once where docs lie close together. */
export const WINDOW_BYTES = 1 << 16;
/** Reading one block takes as long as copying those of this many docs in between. */
const NEAR_DOCS = 400;

export class ChainReader {
  readonly #source: ByteSource;
  readonly #index: ChainIndex;
  readonly #docs: number;
  readonly #room: Buffer;
  /** How many bytes are read at once, if that is more than a block. */
  readonly #reach: number;
  #firstBlock = 0;
  #endBlock = 0;
  #openBlock = -1;
  /** The doc of the open block that was found last, and where the length of the next one is. */
  #inBlock = 0;
  #lengthAt = 0;
  /** Holds the chains that were found last, from `start` to `end`. */
  bytes: Buffer;
  start = 0;
  end = 0;

  /**
   * `room`: WINDOW_BYTES, exclusive to this reader. `gap`: docs between two that are asked for, on average; 1: all are.
   */
  constructor(source: ByteSource, index: ChainIndex, docs: number, room: Buffer, gap: number) {
    this.#source = source;
    this.#index = index;
    this.#docs = docs;
    this.#room = room;
    this.#reach = gap < NEAR_DOCS ? WINDOW_BYTES : 0;
    this.bytes = room;
  }

  /**
   * Sets `bytes`, `start` and `end`, valid until the next call, for a later doc than the last. Throws a SegmentDamage.
   */
  find(doc: number): void {
    const block = Math.floor(doc / BLOCK_DOCS);
    if (block !== this.#openBlock) this.#open(block);
    const { bytes } = this;
    let at = this.#lengthAt;
    let start = this.end;
    for (let left = doc - block * BLOCK_DOCS - this.#inBlock; ; left--) {
      let length = bytes[at++]!;
      if (length >= 0x80) {
        length &= 0x7f;
        for (let shift = 7; ; shift += 7) {
          const byte = bytes[at++]!;
          length |= (byte & 0x7f) << shift;
          if (byte < 0x80) break;
        }
      }
      if (left === 0) {
        this.start = start;
        this.end = start + length;
        break;
      }
      start += length;
    }
    this.#lengthAt = at;
    this.#inBlock = doc - block * BLOCK_DOCS + 1;
  }

  #open(block: number): void {
    if (block < this.#firstBlock || block >= this.#endBlock) this.#read(block);
    const { bytes } = this;
    let at = this.#index.starts[block]! - this.#index.starts[this.#firstBlock]!;
    this.#lengthAt = at;
    for (let left = Math.min(BLOCK_DOCS, this.#docs - block * BLOCK_DOCS); left > 0; at++) {
      if (bytes[at]! < 0x80) left--;
    }
    this.end = at;
    this.#inBlock = 0;
    this.#openBlock = block;
  }

  #read(block: number): void {
    const { offset, starts } = this.#index;
    const from = starts[block]!;
    let end = block + 1;
    while (end < starts.length - 1 && starts[end + 1]! - from <= this.#reach) end++;
    const length = starts[end]! - from;
    // One block of long texts may have more bytes.
    this.bytes = length <= this.#room.length ? this.#room : Buffer.allocUnsafeSlow(length);
    this.#source.readInto(this.bytes, offset + from, length);
    this.#firstBlock = block;
    this.#endBlock = end;
  }
}

/**
 * The chains of a record, found the plain way; `check` compares what is stored with them. `texts`: the tokens of each
 * searched text, in order.
 */
export function recordChains(texts: readonly (readonly string[])[]): Uint8Array {
  const rows = texts.flatMap(rowsOf).filter((row) => row.length > 1);
  const codes = codesOf(new Set(rows.flat()));
  const held = rows.flat().map((token) => codes.get(token)!);
  if (new Set(held).size === held.length && !held.includes(UNKNOWN)) return new Uint8Array(0);
  const chains = rows.filter((row) => row.length >= MIN_CHAIN);
  if (chains.length === 0) return Uint8Array.of(BETWEEN);
  const bytes = chains.flatMap((row, i) => [
    ...(i === 0 ? [] : [BETWEEN]),
    ...row.flatMap((token) => bytesOf(codes.get(token)!)),
  ]);
  return Uint8Array.from(bytes);
}

/** Cut wherever two neighbours are no pair. */
function rowsOf(text: readonly string[]): string[][] {
  const rows: string[][] = [];
  for (const [i, token] of text.entries()) {
    const isNext = i > 0 && isPair(tokenClass(text[i - 1]!), tokenClass(token));
    if (isNext) rows.at(-1)!.push(token);
    else rows.push([token]);
  }
  return rows;
}

function codesOf(tokens: ReadonlySet<string>): Map<string, number> {
  const hashed = [...tokens].filter((token) => ownCode(token) === 0);
  const numbers = Array.from({ length: LEVELS }, (_, level) =>
    hashed.map((token) => numberAt(level, tokenHash(token))),
  );
  const codes = new Map([...tokens].map((token) => [token, ownCode(token)]));
  for (const [i, token] of hashed.entries()) {
    const level = numbers.findIndex((some) => some.indexOf(some[i]!) === some.lastIndexOf(some[i]!));
    codes.set(token, level < 0 ? UNKNOWN : codeOf(level, numbers[level]![i]!));
  }
  return codes;
}

function bytesOf(code: number): number[] {
  return (code & 0xff) >= FIRST_LEAD ? [code & 0xff, code >>> 8] : [code];
}
