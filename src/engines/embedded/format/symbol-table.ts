// Compresses stored rows: one byte stands for up to eight. FSST (Boncz, Neumann and Leis, "FSST: Fast Random
// Access String Compression", VLDB 2020): 255 symbols of 1 to 8 bytes, of which the longest that fits is
// used; each row can be read by itself.
//
//   row       codes: a byte below the number of symbols stands for one; 255: the next byte stands for itself
//   section   `symbols`: u8 length and bytes of each
//
// Symbols are chosen from a sample of rows in five rounds, each of which writes the sample with the table of the round
// before and joins symbols that follow each other.

import { Buffer } from 'node:buffer';
import { ByteWriter } from '../../packing/bytes.ts';

const MAX_SYMBOLS = 255;
const MAX_SYMBOL_BYTES = 8;
const ESCAPE = 255;

/** Size of the table of first bytes. */
const HEADS = 1 << 12;
const NONE = 0xffff;

/** Memory for a row that is read. It grows with the longest row. */
export class DecodedRow {
  bytes: Buffer = Buffer.allocUnsafeSlow(1 << 12);
  view = new DataView(this.bytes.buffer);

  /** May lose the content. */
  withRoom(length: number): this {
    if (this.bytes.length < length) {
      this.bytes = Buffer.allocUnsafeSlow(length * 2);
      this.view = new DataView(this.bytes.buffer);
    }
    return this;
  }
}

export class SymbolTable {
  /** The length of each symbol by code, and its bytes, eight places each. */
  readonly #lengths = new Uint8Array(256);
  readonly #symbols = new Uint8Array(256 * MAX_SYMBOL_BYTES);
  /** The same bytes as two numbers each, low bytes first. */
  readonly #halves = new Int32Array(512);
  /** By code: the bits of both numbers that belong to the symbol. */
  readonly #masks = new Int32Array(512);
  readonly count: number;
  /**
   * By hash of three bytes: 1 + code of the longest symbol that may start with them. Each code has the next shorter
   * one.
   */
  readonly #heads = new Uint8Array(HEADS);
  readonly #nexts = new Uint8Array(256);
  /**
   * By two bytes: length and code of the longest symbol of one or two bytes; NONE. Built for the first row that is
   * written.
   */
  #shorts: Uint16Array | null = null;
  #view: DataView = new DataView(this.#symbols.buffer);

  /** `symbols`: at most 255, each of 1 to 8 bytes. */
  constructor(symbols: readonly Uint8Array[]) {
    this.count = symbols.length;
    for (const [code, symbol] of symbols.entries()) {
      this.#lengths[code] = symbol.length;
      this.#symbols.set(symbol, code * MAX_SYMBOL_BYTES);
      this.#masks[code * 2] = maskOf(Math.min(4, symbol.length));
      this.#masks[code * 2 + 1] = maskOf(Math.max(0, symbol.length - 4));
    }
    const view = new DataView(this.#symbols.buffer);
    for (let i = 0; i < this.#halves.length; i++) this.#halves[i] = view.getInt32(i * 4, true);
  }

  static fromBytes(bytes: Uint8Array): SymbolTable {
    const symbols: Uint8Array[] = [];
    for (let at = 0; at < bytes.length; at += 1 + bytes[at]!) {
      symbols.push(bytes.subarray(at + 1, at + 1 + bytes[at]!));
    }
    return new SymbolTable(symbols);
  }

  toBytes(): Uint8Array {
    return Uint8Array.from(
      Array.from({ length: this.count }, (_, code) => [this.#lengths[code]!, ...this.symbol(code)]).flat(),
    );
  }

  symbol(code: number): Uint8Array {
    const start = code * MAX_SYMBOL_BYTES;
    return this.#symbols.subarray(start, start + this.#lengths[code]!);
  }

  /** Appends the codes of the bytes from `start` to `end`. */
  encode(bytes: Buffer, start: number, end: number, into: ByteWriter): void {
    if (bytes.byteOffset + end + MAX_SYMBOL_BYTES > bytes.buffer.byteLength) {
      const padded = Buffer.alloc(end - start + MAX_SYMBOL_BYTES);
      bytes.copy(padded, 0, start, end);
      this.encode(padded, 0, end - start, into);
      return;
    }
    into.reserve((end - start) * 2);
    const shorts = this.#prepared();
    const lengths = this.#lengths;
    const heads = this.#heads;
    const nexts = this.#nexts;
    const halves = this.#halves;
    const masks = this.#masks;
    const out = into.bytes;
    let at = into.length;
    if (this.#view.buffer !== bytes.buffer) this.#view = new DataView(bytes.buffer);
    const view = this.#view;
    const base = bytes.byteOffset;
    for (let i = start; i < end; ) {
      // A symbol is compared with eight bytes at once, some of them perhaps behind the end.
      const low = view.getInt32(base + i, true);
      const high = view.getInt32(base + i + 4, true);
      let next = heads[hashOf(low & 0xffffff)]!;
      for (; next !== 0; next = nexts[next - 1]!) {
        const half = (next - 1) * 2;
        const differs =
          ((low ^ halves[half]!) & masks[half]!) | ((high ^ halves[half + 1]!) & masks[half + 1]!);
        if (differs === 0 && i + lengths[next - 1]! <= end) break;
      }
      const short = shorts[low & 0xffff]!;
      if (next !== 0) {
        out[at++] = next - 1;
        i += lengths[next - 1]!;
      } else if (i + (short >>> 8) > end || short === NONE) {
        out[at++] = ESCAPE;
        out[at++] = low & 0xff;
        i++;
      } else {
        out[at++] = short & 0xff;
        i += short >>> 8;
      }
    }
    into.length = at;
  }

  /** Writes the symbols of the codes from `start` to `end` to the beginning of `into`; returns how many bytes. */
  decode(bytes: Buffer, start: number, end: number, into: DecodedRow): number {
    const { bytes: target, view } = into.withRoom((end - start) * MAX_SYMBOL_BYTES);
    const lengths = this.#lengths;
    const halves = this.#halves;
    let at = 0;
    for (let i = start; i < end; i++) {
      const code = bytes[i]!;
      if (code === ESCAPE) {
        target[at++] = bytes[++i]!;
        continue;
      }
      // Always copies eight bytes: a branch on the length could not be predicted.
      view.setInt32(at, halves[code * 2]!, true);
      view.setInt32(at + 4, halves[code * 2 + 1]!, true);
      at += lengths[code]!;
    }
    return at;
  }

  #prepared(): Uint16Array {
    if (this.#shorts !== null) return this.#shorts;
    const shorts = new Uint16Array(0x10000).fill(NONE);
    const codes = Array.from({ length: this.count }, (_, code) => code);
    for (const code of codes.toSorted((a, b) => this.#lengths[a]! - this.#lengths[b]!)) {
      const [first, second, third] = this.symbol(code);
      if (third !== undefined) {
        // Shorter symbols are added first, so that longer ones precede them in the chain.
        const head = hashOf(first! | (second! << 8) | (third << 16));
        this.#nexts[code] = this.#heads[head]!;
        this.#heads[head] = code + 1;
      } else if (second !== undefined) shorts[first! | (second << 8)] = (2 << 8) | code;
      else for (let other = 0; other < 256; other++) shorts[first! | (other << 8)] = (1 << 8) | code;
    }
    this.#shorts = shorts;
    return shorts;
  }
}

/** The bits of the first `bytes` bytes, 0 to 4, of a number whose low byte is the first. */
function maskOf(bytes: number): number {
  return bytes === 4 ? -1 : (1 << (bytes * 8)) - 1;
}

function hashOf(three: number): number {
  return Math.imul(three, 0x9e3779b1) >>> 20;
}

const ROUNDS = 5;
/** A byte without a symbol takes two bytes, so a symbol for it is worth more than its length. */
const SINGLE_WORTH = 4;

/** Smaller segments have no table: it would take as many bytes as it saves. */
export const MIN_TRAINED_DOCS = 2_048;

/** The sample of rows: its bytes at most, and bytes of each row. */
const SAMPLE_BYTES = 100_000;
const SAMPLE_ROW_BYTES = 1_000;

/** Calls `row` for some docs, ascending and spread evenly over `docs`; joins the results. */
export function sampleRows(docs: number, row: (doc: number) => Buffer): Buffer {
  const pieces: Buffer[] = [];
  const rows = Math.min(docs, SAMPLE_BYTES / 250);
  let bytes = 0;
  for (let i = 0; i < rows && bytes < SAMPLE_BYTES; i++) {
    const piece = Buffer.from(row(Math.floor((i * docs) / rows)).subarray(0, SAMPLE_ROW_BYTES));
    pieces.push(piece);
    bytes += piece.length;
  }
  return Buffer.concat(pieces);
}

/** Size of the sample when written with a table, in bytes. */
export function writtenBytes(table: SymbolTable, sample: Buffer): number {
  const written = new ByteWriter(sample.length);
  table.encode(sample, 0, sample.length, written);
  return written.length;
}

export function trainSymbols(sample: Buffer): SymbolTable {
  let table = new SymbolTable([]);
  for (let round = 0; round < ROUNDS; round++) table = improved(table, sample);
  return table;
}

function improved(table: SymbolTable, sample: Buffer): SymbolTable {
  const worth = new Map<string, number>();
  const add = (symbol: string, times: number) => worth.set(symbol, (worth.get(symbol) ?? 0) + times);
  let previous = '';
  for (const symbol of symbolsIn(table, sample)) {
    add(symbol, symbol.length === 1 ? SINGLE_WORTH : symbol.length);
    const joined = (previous + symbol).slice(0, MAX_SYMBOL_BYTES);
    if (previous !== '' && joined.length > symbol.length) add(joined, joined.length);
    previous = symbol;
  }
  const best = [...worth].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1)).slice(0, MAX_SYMBOLS);
  return new SymbolTable(best.map(([symbol]) => Buffer.from(symbol, 'latin1')));
}

/** The symbols that write the sample, a character for each byte. */
function* symbolsIn(table: SymbolTable, sample: Buffer): Generator<string> {
  const written = new ByteWriter(sample.length * 2);
  table.encode(sample, 0, sample.length, written);
  const texts = Array.from({ length: table.count }, (_, code) =>
    Buffer.from(table.symbol(code)).toString('latin1'),
  );
  for (let i = 0; i < written.length; i++) {
    const code = written.bytes[i]!;
    yield code === ESCAPE ? String.fromCharCode(written.bytes[++i]!) : texts[code]!;
  }
}
