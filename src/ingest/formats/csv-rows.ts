// Splits CSV into rows (RFC 4180, and the variants of spreadsheets and scripts). Of a broken row, only the first line
// is lost: if a quote stays open, reading resumes at the next line. Libraries fail there, or skip everything after the
// quote.

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const QUOTE = 0x22;

/** A row may have this many bytes (four texts of the longest kind). */
const MAX_ROW_BYTES = 4 * 1024 * 1024;
/**
 * Bytes of a file that may be searched in vain for ends of rows. After that, rows with line breaks are limited to
 * SHORT_ROW_BYTES, which keeps the time linear.
 */
const VAIN_BYTES = 4 * 1024 * 1024 * 1024;
const SHORT_ROW_BYTES = 64 * 1024;

interface CsvTaker {
  /** `line`: where the row begins, from 1; `bytes`: the row with its line break, valid during the call. */
  row(cells: readonly string[], line: number, bytes: Buffer): void;
  broken(firstLine: Buffer, line: number): void;
}

type Parsed =
  | { readonly kind: 'row'; readonly cells: string[]; readonly end: number }
  /** The end of the row is not in these bytes. */
  | { readonly kind: 'open' }
  | { readonly kind: 'broken'; readonly lookedTo: number };

export class CsvRows {
  readonly #delimiter: number;
  /** A row with more cells is broken. */
  readonly #maxCells: number;
  readonly #taker: CsvTaker;
  #rest: Buffer = Buffer.alloc(0);
  #vainBytes = 0;
  line = 0;

  /** `maxCells`: the cells of the header. */
  constructor(delimiter: string, maxCells: number, taker: CsvTaker) {
    this.#delimiter = delimiter.charCodeAt(0);
    this.#maxCells = maxCells;
    this.#taker = taker;
  }

  push(chunk: Buffer): void {
    this.#rest = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    this.#parse(false);
  }

  finish(): void {
    this.#parse(true);
  }

  #parse(isEnd: boolean): void {
    const bytes = this.#rest;
    let at = 0;
    while (at < bytes.length) {
      const parsed = parseRow(bytes, at, this.#delimiter, isEnd);
      const maxBytes = this.#vainBytes < VAIN_BYTES ? MAX_ROW_BYTES : SHORT_ROW_BYTES;
      if (parsed.kind === 'open' && !isEnd && bytes.length - at <= maxBytes) break;
      if (parsed.kind === 'row' && parsed.cells.length <= this.#maxCells) {
        this.#taker.row(parsed.cells, this.line + 1, bytes.subarray(at, parsed.end));
        this.line += countLineFeeds(bytes, at, parsed.end);
        at = parsed.end;
      } else {
        const lineEnd = bytes.indexOf(LINE_FEED, at);
        const next = lineEnd < 0 ? bytes.length : lineEnd + 1;
        const lookedTo =
          parsed.kind === 'row' ? parsed.end : parsed.kind === 'open' ? bytes.length : parsed.lookedTo;
        this.#vainBytes += Math.max(0, lookedTo - next);
        this.#taker.broken(bytes.subarray(at, lineEnd < 0 ? bytes.length : lineEnd), this.line + 1);
        this.line += lineEnd < 0 ? 0 : 1;
        at = next;
      }
    }
    this.#rest = Buffer.from(bytes.subarray(at));
  }
}

/** The cells of these bytes, which are a row or the beginning of one; empty: the row is broken. */
export function firstRow(bytes: Buffer, delimiter: string): readonly string[] {
  const parsed = parseRow(bytes, 0, delimiter.charCodeAt(0), true);
  return parsed.kind === 'row' ? parsed.cells : [];
}

/** The row that begins at `start`. Blank lines are rows of one empty cell. */
function parseRow(bytes: Buffer, start: number, delimiter: number, isEnd: boolean): Parsed {
  const cells: string[] = [];
  let at = start;
  for (;;) {
    const cell =
      bytes[at] === QUOTE
        ? quotedCell(bytes, at, delimiter, isEnd, start)
        : plainCell(bytes, at, delimiter, isEnd);
    if (cell.kind !== 'cell') return cell;
    cells.push(cell.text);
    const after = bytes[cell.end];
    if (after === delimiter) at = cell.end + 1;
    else
      return {
        kind: 'row',
        cells,
        end: Math.min(bytes.length, cell.end + (after === CARRIAGE_RETURN ? 2 : 1)),
      };
  }
}

type Cell =
  | { readonly kind: 'cell'; readonly text: string; readonly end: number }
  | Exclude<Parsed, { kind: 'row' }>;

/** A cell without quotes around it: quotes inside are text. */
function plainCell(bytes: Buffer, start: number, delimiter: number, isEnd: boolean): Cell {
  for (let i = start; i < bytes.length; i++) {
    const byte = bytes[i];
    if (byte === delimiter) return { kind: 'cell', text: bytes.toString('utf8', start, i), end: i };
    if (byte === LINE_FEED) {
      const end = i > start && bytes[i - 1] === CARRIAGE_RETURN ? i - 1 : i;
      return { kind: 'cell', text: bytes.toString('utf8', start, end), end };
    }
  }
  return isEnd ? { kind: 'cell', text: bytes.toString('utf8', start), end: bytes.length } : { kind: 'open' };
}

/**
 * A cell in quotes. A lone quote inside is text, unless the row has a line break before it: then an earlier quote was
 * left open.
 */
function quotedCell(bytes: Buffer, start: number, delimiter: number, isEnd: boolean, rowStart: number): Cell {
  let from = start + 1;
  for (;;) {
    const quote = bytes.indexOf(QUOTE, from);
    if (quote < 0) return { kind: 'open' };
    const next = bytes[quote + 1];
    if (!isEnd && (next === undefined || (next === CARRIAGE_RETURN && quote + 2 === bytes.length))) {
      return { kind: 'open' };
    }
    if (next === QUOTE) from = quote + 2;
    else if (next === undefined || next === delimiter || isLineEnd(bytes, quote + 1)) {
      const text = bytes.toString('utf8', start + 1, quote);
      return { kind: 'cell', text: text.includes('"') ? text.replaceAll('""', '"') : text, end: quote + 1 };
    } else {
      const lineEnd = bytes.indexOf(LINE_FEED, rowStart);
      if (lineEnd >= 0 && lineEnd < quote) return { kind: 'broken', lookedTo: quote };
      from = quote + 1;
    }
  }
}

function isLineEnd(bytes: Buffer, at: number): boolean {
  const byte = bytes[at] === CARRIAGE_RETURN ? bytes[at + 1] : bytes[at];
  return byte === LINE_FEED || byte === undefined;
}

function countLineFeeds(bytes: Buffer, start: number, end: number): number {
  let lines = 0;
  for (let at = bytes.indexOf(LINE_FEED, start); at >= 0 && at < end; at = bytes.indexOf(LINE_FEED, at + 1))
    lines++;
  return lines;
}
