// The columns of a segment: a number for each docId. Those drawn here are read into memory that all threads share,
// whole or by chunk (columns/paged-column.ts); others follow them, see segment-columns.ts.
//
//   created    u32 Unix seconds, never going down
//   score      i16 where all fit, else i32
//   place      u16 or u32, number of the facts on its community (segment-columns.ts)
//   domain     u16 or u32: 0 none; n + 1 the domain numbered n; above the number of domains d: set n − d − 1
//   rows       u32, where each stored record begins in the section of records, and the end of the last
//              these five by column-codec.ts
//   bloom      u32 words (ids.ts)
//   blockOffsets f64, blockKeyStarts u32, blockKeys u8 (dictionary.ts)
//   symbols    what stored rows are written with (symbol-table.ts); absent where they stand as they are
//   places, domains, domainSets   JSON: facts on communities; names; arrays of numbers of domains
//
// Columns that no query needs in memory: they are read by chunk when somebody asks (columns/fact-reader.ts).
//
//   retrieved      u32 Unix seconds, 0 unknown; RETRIEVED_IN_ROW: as the row says
//   sentiment      i32 ten-thousandths; UNRATED; RATED_IN_ROW: as the row says
//   marks          u32 sum of PARENT_UNKNOWN, ARRIVAL_UNKNOWN and WITHDRAWN
//   arrival        u32 number of the commit that brought the record in; 0: what the manifest says of the segment
//   contentHigh, contentLow   u32 each, the hash of model/hash.ts
//   textHash       u32, the hash of model/hash.ts
//                  all of them by column-codec.ts
//
// Rows say retrieved and sentiment as well: otherwise a page of scattered records would read three places for each
// record instead of one.
//
// What records say of their communities is numbered as well: CommunityFacts.

import type { Hash64 } from '../../../model/hash.ts';
import { MAX_TIME, type StoredRecord } from '../../../model/record.ts';
import { UNCOUNTED } from '../../../model/time.ts';
import { encodeColumn } from './column-codec.ts';
import type { BlockIndex } from './dictionary.ts';
import { makeBloom } from './ids.ts';
import type { ByteSource, Footer } from './segment-file.ts';
import type { SegmentWriter } from './segment-writer.ts';
import type { SymbolTable } from './symbol-table.ts';

/** The columns that stay in memory as a whole. */
export interface WholeColumns {
  readonly created: Uint32Array;
  readonly score: Int16Array | Int32Array;
  readonly place: Uint16Array | Uint32Array;
  readonly domain: Uint16Array | Uint32Array;
  readonly rows: Uint32Array;
  readonly bloom: Uint32Array;
}

/** What is in memory of a segment, however large it is. */
export interface Columns extends BlockIndex {
  readonly symbols: Uint8Array | null;
}

export class ColumnDraft {
  readonly created: Uint32Array;
  readonly score: Int32Array;
  readonly place: Uint32Array;
  readonly domain: Uint32Array;
  readonly rows: Uint32Array;
  readonly facts: FactDraft;
  readonly bloom: Uint32Array;

  constructor(docs: number) {
    this.created = new Uint32Array(docs);
    this.score = new Int32Array(docs);
    this.place = new Uint32Array(docs);
    this.domain = new Uint32Array(docs);
    this.rows = new Uint32Array(docs + 1);
    this.facts = new FactDraft(docs);
    this.bloom = makeBloom(docs);
  }
}

export interface DraftNames {
  readonly places: readonly CommunityFacts[];
  readonly domains: readonly string[];
  readonly domainSets: readonly (readonly number[])[];
  readonly blocks: BlockIndex;
  readonly symbols: SymbolTable | null;
}

export function writeColumns(out: SegmentWriter, draft: ColumnDraft, names: DraftNames): void {
  const section = (name: string, numbers: ArrayBufferView) =>
    out.section(name, new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength));
  for (const name of CODED) section(name, encodeColumn(draft[name]));
  for (const name of FACT_COLUMNS) section(name, encodeColumn(draft.facts[name]));
  section('bloom', draft.bloom);
  const { places, domains, domainSets, blocks, symbols } = names;
  if (symbols !== null) section('symbols', symbols.toBytes());
  section('places', encodeFacts(places));
  section('domains', Buffer.from(JSON.stringify(domains)));
  section('domainSets', Buffer.from(JSON.stringify(domainSets)));
  section('blockOffsets', blocks.offsets);
  section('blockKeyStarts', blocks.keyStarts);
  section('blockKeys', blocks.keys);
}

const CODED = ['created', 'score', 'place', 'domain', 'rows'] as const;

const NAMES = ['places', 'domains', 'domainSets'] as const;

/**
 * Reads the columns of the segment into shared memory and checks the names. Throws a StorageError if something is
 * wrong.
 */
export function loadColumns(source: ByteSource, footer: Footer): Columns {
  const { sections } = footer;
  const shared = (name: string) =>
    readSection(source, footer, name, new Uint8Array(new SharedArrayBuffer(sections[name]!.length)));
  for (const name of NAMES) readNames(source, footer, name);
  return {
    symbols: sections.symbols === undefined ? null : shared('symbols'),
    offsets: new Float64Array(shared('blockOffsets').buffer),
    keyStarts: new Uint32Array(shared('blockKeyStarts').buffer),
    keys: shared('blockKeys'),
  };
}

let names = new Uint8Array(0);

/** JSON, valid until the thread reads other names. Throws as `loadColumns` does. */
export function readNames(source: ByteSource, footer: Footer, name: (typeof NAMES)[number]): Uint8Array {
  const { length } = footer.sections[name]!;
  if (names.length < length) names = new Uint8Array(length);
  return readSection(source, footer, name, names.subarray(0, length));
}

/** Fills `target`, which has the length of the section. */
function readSection<T extends ArrayBufferLike>(
  source: ByteSource,
  { sections }: Footer,
  name: string,
  target: Uint8Array<T>,
): Uint8Array<T> {
  const { offset, length } = sections[name]!;
  source.readInto(target as Uint8Array<ArrayBuffer>, offset, length);
  return target;
}

export function namesBytes({ sections }: Footer): number {
  return NAMES.reduce((sum, name) => sum + sections[name]!.length, 0);
}

export const FACT_COLUMNS = [
  ...(['retrieved', 'sentiment', 'marks', 'arrival'] as const),
  ...(['contentHigh', 'contentLow', 'textHash'] as const),
] as const;

export type FactColumn = (typeof FACT_COLUMNS)[number];

/** The time of retrieval is no whole second before MAX_TIME, so the row has it. */
export const RETRIEVED_IN_ROW: number = MAX_TIME;
/** A comment without a rating, and every post. */
export const UNRATED = -0x8000;
/** The rating is no whole number of ten-thousandths from −3 to 3, so the row has it. */
export const RATED_IN_ROW = -0x7fff;
const MOST_RATED = 3;

/** A comment does not say what it answers. */
export const PARENT_UNKNOWN = 1;
/** The record came in before arrivals were counted. */
export const ARRIVAL_UNKNOWN = 2;
/** The text was deleted or removed on the site. */
export const WITHDRAWN = 4;

interface ColumnFacts {
  readonly retrieved: number;
  /** null for a post. */
  readonly sentiment: number | null;
  readonly content: Hash64;
}

export class FactDraft implements Readonly<Record<FactColumn, Uint32Array | Int32Array>> {
  readonly retrieved: Uint32Array;
  readonly sentiment: Int32Array;
  readonly marks: Uint32Array;
  readonly arrival: Uint32Array;
  readonly contentHigh: Uint32Array;
  readonly contentLow: Uint32Array;
  readonly textHash: Uint32Array;

  constructor(docs: number) {
    this.retrieved = new Uint32Array(docs);
    this.sentiment = new Int32Array(docs);
    this.marks = new Uint32Array(docs);
    this.arrival = new Uint32Array(docs);
    this.contentHigh = new Uint32Array(docs);
    this.contentLow = new Uint32Array(docs);
    this.textHash = new Uint32Array(docs);
  }

  /** `marks`: see `marksOf`. `arrival`: 0 if the record arrives with its segment. */
  set(doc: number, facts: ColumnFacts, marks: number, textHash: number, arrival: number): void {
    this.retrieved[doc] = columnRetrieved(facts.retrieved);
    this.sentiment[doc] = columnSentiment(facts.sentiment);
    this.contentHigh[doc] = facts.content.high;
    this.contentLow[doc] = facts.content.low;
    this.textHash[doc] = textHash;
    this.setArrival(doc, marks, arrival);
  }

  /** `marks`: ARRIVAL_UNKNOWN is set or cleared by the arrival. */
  setArrival(doc: number, marks: number, arrival: number): void {
    this.arrival[doc] = arrival;
    this.marks[doc] = arrival === UNCOUNTED ? marks | ARRIVAL_UNKNOWN : marks & ~ARRIVAL_UNKNOWN;
  }
}

/** All marks but that of the arrival, which no record has. */
export function marksOf(record: StoredRecord): number {
  return marksFor(record.kind === 'comment' && record.parent === '', record.withdrawn);
}

export function marksFor(isParentUnknown: boolean, isWithdrawn: boolean): number {
  return (isParentUnknown ? PARENT_UNKNOWN : 0) | (isWithdrawn ? WITHDRAWN : 0);
}

function columnRetrieved(retrieved: number): number {
  return retrieved >>> 0 === retrieved ? retrieved : RETRIEVED_IN_ROW;
}

export function columnSentiment(sentiment: number | null): number {
  if (sentiment === null) return UNRATED;
  const whole = Math.round(sentiment * 10_000);
  const isHere =
    Math.abs(sentiment) <= MOST_RATED && whole / 10_000 === sentiment && !Object.is(sentiment, -0);
  return isHere ? whole : RATED_IN_ROW;
}

/**
 * What a record says of its community: the name, the id that it gives, and (posts) whether the post is adult. Each
 * combination in a segment has a number, its place, which fits into 16 bits.
 */
export interface CommunityFacts {
  readonly community: string;
  readonly communityId: string;
  readonly adult: boolean | null;
}

export function factsKey({ community, communityId, adult }: CommunityFacts): string {
  return `${community}\0${communityId}\0${adult}`;
}

/** JSON: an array of three values for each. */
function encodeFacts(facts: readonly CommunityFacts[]): Uint8Array {
  return Buffer.from(
    JSON.stringify(facts.map(({ community, communityId, adult }) => [community, communityId, adult])),
  );
}

export function decodeFacts(bytes: Uint8Array): CommunityFacts[] {
  const rows = JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString()) as [
    string,
    string,
    boolean | null,
  ][];
  return rows.map(([community, communityId, adult]) => ({ community, communityId, adult }));
}
