// How a column is written: a number for each docId, in chunks of 65,536, each with the coding that takes least. The
// numbers of a chunk are differences to its base or to their neighbours in as few bytes as most of them need; those
// that need more are exceptions (patched frame of reference: Zukowski, Héman, Nes and Boncz, "Super-Scalar RAM-CPU
// Cache Compression", ICDE 2006).
//
//   section    u32 how many numbers, u8 signed (1) or not (0), u8 bytes that each of them fits into (2 or 4), u16 0,
//              12 bytes for each chunk, then the data of the chunks
//   of chunk   u32 where its data begin in the section, u32 base, u16 number of exceptions, u8 coding, u8 width
//   data       for each number `width` bytes (0, 1, 2 or 4), up to a multiple of 4;
//              u32 for each exception what its number cannot say; u16 for each the place of its number in the chunk,
//              up to a multiple of 4
//   coding     0 plain: number − base, modulo 2^32
//              1 ascending: number − the one before; the first is the base

import { CHUNK_DOCS } from '../sets/chunk.ts';

const HEADER_BYTES = 8;
const ENTRY_BYTES = 12;

export type WideNumbers = Uint32Array | Int32Array;

export type ColumnNumbers = Uint16Array | Int16Array | WideNumbers;

export interface ColumnIndex {
  readonly count: number;
  readonly isSigned: boolean;
  /** Each number fits into 16 bits. */
  readonly isNarrow: boolean;
  readonly chunks: readonly ColumnChunk[];
}

export interface ColumnChunk extends Coding {
  readonly count: number;
  readonly offset: number;
  readonly length: number;
}

export function encodeColumn(numbers: WideNumbers): Uint8Array {
  const chunks = chunksOf(numbers);
  const codings = chunks.map(codingOf);
  const head = indexBytes(numbers.length);
  const length = codings.reduce((sum, coding, i) => sum + dataBytes(chunks[i]!.length, coding), head);
  const bytes = new Uint8Array(length);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, numbers.length, true);
  bytes[4] = numbers instanceof Int32Array ? 1 : 0;
  bytes[5] = fitsNarrow(numbers) ? 2 : 4;
  let offset = head;
  for (const [i, coding] of codings.entries()) {
    const at = HEADER_BYTES + i * ENTRY_BYTES;
    view.setUint32(at, offset, true);
    view.setUint32(at + 4, coding.base, true);
    view.setUint16(at + 8, coding.exceptions, true);
    bytes[at + 10] = coding.isAscending ? 1 : 0;
    bytes[at + 11] = coding.width;
    writeData(bytes, offset, chunks[i]!, coding);
    offset += dataBytes(chunks[i]!.length, coding);
  }
  return bytes;
}

/** Bytes of the part that `readColumnIndex` reads, for a column of `count` numbers. */
export function indexBytes(count: number): number {
  return HEADER_BYTES + Math.ceil(count / CHUNK_DOCS) * ENTRY_BYTES;
}

/** `bytes`: the section, or its first `indexBytes`. */
export function readColumnIndex(bytes: Uint8Array): ColumnIndex {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const count = view.getUint32(0, true);
  const chunks = Array.from({ length: Math.ceil(count / CHUNK_DOCS) }, (_, i): ColumnChunk => {
    const at = HEADER_BYTES + i * ENTRY_BYTES;
    const held = Math.min(CHUNK_DOCS, count - i * CHUNK_DOCS);
    const coding: Coding = {
      base: view.getUint32(at + 4, true),
      exceptions: view.getUint16(at + 8, true),
      isAscending: bytes[at + 10] === 1,
      width: bytes[at + 11] as Width,
    };
    return { ...coding, count: held, offset: view.getUint32(at, true), length: dataBytes(held, coding) };
  });
  return { count, isSigned: bytes[4] === 1, isNarrow: bytes[5] === 2, chunks };
}

/**
 * Fills `into` with the numbers of a chunk, modulo 2^32. `data` begins with the chunk, at a multiple of 4 in memory.
 */
export function decodeChunk(data: Uint8Array, chunk: ColumnChunk, into: Uint32Array): void {
  const { count, width, base, exceptions } = chunk;
  if (width === 2 && exceptions === 0 && !chunk.isAscending) {
    addBase(new Uint16Array(data.buffer, data.byteOffset, count), base, into);
    return;
  }
  if (width === 0) into.fill(0, 0, count);
  else into.set(packedNumbers(data, 0, count, width));
  if (exceptions > 0) {
    const at = data.byteOffset + padded(count * width);
    const values = new Uint32Array(data.buffer, at, exceptions);
    const places = new Uint16Array(data.buffer, at + exceptions * 4, exceptions);
    for (let i = 0; i < exceptions; i++) into[places[i]!] = values[i]!;
  }
  if (chunk.isAscending) {
    let last = base;
    for (let i = 0; i < count; i++) {
      last = (last + into[i]!) | 0;
      into[i] = last;
    }
  } else if (base !== 0) {
    for (let i = 0; i < count; i++) into[i] = into[i]! + base;
  }
}

/** The loop for the coding that most chunks have. */
function addBase(differences: Uint16Array, base: number, into: Uint32Array): void {
  // As a signed number of 32 bits: a larger sum would be a float.
  const signed = base | 0;
  for (let i = 0; i < differences.length; i++) into[i] = (differences[i]! + signed) | 0;
}

/** A chunk before it is written. */
const wide = new Uint32Array(CHUNK_DOCS);

function chunksOf(numbers: WideNumbers): WideNumbers[] {
  return Array.from({ length: Math.ceil(numbers.length / CHUNK_DOCS) }, (_, i) =>
    numbers.subarray(i * CHUNK_DOCS, (i + 1) * CHUNK_DOCS),
  );
}

function fitsNarrow(numbers: WideNumbers): boolean {
  const isSigned = numbers instanceof Int32Array;
  for (let i = 0; i < numbers.length; i++) {
    const number = numbers[i]!;
    if (isSigned ? (number << 16) >> 16 !== number : number > 0xffff) return false;
  }
  return true;
}

/** `bytes` has room at `offset`, filled with zeros. */
function writeData(bytes: Uint8Array, offset: number, numbers: WideNumbers, coding: Coding): void {
  const { length } = numbers;
  const { width, isAscending, exceptions } = coding;
  const after = offset + padded(length * width);
  const values = new Uint32Array(bytes.buffer, after, exceptions);
  const places = new Uint16Array(bytes.buffer, after + exceptions * 4, exceptions);
  const most = 2 ** (8 * width) - 1;
  let previous = coding.base;
  let found = 0;
  for (let i = 0; i < length; i++) {
    const number = numbers[i]!;
    const difference = (number - previous) >>> 0;
    if (isAscending) previous = number;
    if (difference <= most) wide[i] = difference;
    else {
      wide[i] = 0;
      values[found] = difference;
      places[found++] = i;
    }
  }
  if (width > 0) packedNumbers(bytes, offset, length, width).set(wide.subarray(0, length));
}

function packedNumbers(
  bytes: Uint8Array,
  offset: number,
  count: number,
  width: Width,
): Uint8Array | Uint16Array | Uint32Array {
  const at = bytes.byteOffset + offset;
  if (width === 4) return new Uint32Array(bytes.buffer, at, count);
  if (width === 2) return new Uint16Array(bytes.buffer, at, count);
  return new Uint8Array(bytes.buffer, at, count);
}

function dataBytes(count: number, { width, exceptions }: Coding): number {
  return padded(count * width) + exceptions * 4 + padded(exceptions * 2);
}

/** Rounds up to a multiple of 4. */
function padded(bytes: number): number {
  return (bytes + 3) & ~3;
}

type Width = 0 | 1 | 2 | 4;

interface Coding {
  /** Whether differences are to the number before, or to the base. */
  readonly isAscending: boolean;
  readonly width: Width;
  /** Modulo 2^32. */
  readonly base: number;
  /** Count of numbers that do not fit into the width. */
  readonly exceptions: number;
}

const NARROW: readonly Width[] = [0, 1, 2];
/** A value and its place. */
const EXCEPTION_BYTES = 6;
/** A sample of this many numbers, spread evenly, shows where most of them lie (Zukowski et al. sample too). */
const SAMPLE = 4_096;

/** The smallest coding for the numbers of a chunk, at least one. */
function codingOf(numbers: Uint32Array | Int32Array): Coding {
  const codings: Coding[] = [...plainCodings(numbers), ...ascendingCodings(numbers)];
  let best: Coding = { isAscending: false, width: 4, base: 0, exceptions: 0 };
  for (const coding of codings) if (bytesOf(numbers, coding) < bytesOf(numbers, best)) best = coding;
  return best;
}

function bytesOf({ length }: ArrayLike<number>, { width, exceptions }: Coding): number {
  return length * width + exceptions * EXCEPTION_BYTES;
}

function plainCodings(numbers: Uint32Array | Int32Array): Coding[] {
  let [least, greatest] = [numbers[0]!, numbers[0]!];
  for (let i = 0; i < numbers.length; i++) {
    if (numbers[i]! < least) least = numbers[i]!;
    else if (numbers[i]! > greatest) greatest = numbers[i]!;
  }
  const sample = sampleOf(numbers).sort();
  return NARROW.map((width) => {
    const most = 2 ** (8 * width) - 1;
    if (greatest - least <= most) return { isAscending: false, width, base: least >>> 0, exceptions: 0 };
    const base = commonestFrom(sample, most);
    let exceptions = 0;
    for (let i = 0; i < numbers.length; i++) if ((numbers[i]! - base) >>> 0 > most) exceptions++;
    return { isAscending: false, width, base: base >>> 0, exceptions };
  }).filter(hasPlaces);
}

/** Returns small input unchanged. */
function sampleOf(numbers: Uint32Array | Int32Array): Uint32Array | Int32Array {
  const step = Math.ceil(numbers.length / SAMPLE);
  const sample = numbers.slice(0, Math.ceil(numbers.length / step));
  for (let i = 0; i < sample.length; i++) sample[i] = numbers[i * step]!;
  return sample;
}

/** The lowest number of the range of width `most` that has the most of these sorted numbers. */
function commonestFrom(sorted: Uint32Array | Int32Array, most: number): number {
  let best = 0;
  let base = sorted[0]!;
  for (let from = 0, to = 0; to < sorted.length; from++) {
    while (to < sorted.length && sorted[to]! - sorted[from]! <= most) to++;
    if (to - from > best) {
      best = to - from;
      base = sorted[from]!;
    }
  }
  return base;
}

/** Empty if the numbers go down anywhere. */
function ascendingCodings(numbers: Uint32Array | Int32Array): Coding[] {
  const exceptions = [0, 0, 0];
  for (let i = 1; i < numbers.length; i++) {
    const difference = numbers[i]! - numbers[i - 1]!;
    if (difference < 0) return [];
    if (difference === 0) continue;
    exceptions[0]!++;
    if (difference <= 0xff) continue;
    exceptions[1]!++;
    if (difference > 0xffff) exceptions[2]!++;
  }
  const base = numbers[0]! >>> 0;
  return NARROW.map((width) => ({ isAscending: true, width, base, exceptions: exceptions[width]! })).filter(
    hasPlaces,
  );
}

/** Whether the number of exceptions fits into its 16 bits. */
function hasPlaces({ exceptions }: Coding): boolean {
  return exceptions <= 0xffff;
}
