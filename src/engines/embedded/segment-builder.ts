// Builds a segment from records: rows, posting lists, columns, in one pass over the records.

import { compareIds } from '../../model/order.ts';
import type { Kind, StoredRecord } from '../../model/record.ts';
import { breakdownDomains, siteKeys } from '../../model/sites.ts';
import { addToBloom, makeBloom } from './bloom.ts';
import { ByteReader, ByteWriter } from './bytes.ts';
import { DictionaryWriter } from './dictionary.ts';
import { orderOf, orderOfKeys } from './key-order.ts';
import { KeyPool } from './key-pool.ts';
import { KeyTable } from './key-table.ts';
import { BAND, COMMUNITY, ID, PAIR, POST, SITE, TOKEN } from './keys.ts';
import { PairTable } from './pair-table.ts';
import { PAIR_RULE } from './pairs.ts';
import { Numbering, type Place, placeKey, placeOf } from './places.ts';
import { grouped, PostingCollector } from './posting-collector.ts';
import { columnScore, RowParts, writeRecord } from './record-codec.ts';
import { BANDS } from './score-bands.ts';
import { type ColumnDraft, writeColumns } from './segment-columns.ts';
import type { Footer } from './segment-file.ts';
import { type ByteSink, SegmentWriter } from './segment-writer.ts';
import { TokenTable } from './token-table.ts';

/** One kind of key: its keys, numbered as they come, and which docs hold them. */
interface KeyField {
  readonly letter: string;
  readonly numbers: Map<string, number>;
  readonly postings: PostingCollector;
}

/** `records` are of one kind, in the order of `oldest`, each id once, at least one. */
export function buildSegment(sink: ByteSink, kind: Kind, records: readonly StoredRecord[]): Footer {
  const out = new SegmentWriter(sink);
  try {
    const build = new SegmentBuild(records.length);
    out.beginSection();
    for (const record of records) build.add(record, out);
    build.endRecords(out);
    out.endSection('records');
    const draft = build.writePostings(out);
    writeColumns(out, draft);
    const ids = idRange(records);
    return out.finish({
      kind,
      docs: records.length,
      ...ids,
      firstCreated: records[0]!.created,
      lastCreated: records.at(-1)!.created,
      pairRule: PAIR_RULE,
    });
  } catch (error) {
    out.abandon();
    throw error;
  }
}

function idRange(records: readonly StoredRecord[]): { firstId: string; lastId: string } {
  let firstId = records[0]!.id;
  let lastId = firstId;
  for (const { id } of records) {
    if (compareIds(id, firstId) < 0) firstId = id;
    if (compareIds(id, lastId) > 0) lastId = id;
  }
  return { firstId, lastId };
}

/** Rows are handed on when so many bytes have come together. */
const ROW_BYTES = 1 << 16;

class SegmentBuild {
  readonly #created: Uint32Array;
  readonly #score: Int32Array;
  readonly #place: Uint32Array;
  readonly #domain: Uint32Array;
  readonly #rows: Uint32Array;
  readonly #bloom: Uint32Array;
  /** By doc: 1 + number of the post it belongs to; 0: none. */
  readonly #post: Uint32Array;
  readonly #places = new Numbering<Place>();
  readonly #domains = new Numbering<string>();
  readonly #domainSets: number[][] = [];
  /** Docs with several domains, and the set of each. */
  readonly #severalDomains: [doc: number, set: number][] = [];
  readonly #parts = new RowParts();
  readonly #waiting = new ByteWriter(ROW_BYTES);
  readonly #ids = new KeyPool();
  readonly #posts = new KeyTable();
  readonly #sites = keyField(SITE);
  readonly #tokens = new TokenTable();
  readonly #tokenPostings = new PostingCollector();
  readonly #pairs: PairTable;
  #doc = 0;
  /** Bytes of rows that were handed on. */
  #written = 0;

  constructor(docs: number) {
    this.#created = new Uint32Array(docs);
    this.#score = new Int32Array(docs);
    this.#place = new Uint32Array(docs);
    this.#domain = new Uint32Array(docs);
    this.#rows = new Uint32Array(docs + 1);
    this.#post = new Uint32Array(docs);
    this.#bloom = makeBloom(docs);
    this.#pairs = new PairTable(docs);
  }

  add(record: StoredRecord, out: SegmentWriter): void {
    if (this.#waiting.length > ROW_BYTES) this.#handOn(out);
    const doc = this.#doc;
    const start = this.#waiting.length;
    writeRecord(this.#waiting, record);
    this.#rows[doc] = this.#written + start;
    this.#created[doc] = record.created;
    this.#score[doc] = columnScore(record.score);
    const place = placeOf(record);
    this.#place[doc] = this.#places.number(placeKey(place), place);
    addToBloom(this.#bloom, record.id);
    const mayHoldLink = this.#addRow(record.kind, start);
    // Finding links costs more than most else.
    if (record.kind === 'post' || mayHoldLink) {
      this.#addDomains(breakdownDomains(record));
      for (const site of siteKeys(record)) addKey(this.#sites, site);
    }
    this.#sites.postings.endDoc();
    this.#tokenPostings.endDoc();
    this.#pairs.endDoc();
    this.#doc++;
  }

  endRecords(out: SegmentWriter): void {
    this.#handOn(out);
    this.#rows[this.#doc] = this.#written;
    if (this.#written > 0xffffffff) throw new Error('expected at most 4 GiB of records in a segment');
  }

  /** Keys go out in the order of their letters. */
  writePostings(out: SegmentWriter): ColumnDraft {
    out.beginSection();
    const dictionary = new DictionaryWriter(out, this.#doc);
    writeBands(dictionary, this.#score);
    this.#writeCommunities(dictionary);
    this.#writeIds(dictionary);
    this.#writePosts(dictionary);
    this.#writePairsAndTokens(dictionary);
    const blocks = dictionary.finish();
    out.endSection('postings');
    for (const [doc, set] of this.#severalDomains) this.#domain[doc] = this.#domains.values.length + 1 + set;
    return {
      created: this.#created,
      score: this.#score,
      place: this.#place,
      domain: this.#domain,
      rows: this.#rows,
      bloom: this.#bloom,
      places: this.#places.values,
      domains: this.#domains.values,
      domainSets: this.#domainSets,
      blocks,
    };
  }

  #handOn(out: SegmentWriter): void {
    out.append(this.#waiting.written());
    this.#written += this.#waiting.length;
    this.#waiting.length = 0;
  }

  /** Takes id, post and tokens from the row that begins at `start`; returns whether a link may stand in it. */
  #addRow(kind: Kind, start: number): boolean {
    const { bytes } = this.#waiting;
    const parts = this.#parts;
    parts.read(new ByteReader(bytes, start), kind);
    this.#ids.add(bytes, parts.idStart, parts.idEnd);
    if (parts.postEnd > parts.postStart) {
      this.#post[this.#doc] = 1 + this.#posts.number(bytes, parts.postStart, parts.postEnd);
    }
    const tokens = this.#tokens;
    let mayHoldLink = false;
    for (let text = 0; text < parts.texts; text++) {
      const found = tokens.scan(bytes, parts.textStarts[text]!, parts.textEnds[text]!);
      for (let i = 0; i < found; i++) this.#tokenPostings.add(tokens.numbers[i]!);
      this.#pairs.addText(tokens.numbers, tokens.labels, found);
      if (tokens.mayHoldLink) mayHoldLink = true;
    }
    return mayHoldLink;
  }

  #addDomains(domains: readonly string[]): void {
    if (domains.length === 0) return;
    const numbers = domains.map((domain) => this.#domains.number(domain, domain));
    if (numbers.length === 1) this.#domain[this.#doc] = numbers[0]! + 1;
    else this.#severalDomains.push([this.#doc, this.#domainSets.push(numbers) - 1]);
  }

  #writeCommunities(dictionary: DictionaryWriter): void {
    const numbering = new Numbering<string>();
    const ofPlace = this.#places.values.map(({ community }) => numbering.number(community, community));
    const { docs, starts } = grouped(this.#place, numbering.values.length, (place) => ofPlace[place]!);
    for (const number of orderOf(numbering.values)) {
      dictionary.beginKey(COMMUNITY);
      const key = Buffer.from(numbering.values[number]!);
      dictionary.appendKey(key, 0, key.length);
      dictionary.addDocs(docs, starts[number]!, starts[number + 1]!);
    }
  }

  #writeIds(dictionary: DictionaryWriter): void {
    const { bytes, starts } = this.#ids;
    const doc = new Uint32Array(1);
    for (const number of orderOfKeys(this.#ids)) {
      doc[0] = number;
      dictionary.beginKey(ID);
      dictionary.appendKey(bytes, starts[number]!, starts[number + 1]!);
      dictionary.addDocs(doc, 0, 1);
    }
  }

  #writePosts(dictionary: DictionaryWriter): void {
    const { pool } = this.#posts;
    const { docs, starts } = grouped(this.#post, pool.count, (post) => post - 1);
    for (const number of orderOfKeys(pool)) {
      dictionary.beginKey(POST);
      dictionary.appendKey(pool.bytes, pool.starts[number]!, pool.starts[number + 1]!);
      dictionary.addDocs(docs, starts[number]!, starts[number + 1]!);
    }
  }

  /** The order of pairs is that of their tokens, so it is found without a text for each pair. */
  #writePairsAndTokens(dictionary: DictionaryWriter): void {
    const { pool } = this.#tokens.keys;
    const order = orderOfKeys(pool);
    const ranks = new Uint32Array(order.length);
    for (let rank = 0; rank < order.length; rank++) ranks[order[rank]!] = rank;
    this.#pairs.forEach(ranks, (first, second, docs, from, to) => {
      dictionary.beginKey(PAIR);
      dictionary.appendKey(pool.bytes, pool.starts[first]!, pool.starts[first + 1]!);
      dictionary.appendKey(PAIR_SEPARATOR, 0, 1);
      dictionary.appendKey(pool.bytes, pool.starts[second]!, pool.starts[second + 1]!);
      dictionary.addDocs(docs, from, to);
    });
    writeField(dictionary, this.#sites);
    const { docs, starts } = this.#tokenPostings.finish(order.length);
    for (const number of order) {
      dictionary.beginKey(TOKEN);
      dictionary.appendKey(pool.bytes, pool.starts[number]!, pool.starts[number + 1]!);
      dictionary.addDocs(docs, starts[number]!, starts[number + 1]!);
    }
  }
}

const PAIR_SEPARATOR = Uint8Array.of(0);

function keyField(letter: string): KeyField {
  return { letter, numbers: new Map(), postings: new PostingCollector() };
}

function addKey({ numbers, postings }: KeyField, key: string): void {
  let number = numbers.get(key);
  if (number === undefined) {
    number = numbers.size;
    numbers.set(key, number);
  }
  postings.add(number);
}

function writeField(dictionary: DictionaryWriter, { letter, numbers, postings }: KeyField): void {
  const keys = [...numbers.keys()];
  const { docs, starts } = postings.finish(keys.length);
  for (const number of orderOf(keys)) {
    const list = docs.subarray(starts[number]!, starts[number + 1]!);
    dictionary.add(letter + keys[number]!, list, list.length);
  }
}

/** A band without a record has no key. */
function writeBands(dictionary: DictionaryWriter, scores: Int32Array): void {
  const docs = new Uint32Array(scores.length);
  for (const { min, max, name } of BANDS) {
    let length = 0;
    for (let doc = 0; doc < scores.length; doc++) {
      const score = scores[doc]!;
      if (score >= min && score <= max) docs[length++] = doc;
    }
    if (length > 0) dictionary.add(BAND + name, docs, length);
  }
}
