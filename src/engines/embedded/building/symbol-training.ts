// Chooses the symbols of a table (format/symbol-table.ts) from a sample of rows: five rounds, each of which writes
// the sample with the table of the round before and joins symbols that follow each other.

import { Buffer } from 'node:buffer';
import { ByteWriter } from '../../../packing/bytes.ts';
import { MAX_SYMBOL_BYTES, MAX_SYMBOLS, SymbolTable } from '../format/symbol-table.ts';

const ROUNDS = 5;
const ESCAPE = 255;
/** A byte without a symbol takes two bytes, so a symbol for it is worth more than its length. */
const SINGLE_WORTH = 4;

/** Segments with fewer records are written without a table, which would take as many bytes as it saves. */
export const MIN_TRAINED_DOCS = 2_048;

/** A sample of rows: how many bytes at most, and how many of each row. */
const SAMPLE_BYTES = 100_000;
const SAMPLE_ROW_BYTES = 1_000;

/** Rows spread evenly over `docs`, one after the other; calls `row` for some of them, ascending. */
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

/** What the sample is written with, a character for each byte. */
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
