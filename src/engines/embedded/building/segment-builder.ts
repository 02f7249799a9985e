// Builds a segment from packed records: rows, posting lists, columns, in one pass over the records.

import type { Buffer } from 'node:buffer';
import { type Hash64, Sum64 } from '../../../model/hash.ts';
import { siteKeysOfLinks, siteKeysOfPost } from '../../../model/query.ts';
import type { Kind } from '../../../model/record.ts';
import { linkedDomains } from '../../../text/domains.ts';
import { ByteReader, ByteWriter } from '../../packing/bytes.ts';
import { PackedContent } from '../../packing/packed-content.ts';
import { adultOf, PackedHead, packedRow } from '../../packing/packed-records.ts';
import { RowParts } from '../../packing/record-codec.ts';
import { DictionaryWriter } from '../format/dictionary-writer.ts';
import { addToBloom, type IdRange } from '../format/ids.ts';
import { BAND, BANDS, COMMUNITY, ID, Numbering, PAIR, POST, SITE, TOKEN } from '../format/keys.ts';
import {
  ColumnDraft,
  type CommunityFacts,
  type DraftNames,
  marksFor,
  writeColumns,
} from '../format/segment-columns.ts';
import type { Footer } from '../format/segment-file.ts';
import { type ByteSink, SegmentWriter } from '../format/segment-writer.ts';
import { MIN_TRAINED_DOCS, type SymbolTable, sampleRows, trainSymbols } from '../format/symbol-table.ts';
import type { PackedRecords } from './batch-records.ts';
import { KeyPool, KeyTable, orderOf, orderOfKeys } from './keys.ts';
import { grouped, PostingCollector, type Postings } from './postings.ts';
import { NumberedTokens, PairTable, TokenPostings } from './token-postings.ts';
import { TextHasher, TokenScanner } from './token-scanner.ts';

export interface BuiltSegment {
  readonly footer: Footer;
  /** The sum of its records in the fingerprint of their kind (model/hash.ts). */
  readonly sum: Hash64;
}

/**
 * `records` are of one kind, in the order of `oldest`, each id once, at least one. `known`: symbols of existing rows of
 * the index; without them, a large segment chooses symbols from its own rows.
 */
export function buildSegment(
  sink: ByteSink,
  kind: Kind,
  records: PackedRecords,
  known: SymbolTable | null,
): BuiltSegment {
  const { bytes, places, arrivals } = records;
  const out = new SegmentWriter(sink);
  try {
    const build = new SegmentBuild(kind, bytes, places.length, symbolsFor(kind, records, known));
    out.beginSection();
    for (const [i, place] of places.entries()) build.add(place, arrivals[i]!, out);
    build.endRecords(out);
    out.endSection('records');
    const names = build.writePostings(out);
    const { columns } = build;
    writeColumns(out, columns, names);
    const footer = out.finish({
      kind,
      docs: places.length,
      ...build.idRange(),
      firstCreated: columns.created[0]!,
      lastCreated: columns.created.at(-1)!,
    });
    return { footer, sum: build.sum() };
  } catch (error) {
    // uncovered: a disk that fails while a segment is written
    out.abandon();
    throw error;
  }
}

function symbolsFor(
  kind: Kind,
  { bytes, places }: PackedRecords,
  known: SymbolTable | null,
): SymbolTable | null {
  if (places.length < MIN_TRAINED_DOCS) return null;
  return known ?? trainSymbols(sampleRows(places.length, (doc) => packedRow(kind, bytes, places[doc]!)));
}

/** Rows are handed on in portions of this many bytes. */
const ROW_BYTES = 1 << 16;

class SegmentBuild {
  readonly columns: ColumnDraft;
  readonly #kind: Kind;
  readonly #symbols: SymbolTable | null;
  readonly #reader: ByteReader;
  readonly #head = new PackedHead();
  readonly #parts = new RowParts();
  readonly #content = new PackedContent();
  /** By doc: 1 + number of the post it belongs to; 0: none. */
  readonly #post: Uint32Array;
  readonly #placeKeys = new KeyTable();
  readonly #places: CommunityFacts[] = [];
  readonly #waiting = new ByteWriter(ROW_BYTES);
  readonly #ids = new KeyPool();
  readonly #posts = new KeyTable();
  readonly #domains: DomainFields;
  readonly #scanner = new TokenScanner();
  readonly #hasher = new TextHasher();
  readonly #tokens = new TokenPostings();
  readonly #pairs = new PairTable();
  readonly #sum = new Sum64();
  #doc = 0;
  #written = 0;

  /** `bytes`: the packed records. */
  constructor(kind: Kind, bytes: Buffer, docs: number, symbols: SymbolTable | null) {
    this.#kind = kind;
    this.#symbols = symbols;
    this.#reader = new ByteReader(bytes);
    this.columns = new ColumnDraft(docs);
    this.#post = new Uint32Array(docs);
    this.#domains = new DomainFields(this.columns.domain);
  }

  /** Adds the packed record that begins at `at`. `arrival` 0: it arrives with the segment. */
  add(at: number, arrival: number, out: SegmentWriter): void {
    const doc = this.#doc;
    const reader = this.#reader;
    reader.at = at;
    this.#head.read(reader);
    this.columns.created[doc] = this.#head.created;
    this.columns.score[doc] = this.#head.score;
    this.#addPlace(reader);
    const domainLength = this.#kind === 'post' ? reader.varint() : 0;
    const domain = reader.at;
    reader.at += domainLength;
    this.#addRow(reader.at, out);
    const { parts, mayHoldLink } = this.#readRow(reader);
    if (this.#kind === 'post') {
      this.#domains.addPost(reader.bytes, domain, domain + domainLength, parts.hasUrl);
    } else if (mayHoldLink) {
      // Finding links is one of the most expensive steps.
      this.#domains.addComment(reader.bytes.toString('utf8', parts.textStarts[0], parts.textEnds[0]));
    }
    const content = this.#content;
    content.read(this.#kind, reader.bytes, at);
    const marks = marksFor(content.isParentUnknown, content.isWithdrawn);
    this.columns.facts.set(doc, content, marks, content.isWithdrawn ? 0 : this.#hasher.hash(), arrival);
    this.#sum.add(content.mix);
    this.#domains.endDoc();
    this.#tokens.endDoc();
    this.#pairs.endDoc();
    this.#doc++;
  }

  sum(): Hash64 {
    return this.#sum.value();
  }

  endRecords(out: SegmentWriter): void {
    this.#handOn(out);
    this.columns.rows[this.#doc] = this.#written;
    // uncovered: 4 GiB of records in one batch
    if (this.#written > 0xffffffff) throw new Error('expected at most 4 GiB of records in a segment');
  }

  idRange(): IdRange {
    return this.#ids.idRange();
  }

  /** Keys are written in the order of their letters. */
  writePostings(out: SegmentWriter): DraftNames {
    out.beginSection();
    const dictionary = new DictionaryWriter(out, this.#doc);
    writeBands(dictionary, this.columns.score);
    this.#writeCommunities(dictionary);
    // Each id has one doc, of its own number.
    const docs = Uint32Array.from({ length: this.#doc + 1 }, (_, doc) => doc);
    writeKeys(dictionary, ID, this.#ids, { docs, starts: docs });
    const { pool: posts } = this.#posts;
    writeKeys(
      dictionary,
      POST,
      posts,
      grouped(this.#post, posts.count, (post) => post - 1),
    );
    this.#writePairsAndTokens(dictionary);
    const blocks = dictionary.finish();
    out.endSection('postings');
    this.#domains.finish();
    return {
      places: this.#places,
      domains: this.#domains.names,
      domainSets: this.#domains.sets,
      blocks,
      symbols: this.#symbols,
    };
  }

  #handOn(out: SegmentWriter): void {
    out.append(this.#waiting.written());
    this.#written += this.#waiting.length;
    this.#waiting.length = 0;
  }

  /** Leaves the reader after the place of the community. */
  #addPlace(reader: ByteReader): void {
    const { at, bytes } = reader;
    reader.skipText();
    reader.skipText();
    const adult = adultOf(reader.byte());
    const number = this.#placeKeys.number(bytes, at, reader.at);
    if (number === this.#places.length) {
      const place = new ByteReader(bytes, at);
      this.#places.push({ community: place.text(), communityId: place.text(), adult });
    }
    this.columns.place[this.#doc] = number;
  }

  #addRow(start: number, out: SegmentWriter): void {
    if (this.#waiting.length > ROW_BYTES) this.#handOn(out);
    this.columns.rows[this.#doc] = this.#written + this.#waiting.length;
    const { bytes } = this.#reader;
    if (this.#symbols === null) this.#waiting.raw(bytes, start, this.#head.end);
    else this.#symbols.encode(bytes, start, this.#head.end, this.#waiting);
  }

  #readRow(reader: ByteReader): { readonly parts: RowParts; readonly mayHoldLink: boolean } {
    const { bytes } = reader;
    const parts = this.#parts;
    parts.read(reader, this.#kind);
    this.#ids.add(bytes, parts.idStart, parts.idEnd);
    addToBloom(this.columns.bloom, bytes, parts.idStart, parts.idEnd);
    if (parts.postEnd > parts.postStart) {
      this.#post[this.#doc] = 1 + this.#posts.number(bytes, parts.postStart, parts.postEnd);
    }
    const scanner = this.#scanner;
    const hasher = this.#hasher;
    hasher.clear();
    scanner.clear();
    let mayHoldLink = false;
    for (let text = 0; text < parts.texts; text++) {
      scanner.scan(bytes, parts.textStarts[text]!, parts.textEnds[text]!);
      hasher.add(scanner.texts, bytes, parts.textStarts[text]!, parts.textEnds[text]!);
      if (scanner.mayHoldLink) mayHoldLink = true;
    }
    this.#tokens.add(scanner);
    this.#pairs.add(scanner);
    return { parts, mayHoldLink };
  }

  #writeCommunities(dictionary: DictionaryWriter): void {
    const numbering = new Numbering<string>();
    const ofPlace = this.#places.map(({ community }) => numbering.number(community, community));
    const { docs, starts } = grouped(this.columns.place, numbering.values.length, (place) => ofPlace[place]!);
    for (const number of orderOf(numbering.values)) {
      dictionary.add(COMMUNITY + numbering.values[number]!, docs, starts[number]!, starts[number + 1]!);
    }
  }

  #writePairsAndTokens(dictionary: DictionaryWriter): void {
    const tokens = new NumberedTokens(this.#scanner.others.pool);
    this.#pairs.forEach(tokens, (first, second, { docs, payloads }, from, to) => {
      dictionary.beginKey(PAIR);
      dictionary.appendKey(first, 0, first.length);
      dictionary.appendKey(PAIR_SEPARATOR, 0, 1);
      dictionary.appendKey(second, 0, second.length);
      dictionary.addDocs(docs, from, to, payloads);
    });
    this.#domains.write(dictionary);
    this.#tokens.forEach(tokens, (bytes, start, end, { docs, payloads }, from, to) => {
      dictionary.beginKey(TOKEN);
      dictionary.appendKey(bytes, start, end);
      dictionary.addDocs(docs, from, to, payloads);
    });
  }
}

const PAIR_SEPARATOR = Uint8Array.of(0);

/** Lists of keys that begin with a letter, by number of the rest in the pool. */
function writeKeys(
  dictionary: DictionaryWriter,
  letter: string,
  pool: KeyPool,
  { docs, starts }: Pick<Postings, 'docs' | 'starts'>,
): void {
  for (const number of orderOfKeys(pool)) {
    dictionary.beginKey(letter);
    dictionary.appendKey(pool.bytes, pool.starts[number]!, pool.starts[number + 1]!);
    dictionary.addDocs(docs, starts[number]!, starts[number + 1]!);
  }
}

/** Bands without records have no key. */
function writeBands(dictionary: DictionaryWriter, scores: Int32Array): void {
  const docs = new Uint32Array(scores.length);
  for (const { min, max, name } of BANDS) {
    let length = 0;
    for (let doc = 0; doc < scores.length; doc++) {
      const score = scores[doc]!;
      if (score >= min && score <= max) docs[length++] = doc;
    }
    if (length > 0) dictionary.add(BAND + name, docs, 0, length);
  }
}

class DomainFields {
  /** By doc: its domain (format/segment-columns.ts); sets of domains are added at the end. */
  readonly #column: Uint32Array;
  readonly sets: number[][] = [];
  readonly #names = new Numbering<string>();
  /** Docs with several domains, and the number of their set. */
  readonly #several: [doc: number, set: number][] = [];
  readonly #sites = new Numbering<string>();
  readonly #postings = new PostingCollector();
  /**
   * Domains of posts as bytes. The fields of a post follow from the domain's number and whether the post has an
   * address.
   */
  readonly #ofPosts = new KeyTable();
  readonly #known = new Map<number, { readonly column: number; readonly sites: readonly number[] }>();
  #doc = 0;

  constructor(column: Uint32Array) {
    this.#column = column;
  }

  get names(): readonly string[] {
    return this.#names.values;
  }

  /** Adds the current doc as a post whose domain is in `bytes` from `start` to `end`. */
  addPost(bytes: Buffer, start: number, end: number, hasUrl: boolean): void {
    const number = this.#ofPosts.number(bytes, start, end);
    const known = this.#known.getOrInsertComputed(number * 2 + (hasUrl ? 1 : 0), () => {
      const domain = bytes.toString('utf8', start, end);
      const sites = siteKeysOfPost({ domain, url: hasUrl ? domain : null });
      const column = domain === '' ? 0 : 1 + this.#names.number(domain, domain);
      return { column, sites: this.#numbersOf(sites) };
    });
    for (const site of known.sites) this.#postings.add(site);
    this.#column[this.#doc] = known.column;
  }

  addComment(body: string): void {
    const domains = linkedDomains(body);
    if (domains.length === 0) return;
    for (const site of this.#numbersOf(siteKeysOfLinks(domains))) this.#postings.add(site);
    const numbers = domains.map((domain) => this.#names.number(domain, domain));
    if (numbers.length === 1) this.#column[this.#doc] = numbers[0]! + 1;
    else this.#several.push([this.#doc, this.sets.push(numbers) - 1]);
  }

  endDoc(): void {
    this.#postings.endDoc();
    this.#doc++;
  }

  finish(): void {
    for (const [doc, set] of this.#several) this.#column[doc] = this.names.length + 1 + set;
  }

  write(dictionary: DictionaryWriter): void {
    const keys = this.#sites.values;
    const { docs, starts } = this.#postings.finish(keys.length);
    for (const number of orderOf(keys)) {
      dictionary.add(SITE + keys[number]!, docs, starts[number]!, starts[number + 1]!);
    }
  }

  #numbersOf(keys: readonly string[]): number[] {
    return keys.map((key) => this.#sites.number(key, key));
  }
}
