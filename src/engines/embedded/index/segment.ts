// A segment as queries see it: its lists, columns and stored records.

import { Buffer } from 'node:buffer';
import { closeSync } from 'node:fs';
import { StorageError } from '../../../errors.ts';
import { compareIds } from '../../../model/pages.ts';
import type { Kind, StoredRecord } from '../../../model/record.ts';
import { ByteReader } from '../../packing/bytes.ts';
import { type ColumnFields, RowParts, readAnswered, readId, readRecord } from '../../packing/record-codec.ts';
import { type Column, DomainDocs } from '../columns/column.ts';
import type { ColumnOwner } from '../columns/column-memory.ts';
import { FactReader } from '../columns/fact-reader.ts';
import { loadNumbers, openColumn, type SegmentNumbers, unloadNumbers } from '../columns/segment-numbers.ts';
import { BlockCache, type HeldBlock, type HeldBlocks } from '../format/block-cache.ts';
import { Dictionary } from '../format/dictionary.ts';
import { type IdRange, mayHold } from '../format/ids.ts';
import { ID } from '../format/keys.ts';
import type { CommunityFacts } from '../format/segment-columns.ts';
import {
  type ByteSource,
  ByteWindow,
  byteProblems,
  checkMark,
  FIRST_WITH_PLACES,
  FileSource,
  type Footer,
  MemorySource,
  type PageSums,
  type ReadBytes,
  readFooter,
  readPageSums,
} from '../format/segment-file.ts';
import { DecodedRow, SymbolTable } from '../format/symbol-table.ts';
import { CHUNK_DOCS, CHUNK_WORDS, chunkSize, firstNotBelow, popcount, type WordPool } from '../sets/chunk.ts';
import { SegmentNames } from './names.ts';
import { openList, type PostingList } from './posting-list.ts';

/** A segment in the form that threads hand to each other: shared memory and the number of an open file. */
export interface SegmentData extends SegmentNumbers {
  /** Unique for ever inside a data folder; also the name of its file. */
  readonly name: string;
  readonly footer: Footer;
  /** The file, opened by the thread that closes it. */
  readonly file: { readonly path: string; readonly fd: number; readonly pages: PageSums } | null;
  /** The whole segment, if it has no file. */
  readonly bytes: Uint8Array | null;
  /** Bytes on disk. */
  readonly size: number;
}

/**
 * Throws a StorageError if the file is not as it was written, as far as it is read here: what says where its parts
 * are, the small ones, and the columns where they are read as a whole (columns/segment-numbers.ts).
 */
export function loadFileSegment(name: string, path: string, owner: ColumnOwner | null = null): SegmentData {
  const source = new FileSource(path);
  try {
    const footer = readFooter(source, path);
    const pages = readPageSums(source, footer, path);
    source.checkBy(pages);
    checkMark(source, footer, path);
    const numbers = loadNumbers(source, footer, owner);
    const file = { path, fd: source.fd, pages };
    return { name, footer, ...numbers, file, bytes: null, size: source.size };
  } catch (error) {
    source.close();
    throw error;
  }
}

/** Throws a StorageError if the bytes are not as they were written. */
export function loadMemorySegment(
  name: string,
  bytes: Uint8Array,
  owner: ColumnOwner | null = null,
): SegmentData {
  const shared = new Uint8Array(new SharedArrayBuffer(bytes.length));
  shared.set(bytes);
  const source = new MemorySource(shared);
  const footer = readFooter(source, name);
  const [problem] = byteProblems(source, footer, name);
  if (problem !== undefined)
    throw new StorageError(`segment \`${name}\`: ${problem}; run \`colloquy check\``);
  const numbers = loadNumbers(source, footer, owner);
  return { name, footer, ...numbers, file: null, bytes: shared, size: bytes.length };
}

/** Only for the thread that loaded it, when no thread uses it any more. */
export function unloadSegment(data: SegmentData, owner: ColumnOwner | null = null): void {
  unloadNumbers(data, owner);
  if (data.file !== null) closeSync(data.file.fd);
}

/** The most bytes that a walk through rows reads at once; texts of a page have a window for each segment and thread. */
const WALK_WINDOW = 1 << 16;
const PAGE_WINDOW = 1 << 14;

export class Segment {
  readonly data: SegmentData;
  readonly kind: Kind;
  readonly docs: number;
  /** Whether those that its lists have are read. */
  readonly hasPayloads: boolean;
  readonly chunks: number;
  readonly created: Column<Uint32Array>;
  readonly score: Column<Int16Array | Int32Array>;
  readonly place: Column<Uint16Array | Uint32Array>;
  readonly domain: Column<Uint16Array | Uint32Array>;
  readonly withDomain: DomainDocs;
  /** Where each stored record begins behind the beginning of their section, and the end of the last. */
  readonly rows: Column<Uint32Array>;
  readonly #bloom: Column<Uint32Array>;
  readonly source: ByteSource;
  readonly dictionary: Dictionary;
  readonly facts: FactReader;
  readonly names: SegmentNames;
  readonly #rowParts = new RowParts();
  readonly #kept: KeptPieces;
  readonly #pageRows: ByteWindow;
  readonly #decoded = new DecodedRow();
  #symbols: SymbolTable | undefined;

  constructor(data: SegmentData) {
    this.data = data;
    this.kind = data.footer.kind;
    this.docs = data.footer.docs;
    this.hasPayloads = data.footer.version >= FIRST_WITH_PLACES;
    this.chunks = Math.ceil(this.docs / CHUNK_DOCS);
    this.source =
      data.file === null
        ? new MemorySource(data.bytes!)
        : new FileSource(data.file.path, data.file.fd, data.file.pages, data.size);
    this.created = openColumn(data, 'created', this.source, data.footer);
    this.score = openColumn(data, 'score', this.source, data.footer);
    this.place = openColumn(data, 'place', this.source, data.footer);
    this.domain = openColumn(data, 'domain', this.source, data.footer);
    this.withDomain = new DomainDocs(data.withDomain, this.domain);
    this.rows = openColumn(data, 'rows', this.source, data.footer);
    this.#bloom = openColumn(data, 'bloom', this.source, data.footer);
    this.dictionary = new Dictionary(this.source, data.columns);
    this.names = new SegmentNames(this.source, data.footer);
    this.#kept = new KeptPieces(this.source);
    this.#pageRows = new ByteWindow(this.source, data.footer.sections.records!, PAGE_WINDOW);
    this.facts = new FactReader(this.source, data.footer, (doc) => this.record(doc));
  }

  get name(): string {
    return this.data.name;
  }

  /** What the record says of its community. */
  communityOf(doc: number): CommunityFacts {
    return this.names.placeAt(this.place.at(doc));
  }

  /** Numbers of the domains that count the doc in a breakdown. */
  domainsOf(doc: number): readonly number[] {
    const domain = this.domain.at(doc);
    // uncovered: asked only of docs that have domains
    if (domain === 0) return [];
    const { domainCount, domainSets } = this.names;
    return domain <= domainCount ? [domain - 1] : domainSets[domain - domainCount - 1]!;
  }

  /** null: no doc has the key. The list may keep what it reads in memory of `pool`. */
  list(key: string, pool: WordPool): PostingList | null {
    const entry = this.dictionary.find(key);
    if (entry === null) return null;
    return openList(this.hasPayloads ? entry : { ...entry, payloads: 0 }, this.#kept, this, pool);
  }

  /** False: the segment has no record with this id, live or dead. */
  mayHold(id: string): boolean {
    const { firstId, lastId } = this.data.footer;
    return compareIds(id, firstId) >= 0 && compareIds(id, lastId) <= 0 && mayHold(this.#bloom, id);
  }

  /** False: the segment has no record with an id in this range, both ends included. */
  mayHoldBetween({ firstId, lastId }: IdRange): boolean {
    const own = this.data.footer;
    return compareIds(lastId, own.firstId) >= 0 && compareIds(firstId, own.lastId) <= 0;
  }

  /** docId of the record with this id, live or dead; −1 if there is none. */
  docOf(id: string): number {
    const entry = this.dictionary.findOnce(ID + id);
    return entry?.kind === 'inline' ? entry.docs[0]! : -1;
  }

  /**
   * The first docId created at or after this second; `docs` if there is none. It is not before `least`, and is found
   * the sooner the nearer it is.
   */
  firstAt(second: number, least = 0): number {
    const { created, docs } = this;
    const { firstCreated, lastCreated } = this.data.footer;
    if (least >= docs || second > lastCreated) return docs;
    if (second <= firstCreated) return least;
    const first = least >>> 16;
    if (least > 0) {
      const found = firstNotBelow(created.chunk(first), second, least & 0xffff);
      if (found < chunkSize(first, docs)) return first * CHUNK_DOCS + found;
    }
    let [low, high] = [least > 0 ? first + 1 : 0, this.chunks];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (created.firstOf(middle) < second) low = middle + 1;
      else high = middle;
    }
    const chunk = low - 1;
    if (chunk < (least > 0 ? first + 1 : 0)) return Math.min(docs, low * CHUNK_DOCS);
    return chunk * CHUNK_DOCS + firstNotBelow(created.chunk(chunk), second, 0);
  }

  /** `rows`: of a walk through many of them; without, the row is kept, since most pages are the newest. */
  record(doc: number, rows?: ByteWindow): StoredRecord {
    return readRecord(this.#rowReader(doc, rows), this.kind, this.#columnFields(doc));
  }

  /** `readAhead` of a ByteSource, for a record that will be read. */
  readAhead(doc: number): void {
    const { offset, length } = this.#rowPlace(doc);
    this.source.readAhead?.(offset, length);
  }

  /** For a walk through the rows of many records. `greatest`: bytes that are read at once. */
  nearRows(greatest = WALK_WINDOW): ByteWindow {
    return new ByteWindow(this.source, this.data.footer.sections.records!, greatest);
  }

  /** The row as it is stored, valid until `rows` read another. */
  storedRow(doc: number, rows: ByteWindow): Buffer {
    const { offset, length } = this.#rowPlace(doc);
    const start = rows.at(offset, length);
    return rows.bytes.subarray(start, start + length);
  }

  /** The searched texts of the record, as `searchedTexts` gives them, without reading the rest. */
  texts(doc: number): string[] {
    const { bytes, parts } = this.textsInRow(doc);
    return Array.from({ length: parts.texts }, (_, i) =>
      bytes.toString('utf8', parts.textStarts[i], parts.textEnds[i]),
    );
  }

  /** Where these texts are in the bytes of the row, which are valid until another row is decoded. */
  textsInRow(doc: number): { readonly bytes: Buffer; readonly parts: RowParts } {
    const reader = this.#rowReader(doc, this.#pageRows);
    this.#rowParts.read(reader, this.kind);
    return { bytes: reader.bytes, parts: this.#rowParts };
  }

  /** The bytes of these texts, from the first to the last: equal where the texts are. */
  textBytes(doc: number, rows: ByteWindow): Buffer {
    const reader = this.#rowReader(doc, rows);
    const parts = this.#rowParts;
    parts.read(reader, this.kind);
    return reader.bytes.subarray(parts.textStarts[0], parts.textEnds[parts.texts - 1]);
  }

  /** `rows`: as of `record`. */
  id(doc: number, rows?: ByteWindow): string {
    return readId(this.#rowReader(doc, rows));
  }

  /** Of a comment. */
  answered(doc: number): ReturnType<typeof readAnswered> {
    return readAnswered(this.#rowReader(doc, this.#pageRows));
  }

  /** The symbols of the stored rows; null: rows are not compressed. */
  get symbols(): SymbolTable | null {
    const { symbols } = this.data.columns;
    if (symbols === null) return null;
    this.#symbols ??= SymbolTable.fromBytes(symbols);
    return this.#symbols;
  }

  /** Valid until the next row is read. */
  #rowReader(doc: number, rows: ReadBytes = this.#kept): ByteReader {
    const from = this.rows.at(doc);
    const length = this.rows.at(doc + 1) - from;
    const start = rows.at(this.data.footer.sections.records!.offset + from, length);
    const { symbols } = this;
    if (symbols === null) return new ByteReader(rows.bytes, start);
    symbols.decode(rows.bytes, start, start + length, this.#decoded);
    return new ByteReader(this.#decoded.bytes);
  }

  #rowPlace(doc: number) {
    const start = this.rows.at(doc);
    const { offset } = this.data.footer.sections.records!;
    return { offset: offset + start, length: this.rows.at(doc + 1) - start };
  }

  #columnFields(doc: number): ColumnFields {
    const place = this.communityOf(doc);
    const domain = this.kind === 'post' ? this.domain.at(doc) : 0;
    return {
      created: this.created.at(doc),
      score: this.score.at(doc),
      community: place.community,
      communityId: place.communityId,
      adult: place.adult,
      domain: domain === 0 ? '' : this.names.domains[domain - 1]!,
    };
  }
}

/** Of a thread: the rows of some 80 pages, if no two stand side by side. */
export const PIECE_CACHE_BYTES = 1 << 23;

/** Reading them takes no longer than reading some bytes of them. */
export const PIECE_BYTES = 1 << 12;

const cache = new BlockCache(PIECE_CACHE_BYTES);

/**
 * Pieces of one segment file: rows of the newest records, short lists, tables of lists. A read costs more than what is
 * done with so few bytes, so they are kept, as in a process that maps its files.
 */
export class KeptPieces implements ByteSource, ReadBytes {
  readonly size: number;
  readonly #source: ByteSource;
  readonly #held: HeldBlocks = new Map();
  /** For what stands in several pieces. */
  #own = Buffer.alloc(0);
  bytes: Buffer = this.#own;

  constructor(source: ByteSource) {
    this.#source = source;
    this.size = source.size;
  }

  /** Throws as `readInto` of the source does; then no piece is kept of what could not be read. */
  at(offset: number, length: number): number {
    const first = Math.floor(offset / PIECE_BYTES);
    const from = offset - first * PIECE_BYTES;
    if (from + length <= PIECE_BYTES && offset + length <= this.size) {
      const piece = this.#piece(first);
      this.bytes = piece.bytes;
      return piece.from + from;
    }
    if (this.#own.length < length) this.#own = Buffer.allocUnsafeSlow(length * 2);
    this.bytes = this.#own;
    // Long ones are read at once, and would take the room of many.
    if (from + length > 2 * PIECE_BYTES || offset + length > this.size) {
      this.#source.readInto(this.#own, offset, length);
      return 0;
    }
    const head = this.#piece(first);
    head.bytes.copy(this.#own, 0, head.from + from, head.to);
    const tail = this.#piece(first + 1);
    tail.bytes.copy(this.#own, PIECE_BYTES - from, tail.from, tail.from + from + length - PIECE_BYTES);
    return 0;
  }

  readInto(...[target, offset, length]: Parameters<ByteSource['readInto']>): void {
    if (length > PIECE_BYTES) {
      this.#source.readInto(target, offset, length);
      return;
    }
    const start = this.at(offset, length);
    const into = new Uint8Array(target.buffer, target.byteOffset, length);
    into.set(this.bytes.subarray(start, start + length));
  }

  readAhead(offset: number, length: number): void {
    this.#source.readAhead?.(offset, length);
  }

  #piece(number: number): HeldBlock {
    const known = this.#held.get(number);
    if (known !== undefined) return known;
    const offset = number * PIECE_BYTES;
    const length = Math.min(PIECE_BYTES, this.size - offset);
    return cache.hold(this.#held, number, length, (into) => this.#source.readInto(into, offset, length));
  }
}

/**
 * Dead docs of a segment, by chunk: a bit for each docId; null: none is dead. Copied when one is added. For a
 * reader, a doc is dead if it has a tombstone or a removal hides it.
 */
export type DeadDocs = readonly (Uint32Array | null)[];

export function countDead(dead: DeadDocs): number {
  return dead.reduce((sum, words) => sum + (words === null ? 0 : popcount(words, 0, CHUNK_WORDS)), 0);
}

export function isDead(dead: DeadDocs, doc: number): boolean {
  const words = dead[doc >>> 16];
  return words != null && ((words[(doc & 0xffff) >>> 5]! >>> (doc & 31)) & 1) === 1;
}

/** The same dead docs and these, with fresh words for the chunks that change. */
export function withDead(dead: DeadDocs, docs: Iterable<number>): DeadDocs {
  const changed: (Uint32Array | null)[] = [...dead];
  const fresh = new Set<number>();
  for (const doc of docs) {
    const chunk = doc >>> 16;
    if (!fresh.has(chunk)) {
      const words = new Uint32Array(new SharedArrayBuffer(CHUNK_WORDS * 4));
      const old = dead[chunk];
      if (old != null) words.set(old);
      while (changed.length <= chunk) changed.push(null);
      changed[chunk] = words;
      fresh.add(chunk);
    }
    changed[chunk]![(doc & 0xffff) >>> 5]! |= 1 << (doc & 31);
  }
  return changed;
}
