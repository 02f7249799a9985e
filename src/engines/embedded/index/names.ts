// The names that a segment's columns number, communities and domains, as a thread has them, and the numbers that names
// of all segments have in a breakdown. Names are read from the file when they are asked for, and numbered as they are
// written: as strings in JSON, each in one way, so that names are equal where their bytes are, and most of them are
// compared without being made.

import { Buffer } from 'node:buffer';
import { beginsWith, type NameField } from '../../../model/engine.ts';
import { byteHash, grown } from '../../packing/bytes.ts';
import { ByteTable } from '../format/byte-table.ts';
import { type CommunityFacts, decodeFacts, factsKey, readNames } from '../format/segment-columns.ts';
import type { ByteSource, Footer } from '../format/segment-file.ts';

/** Names in JSON: `starts` has the place after the opening quote of each. */
interface WrittenNames {
  readonly bytes: Uint8Array;
  readonly starts: Uint32Array;
}

export class SegmentNames {
  readonly #source: ByteSource;
  readonly #footer: Footer;
  /** For each place, where its community's name begins in the section; undefined: not looked up yet. */
  #placeStarts: Uint32Array | undefined;
  /** The places that were asked for, by number. */
  readonly #places: CommunityFacts[] = [];
  /** Made once: places stay, whichever of their records live. */
  #chains: PlaceChains | undefined;
  #domains: readonly string[] | undefined;
  #domainCount = -1;
  #domainSets: readonly (readonly number[])[] | undefined;

  constructor(source: ByteSource, footer: Footer) {
    this.#source = source;
    this.#footer = footer;
  }

  get placeCount(): number {
    return this.#startsOfPlaces().length;
  }

  placeAt(place: number): CommunityFacts {
    this.#places[place] ??= sharedFact(this.#readPlace(place));
    return this.#places[place];
  }

  /** The places of a community, by number, descending. `hash`: `nameHash` of its name. */
  placesOf(name: string, hash: number): readonly number[] {
    this.#chains ??= new PlaceChains(this.written('community'));
    const found: number[] = [];
    for (let place = this.#chains.last(hash); place >= 0; place = this.#chains.before(place)) {
      if (this.placeAt(place).community === name) found.push(place);
    }
    return found;
  }

  /** All of them, by number. */
  places(): readonly CommunityFacts[] {
    return decodeFacts(this.#read('places')).map(sharedFact);
  }

  /** Valid until the thread reads other names. */
  written(field: NameField): WrittenNames {
    if (field === 'community') {
      const starts = this.#startsOfPlaces();
      return { bytes: this.#read('places'), starts };
    }
    const bytes = this.#read('domains');
    return { bytes, starts: stringStarts(bytes) };
  }

  /** Announces a call of `written` (ByteSource.readAhead). */
  readAhead(field: NameField): void {
    const { offset, length } = this.#footer.sections[field === 'community' ? 'places' : 'domains']!;
    this.#source.readAhead?.(offset, length);
  }

  /**
   * The names that the column `domain` numbers. Those of posts are cached, since each post shows one; those of comments
   * are read again.
   */
  get domains(): readonly string[] {
    if (this.#domains !== undefined) return this.#domains;
    const domains = parse<string[]>(this.#read('domains'));
    if (this.#footer.kind === 'post') this.#domains = sharedNames(domains);
    return this.#domains ?? domains;
  }

  get domainCount(): number {
    if (this.#domainCount < 0) this.#domainCount = stringStarts(this.#read('domains')).length;
    return this.#domainCount;
  }

  get domainSets(): readonly (readonly number[])[] {
    this.#domainSets ??= parse<number[][]>(this.#read('domainSets'));
    return this.#domainSets;
  }

  #startsOfPlaces(): Uint32Array {
    // Before each name stand the name and the id of the place before it.
    this.#placeStarts ??= stringStarts(this.#read('places')).filter((_, i) => i % 2 === 0);
    return this.#placeStarts;
  }

  #readPlace(place: number): CommunityFacts {
    const starts = this.#startsOfPlaces();
    const { offset, length } = this.#footer.sections.places!;
    // `["` precedes each place, and a comma or the end follows.
    const begin = starts[place]! - 2;
    const end = place + 1 < starts.length ? starts[place + 1]! - 3 : length - 1;
    const bytes = new Uint8Array(end - begin);
    this.#source.readInto(bytes, offset + begin, bytes.length);
    return decodeFacts(Buffer.concat([Buffer.from('['), bytes, Buffer.from(']')]))[0]!;
  }

  #read(name: 'places' | 'domains' | 'domainSets'): Uint8Array {
    return readNames(this.#source, this.#footer, name);
  }
}

function parse<T>(bytes: Uint8Array): T {
  return JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString()) as T;
}

/** Starts again above this many different names, which drops unused ones. */
const MAX_KNOWN = 2 ** 20;

/**
 * Keeps one copy for a thread of names that many segments have: in a hundred million records with two hundred segments,
 * nearly every segment has each community's name.
 */
class Known<T> {
  readonly #known = new Map<string, T>();

  /** The first value that was given for this key. */
  first(key: string, value: T): T {
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    if (this.#known.size >= MAX_KNOWN) this.#known.clear();
    this.#known.set(key, value);
    return value;
  }
}

const names = new Known<string>();
const facts = new Known<CommunityFacts>();

/** The same names in a new array, with shared strings. */
export function sharedNames(own: readonly string[]): readonly string[] {
  return own.map((name) => names.first(name, name));
}

export function sharedFact(own: CommunityFacts): CommunityFacts {
  return facts.first(factsKey(own), own);
}

type PlaceNumbers = Uint16Array | Uint32Array;

/**
 * Finds the places of a segment by a hash of the written name of their community, in chains. Takes two numbers for each
 * place; a Map with the names would take ten times as much, in each thread and for each segment.
 */
class PlaceChains {
  /** By the last bits of a hash: 1 + the last place with them; 0: none. */
  readonly #last: PlaceNumbers;
  /** By place: 1 + the place before it in its chain; 0: it is the first. */
  readonly #before: PlaceNumbers;

  constructor({ bytes, starts }: WrittenNames) {
    const count = starts.length;
    const numbers = (length: number) => (count < 2 ** 16 ? new Uint16Array(length) : new Uint32Array(length));
    this.#last = numbers(2 ** Math.ceil(Math.log2(count + 1)));
    this.#before = numbers(count);
    for (let number = 0; number < count; number++) {
      const start = starts[number]!;
      const at = byteHash(bytes, start, stringEnd(bytes, start)) & (this.#last.length - 1);
      this.#before[number] = this.#last[at]!;
      this.#last[at] = number + 1;
    }
  }

  /** The last place whose name may have this hash; −1: none. */
  last(hash: number): number {
    return this.#last[hash & (this.#last.length - 1)]! - 1;
  }

  /** The place before this one in its chain; −1: none. */
  before(place: number): number {
    return this.#before[place]! - 1;
  }
}

/** The hash by which `placesOf` finds a name in all segments. */
export function nameHash(name: string): number {
  const bytes = writtenName(name);
  return byteHash(bytes, 0, bytes.length - 1);
}

const QUOTE = 0x22;
const ESCAPE = 0x5c;

let starts = new Uint32Array(1 << 10);

/**
 * Where each JSON string in these bytes begins, after its quote, in order; valid until the next call. A name can be
 * written in one way only, so names are equal if their bytes are, and most of them are compared and numbered without
 * being made.
 */
export function stringStarts(bytes: Uint8Array): Uint32Array {
  let found = 0;
  for (let at = 0; at < bytes.length; at++) {
    if (bytes[at] !== QUOTE) continue;
    if (found === starts.length) starts = grown(starts);
    starts[found++] = at + 1;
    at = stringEnd(bytes, at + 1);
  }
  return starts.subarray(0, found);
}

/** Where the string that begins here ends, at its quote. */
function stringEnd(bytes: Uint8Array, start: number): number {
  let at = start;
  for (let byte = bytes[at]; byte !== QUOTE; byte = bytes[at]) at += byte === ESCAPE ? 2 : 1;
  return at;
}

/** The name that begins at `start`. */
function nameAt(bytes: Uint8Array, start: number): string {
  const { buffer, byteOffset } = bytes;
  const written = Buffer.from(buffer, byteOffset + start, stringEnd(bytes, start) - start).toString();
  // Few names have an escape; the others are in the bytes as they are.
  return written.includes('\\') ? (JSON.parse(`"${written}"`) as string) : written;
}

/** False: the name that begins at `start` is in lower case. */
function mayHaveCapitals(bytes: Uint8Array, start: number): boolean {
  for (let at = start; bytes[at] !== QUOTE; at++) {
    const byte = bytes[at]!;
    if ((byte >= 0x41 && byte <= 0x5a) || byte >= 0x80 || byte === ESCAPE) return true;
  }
  return false;
}

/** The name as it is written, with its closing quote. */
function writtenName(name: string): Uint8Array {
  return Buffer.from(JSON.stringify(name)).subarray(1);
}

/**
 * Whether the name that begins at `start` begins with this lower-case text, in any case. null: its bytes cannot tell,
 * because of an escape or a letter outside ASCII.
 */
function writtenBegins(bytes: Uint8Array, start: number, prefix: string): boolean | null {
  for (let i = 0; i < prefix.length; i++) {
    const byte = bytes[start + i]!;
    if (byte >= 0x80 || byte === ESCAPE) return null;
    const lower = byte >= 0x41 && byte <= 0x5a ? byte | 0x20 : byte;
    if (byte === QUOTE || lower !== prefix.charCodeAt(i)) return false;
  }
  return true;
}

/** Names of dropped segments are kept up to this number. */
const SPARE_NAMES = 1_024;

/** The names of a segment. */
interface Named {
  readonly names: SegmentNames;
}

/**
 * Numbers and counters for the names of all segments, numbered in the order of their arrival. A thread keeps them
 * between questions. Names stay as they are written and are decoded on demand: of tens of thousands, a question shows
 * few.
 */
export class NameTable {
  readonly #field: NameField;
  /** Each name with its closing quote. */
  #table = new ByteTable();
  /** Decoded names by number; rows of equal counts are ordered by name. */
  #names: string[] = [];
  /** For each segment: the number in this table of each number in its column. */
  #maps = new WeakMap<SegmentNames, Uint32Array>();
  /** The counters of the current question. */
  readonly #tally = new Tally();
  /** Counts of live records for the last set of segments. */
  #live: { readonly segments: string; readonly counts: Uint32Array } | null = null;

  constructor(field: NameField) {
    this.#field = field;
  }

  get size(): number {
    return this.#table.size;
  }

  name(number: number): string {
    this.#names[number] ??= nameAt(this.#table.bytes, this.#table.starts[number]!);
    return this.#names[number];
  }

  /** Whether the name with this number begins with this lower-case text, in any case. */
  begins(number: number, prefix: string): boolean {
    const { bytes, starts } = this.#table;
    return writtenBegins(bytes, starts[number]!, prefix) ?? beginsWith(this.name(number), prefix);
  }

  /**
   * Starts again if most names belong to dropped segments; numbers given before are then invalid. `segments`: all of
   * the view.
   */
  forgetDropped(segments: readonly Named[]): void {
    const used = segments.reduce((sum, { names }) => sum + (this.#maps.get(names)?.length ?? 0), 0);
    if (this.size <= 2 * used + SPARE_NAMES) return;
    this.#table = new ByteTable();
    this.#names = [];
    this.#maps = new WeakMap();
    this.#live = null;
  }

  /** −1: no segment counted so far has the name. */
  numberOf(name: string): number {
    const bytes = writtenName(name);
    return this.#table.find(bytes, 0, bytes.length);
  }

  /**
   * Counts of all live records of these segments, by number of the name; not to be changed. `segments` identifies them
   * with their tombstones; `count` is called if they differ from the last call.
   */
  liveCounts(segments: string, count: () => Uint32Array): Uint32Array {
    if (this.#live?.segments !== segments) this.#live = { segments, counts: count().slice() };
    return this.#live.counts;
  }

  /** Counters for names, by number; the caller's until the next call. */
  tally(): Tally {
    this.#tally.reset(this.size);
    return this.#tally;
  }

  /** Announces names that will get numbers (ByteSource.readAhead). */
  readAhead({ names }: Named): void {
    if (!this.#maps.has(names)) names.readAhead(this.#field);
  }

  /** Numbers in this table, by number of the place or domain in the segment. */
  mapOf({ names }: Named): Uint32Array {
    return this.#maps.getOrInsertComputed(names, () => {
      const { bytes, starts } = names.written(this.#field);
      return starts.map((start) => this.#numberOf(bytes, start));
    });
  }

  /** Names are counted in lower case (`breakdownDomains`); communities are stored so. */
  #numberOf(bytes: Uint8Array, start: number): number {
    if (!mayHaveCapitals(bytes, start)) return this.#table.number(bytes, start, stringEnd(bytes, start) + 1);
    const name = writtenName(nameAt(bytes, start).toLowerCase());
    return this.#table.number(name, 0, name.length);
  }
}

/**
 * Reusable counters. With few matches most stay 0: the counting loop notes the others, so nothing has to be reset or
 * scanned as a whole (Briggs and Torczon, "An Efficient Representation for Sparse Sets", 1993).
 */
export class Tally {
  counts = new Uint32Array(0);
  /** The noted numbers, whose counters are above 0, each once, up to `length`. */
  numbers = new Uint32Array(0);
  length = 0;
  /** False: counters that are not noted may be above 0. */
  isNoted = true;
  #memory = new Uint32Array(0);

  /** Makes `length` counters of 0, none noted. */
  reset(length: number): void {
    if (this.isNoted) for (let i = 0; i < this.length; i++) this.#memory[this.numbers[i]!] = 0;
    else this.#memory.fill(0);
    if (this.#memory.length < length) {
      this.#memory = new Uint32Array(length * 2);
      this.numbers = new Uint32Array(length * 2);
    }
    this.counts = this.#memory.subarray(0, length);
    this.length = 0;
    this.isNoted = true;
  }

  add(number: number, count: number): void {
    if (this.counts[number] === 0) this.numbers[this.length++] = number;
    this.counts[number]! += count;
  }

  /** The noted numbers; null: any may be above 0. */
  get some(): Uint32Array | null {
    return this.isNoted ? this.numbers.subarray(0, this.length) : null;
  }
}
