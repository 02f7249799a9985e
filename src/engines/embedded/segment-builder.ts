// Builds a segment from records: rows, posting lists, columns, in one pass over the records.

import { compareIds } from '../../model/order.ts';
import { type Kind, type StoredRecord, searchedTexts } from '../../model/record.ts';
import { breakdownDomains, siteKeys } from '../../model/sites.ts';
import { addToBloom, makeBloom } from './bloom.ts';
import { ByteWriter } from './bytes.ts';
import { DictionaryWriter } from './dictionary.ts';
import { orderOf } from './key-order.ts';
import { BAND, COMMUNITY, ID, POST, pairKey, postOf, SITE, TOKEN } from './keys.ts';
import { isPair, PAIR_RULE } from './pairs.ts';
import { Numbering, type Place, placeKey, placeOf } from './places.ts';
import { PairNumbering, PostingCollector, type Postings } from './posting-collector.ts';
import { columnScore, writeRecord } from './record-codec.ts';
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
    build.endRecords();
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

class SegmentBuild {
  readonly #created: Uint32Array;
  readonly #score: Int32Array;
  readonly #place: Uint32Array;
  readonly #domain: Uint32Array;
  readonly #rows: Uint32Array;
  readonly #bloom: Uint32Array;
  readonly #places = new Numbering<Place>();
  readonly #domains = new Numbering<string>();
  readonly #domainSets: number[][] = [];
  /** Docs with several domains, and the set of each. */
  readonly #severalDomains: [doc: number, set: number][] = [];
  readonly #row = new ByteWriter(1 << 12);
  readonly #ids: string[] = [];
  readonly #communities = keyField(COMMUNITY);
  readonly #posts = keyField(POST);
  readonly #sites = keyField(SITE);
  readonly #tokens = new TokenTable();
  readonly #tokenPostings = new PostingCollector();
  readonly #pairs = new PairNumbering();
  readonly #pairPostings = new PostingCollector();
  #doc = 0;
  #rowStart = 0;

  constructor(docs: number) {
    this.#created = new Uint32Array(docs);
    this.#score = new Int32Array(docs);
    this.#place = new Uint32Array(docs);
    this.#domain = new Uint32Array(docs);
    this.#rows = new Uint32Array(docs + 1);
    this.#bloom = makeBloom(docs);
  }

  add(record: StoredRecord, out: SegmentWriter): void {
    const doc = this.#doc;
    this.#created[doc] = record.created;
    this.#score[doc] = columnScore(record.score);
    const place = placeOf(record);
    this.#place[doc] = this.#places.number(placeKey(place), place);
    const domains = breakdownDomains(record);
    this.#addDomains(domains);
    this.#ids.push(record.id);
    addToBloom(this.#bloom, record.id);
    addKey(this.#communities, record.community);
    const post = postOf(record);
    if (post !== '') addKey(this.#posts, post);
    // Finding links costs more than most else: a record without a domain is found by none.
    if (domains.length > 0) for (const site of siteKeys(record)) addKey(this.#sites, site);
    for (const text of searchedTexts(record)) this.#addText(text);
    for (const { postings } of [this.#communities, this.#posts, this.#sites]) postings.endDoc();
    this.#tokenPostings.endDoc();
    this.#pairPostings.endDoc();
    this.#row.length = 0;
    writeRecord(this.#row, record);
    out.append(this.#row.written());
    this.#rows[doc] = this.#rowStart;
    this.#rowStart += this.#row.length;
    this.#doc++;
  }

  endRecords(): void {
    this.#rows[this.#doc] = this.#rowStart;
    if (this.#rowStart > 0xffffffff) throw new Error('expected at most 4 GiB of records in a segment');
  }

  /** Keys go out in the order of their letters. */
  writePostings(out: SegmentWriter): ColumnDraft {
    out.beginSection();
    const dictionary = new DictionaryWriter(out, this.#doc);
    writeBands(dictionary, this.#score);
    writeField(dictionary, this.#communities);
    this.#writeIds(dictionary);
    writeField(dictionary, this.#posts);
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

  #addDomains(domains: readonly string[]): void {
    if (domains.length === 0) return;
    const numbers = domains.map((domain) => this.#domains.number(domain, domain));
    if (numbers.length === 1) this.#domain[this.#doc] = numbers[0]! + 1;
    else this.#severalDomains.push([this.#doc, this.#domainSets.push(numbers) - 1]);
  }

  #addText(text: string): void {
    const table = this.#tokens;
    const found = table.scan(text);
    const { numbers, classes } = table;
    let previous = 0;
    let previousClass = 0;
    for (let i = 0; i < found; i++) {
      const number = numbers[i]!;
      this.#tokenPostings.add(number);
      const ownClass = classes[number]!;
      // The class before the first token is 0, which makes no pair.
      if (isPair(previousClass, ownClass)) this.#pairPostings.add(this.#pairs.number(previous, number));
      previous = number;
      previousClass = ownClass;
    }
  }

  #writeIds(dictionary: DictionaryWriter): void {
    const doc = new Uint32Array(1);
    for (const number of orderOf(this.#ids)) {
      doc[0] = number;
      dictionary.add(ID + this.#ids[number]!, doc, 1);
    }
  }

  /** The order of pairs is that of their tokens, so it is found without a text for each pair. */
  #writePairsAndTokens(dictionary: DictionaryWriter): void {
    const { texts } = this.#tokens;
    const order = orderOf(texts);
    const ranks = new Uint32Array(texts.length);
    for (let rank = 0; rank < order.length; rank++) ranks[order[rank]!] = rank;
    const pairs = this.#pairs;
    const pairPostings = this.#pairPostings.finish(pairs.count);
    for (const pair of pairs.inOrder(ranks)) {
      const key = pairKey(texts[pairs.first(pair)]!, texts[pairs.second(pair)]!);
      addList(dictionary, key, pairPostings, pair);
    }
    writeField(dictionary, this.#sites);
    const postings = this.#tokenPostings.finish(texts.length);
    for (const number of order) addList(dictionary, TOKEN + texts[number]!, postings, number);
  }
}

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
  const lists = postings.finish(keys.length);
  for (const number of orderOf(keys)) addList(dictionary, letter + keys[number]!, lists, number);
}

function addList(
  dictionary: DictionaryWriter,
  key: string,
  { docs, starts }: Postings,
  number: number,
): void {
  const from = starts[number]!;
  const to = starts[number + 1]!;
  dictionary.add(key, docs.subarray(from, to), to - from);
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
