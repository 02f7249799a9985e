// The chains of records (format/chains.ts) while a segment is built or an older one is merged.

import { ByteWriter } from '../../packing/bytes.ts';
import {
  BETWEEN,
  CHAINS,
  ChainWriter,
  codeOf,
  FIRST_LEAD,
  hashOfBytes,
  LEVELS,
  MAX_LEVEL_CODES,
  MIN_CHAIN,
  numberAt,
  ownCode,
  tokenHash,
  UNKNOWN,
} from '../format/chains.ts';
import { isPair } from '../format/pairs.ts';
import type { SegmentWriter } from '../format/segment-writer.ts';
import { grown } from './postings.ts';
import { classOf, LISTED, LISTED_TOKENS, type TokenScanner } from './token-scanner.ts';

/** The chains of a segment, kept in memory (some 15 bytes a record) because later sections are written first. */
export class ChainSection {
  readonly #builder = new ChainBuilder();
  readonly #bytes = new ByteWriter(1 << 16);
  readonly #writer = new ChainWriter((bytes) => this.#bytes.raw(bytes));

  /** Adds the first `length` tokens that the scanner found in a text of the current doc. */
  addText(scanner: TokenScanner, length: number): void {
    this.#builder.addText(scanner, length);
  }

  endDoc(): void {
    this.#builder.endDoc();
    const { bytes, length } = this.#builder.bytes;
    this.#writer.add(bytes, 0, length);
  }

  /** Call it once, behind the last doc. */
  write(out: SegmentWriter): void {
    this.#writer.finish();
    out.section(CHAINS, this.#bytes.written());
  }
}

const LISTED_CODES = Uint8Array.from(LISTED_TOKENS, ownCode);
const LISTED_HASHES = Int32Array.from(LISTED_TOKENS, tokenHash);

/** In `#holders`: tokens that differ have this number. */
const SEVERAL = -1;
/** In `#codes`: the end of a row of tokens. */
const END = -1;

/** By code: the last record that has it, of all that this thread has built; they are numbered. */
const seen = new Int32Array(1 << 16);
const MAX_RECORD = 2 ** 31 - 1;
let lastRecord = 0;

class ChainBuilder {
  /** The chains of the current record once `endDoc` has made them; valid until the next. */
  readonly bytes = new ByteWriter(1 << 10);
  /** The rows of two tokens and more of the record: by token its code, 0 while it has none; END behind each row. */
  #codes = new Int32Array(1 << 10);
  #hashes = new Int32Array(1 << 10);
  /** By token: a number that no other has (token-scanner.ts). */
  #ids = new Int32Array(1 << 10);
  #count = 0;
  /** The tokens of a level, by their place in the record. */
  #hashed = new Int32Array(1 << 10);
  /** By number of a code at the level: who has it, where the stamp is that of the level and record. */
  readonly #holders = new Int32Array(MAX_LEVEL_CODES);
  readonly #stamps = new Int32Array(MAX_LEVEL_CODES);
  #stamp = 0;

  /** Adds the first `length` tokens that the scanner found in a text of the current record. */
  addText(scanner: TokenScanner, length: number): void {
    const { labels } = scanner;
    let start = 0;
    for (let i = 1; i <= length; i++) {
      // Label 0 is that of most tokens, and makes no pair.
      const isNext =
        i < length &&
        labels[i] !== 0 &&
        labels[i - 1] !== 0 &&
        isPair(classOf(labels[i - 1]!), classOf(labels[i]!));
      if (isNext) continue;
      if (i - start > 1) this.#addRow(scanner, start, i);
      start = i;
    }
  }

  endDoc(): void {
    this.bytes.length = 0;
    if (this.#count === 0) return;
    let hashed = 0;
    for (let i = 0; i < this.#count; i++) if (this.#codes[i] === 0) this.#hashed[hashed++] = i;
    for (let level = 0; level < LEVELS; level++) if (!this.#settle(level, hashed)) break;
    if (this.#hasOneTwice()) this.#write();
    this.#count = 0;
  }

  #addRow({ ids, others }: TokenScanner, start: number, end: number): void {
    while (this.#count + end - start + 1 > this.#codes.length) this.#grow();
    for (let i = start; i < end; i++) {
      const id = ids[i]!;
      const at = this.#count++;
      this.#ids[at] = id;
      if (id < LISTED) {
        this.#codes[at] = LISTED_CODES[id]!;
        this.#hashes[at] = LISTED_HASHES[id]!;
      } else {
        const { bytes, starts } = others.pool;
        this.#codes[at] = 0;
        this.#hashes[at] = hashOfBytes(bytes, starts[id - LISTED]!, starts[id - LISTED + 1]!);
      }
    }
    this.#codes[this.#count++] = END;
  }

  /** Gives codes of a level to tokens without one, unless two have the same hash there; true: some are left. */
  #settle(level: number, count: number): boolean {
    const hashed = this.#hashed;
    const holders = this.#holders;
    const stamps = this.#stamps;
    const stamp = ++this.#stamp;
    let isLeft = false;
    for (let k = 0; k < count; k++) {
      const i = hashed[k]!;
      const number = numberAt(level, this.#hashes[i]!);
      if (stamps[number] !== stamp) {
        stamps[number] = stamp;
        holders[number] = this.#ids[i]!;
      } else if (holders[number] !== this.#ids[i]) {
        holders[number] = SEVERAL;
        isLeft = true;
      }
    }
    for (let k = 0; k < count; k++) {
      const i = hashed[k]!;
      if (this.#codes[i] !== 0) continue;
      const number = numberAt(level, this.#hashes[i]!);
      if (holders[number] !== SEVERAL) this.#codes[i] = codeOf(level, number);
    }
    return isLeft;
  }

  /** A token without a code may be any. */
  #hasOneTwice(): boolean {
    // uncovered: two thousand million records in one thread
    if (lastRecord === MAX_RECORD) {
      seen.fill(0);
      lastRecord = 0;
    }
    const record = ++lastRecord;
    for (let i = 0; i < this.#count; i++) {
      const code = this.#codes[i]!;
      if (code === END) continue;
      if (code === 0 || seen[code] === record) return true;
      seen[code] = record;
    }
    return false;
  }

  #write(): void {
    const out = this.bytes;
    out.reserve(this.#count * 2 + 1);
    const { bytes } = out;
    let at = 0;
    for (let start = 0, i = 0; i < this.#count; i++) {
      if (this.#codes[i] !== END) continue;
      if (i - start >= MIN_CHAIN) {
        if (at > 0) bytes[at++] = BETWEEN;
        for (let k = start; k < i; k++) {
          const code = this.#codes[k]! || UNKNOWN;
          bytes[at++] = code;
          if ((code & 0xff) >= FIRST_LEAD) bytes[at++] = code >>> 8;
        }
      }
      start = i + 1;
    }
    if (at === 0) bytes[at++] = BETWEEN;
    out.length = at;
  }

  #grow(): void {
    this.#codes = grown(this.#codes);
    this.#hashes = grown(this.#hashes);
    this.#ids = grown(this.#ids);
    this.#hashed = grown(this.#hashed);
  }
}
