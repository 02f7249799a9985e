// The names that a segment's columns number, communities and domains, as a thread has them, and the numbers that names
// of all segments have in a breakdown. Names are read from the file when they are asked for, and numbered as they are
// written: as strings in JSON, each in one way, so that names are equal where their bytes are, and most of them are
// compared without being made.

import { Buffer } from 'node:buffer';
import { beginsWith, type NameField } from '../../../model/engine.ts';
import { ByteTable } from '../format/byte-table.ts';
import { type CommunityFacts, decodeFacts, factsKey, readNames } from '../format/segment-columns.ts';
import type { ByteSource, Footer } from '../format/segment-file.ts';

/** Names in JSON: by number, where each begins behind its quote. */
interface WrittenNames {
  readonly bytes: Uint8Array;
  readonly starts: Uint32Array;
}

export class SegmentNames {
  readonly #source: ByteSource;
  readonly #footer: Footer;
  /** By number of the place, where the name of its community begins in the section; undefined: not looked for yet. */
  #placeStarts: Uint32Array | undefined;
  /** By number of the place, those that were asked for. */
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

  /** The facts with this number. */
  placeAt(place: number): CommunityFacts {
    this.#places[place] ??= sharedFact(this.#readPlace(place));
    return this.#places[place];
  }

  /** The places of a community, by their numbers, down. `hash`: `nameHash` of its name. */
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

  /** Until the thread reads others. */
  written(field: NameField): WrittenNames {
    if (field === 'community') {
      const starts = this.#startsOfPlaces();
      return { bytes: this.#read('places'), starts };
    }
    const bytes = this.#read('domains');
    return { bytes, starts: stringStarts(bytes) };
  }

  /** `readAhead` of a ByteSource, for `written`. */
  readAhead(field: NameField): void {
    const { offset, length } = this.#footer.sections[field === 'community' ? 'places' : 'domains']!;
    this.#source.readAhead?.(offset, length);
  }

  /**
   * Names that the column `domain` numbers. Those of posts are kept, since each of their records shows one; those of
   * comments are read again.
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
    // In front of each name stands that of the place before, and its id.
    this.#placeStarts ??= stringStarts(this.#read('places')).filter((_, i) => i % 2 === 0);
    return this.#placeStarts;
  }

  #readPlace(place: number): CommunityFacts {
    const starts = this.#startsOfPlaces();
    const { offset, length } = this.#footer.sections.places!;
    // `["` stands in front of each, and a comma or the end of all behind.
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

/** With more different ones than this, it begins again: what is not used any more goes with those that are. */
const MAX_KNOWN = 2 ** 20;

/**
 * Names that many segments have are kept once in a thread: of a hundred million records in two hundred segments, each
 * community has its name in nearly all of them.
 */
class Known<T> {
  readonly #known = new Map<string, T>();

  /** The first value that was given under this key. */
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

/** The same names, in an array of their own. */
export function sharedNames(own: readonly string[]): readonly string[] {
  return own.map((name) => names.first(name, name));
}

export function sharedFact(own: CommunityFacts): CommunityFacts {
  return facts.first(factsKey(own), own);
}

type PlaceNumbers = Uint16Array | Uint32Array;

/**
 * The numbers of the places of a segment by the name of their community: by a hash of it as it is written, in chains.
 * Two numbers a place, where a Map with the names takes ten times as much, in each thread and for each segment.
 */
class PlaceChains {
  /** By the last bits of a hash: 1 + the number of the last place that has them; 0: none has. */
  readonly #last: PlaceNumbers;
  /** By place: 1 + the number of the one before it in its chain; 0: it is the first. */
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

  /** Of those whose names may have this hash, the last; −1: there is none. */
  last(hash: number): number {
    return this.#last[hash & (this.#last.length - 1)]! - 1;
  }

  /** The one before it in its chain; −1: there is none. */
  before(place: number): number {
    return this.#before[place]! - 1;
  }
}

/** What `placesOf` finds a name by, in all segments. */
export function nameHash(name: string): number {
  const bytes = writtenName(name);
  return byteHash(bytes, 0, bytes.length - 1);
}

const QUOTE = 0x22;
const ESCAPE = 0x5c;

let starts = new Uint32Array(1 << 10);

/**
 * Names as a segment has them (segment-columns.ts) are strings in JSON. Each has one way to be written, so that names
 * are equal where their bytes are, and most of them are compared and numbered without being made. Where each string
 * in these bytes of JSON begins, behind its quote, in their order; valid until the next call.
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

function grown(numbers: Uint32Array): Uint32Array<ArrayBuffer> {
  const more = new Uint32Array(numbers.length * 2);
  more.set(numbers);
  return more;
}

/** Where the string that begins here ends: at its quote. */
function stringEnd(bytes: Uint8Array, start: number): number {
  let at = start;
  for (let byte = bytes[at]; byte !== QUOTE; byte = bytes[at]) at += byte === ESCAPE ? 2 : 1;
  return at;
}

/** The name that begins there. */
function nameAt(bytes: Uint8Array, start: number): string {
  const { buffer, byteOffset } = bytes;
  const written = Buffer.from(buffer, byteOffset + start, stringEnd(bytes, start) - start).toString();
  // Hardly one has an escape; the others stand there as they are.
  return written.includes('\\') ? (JSON.parse(`"${written}"`) as string) : written;
}

/** False: the name that begins there is in lower case. */
function mayHaveCapitals(bytes: Uint8Array, start: number): boolean {
  for (let at = start; bytes[at] !== QUOTE; at++) {
    const byte = bytes[at]!;
    if ((byte >= 0x41 && byte <= 0x5a) || byte >= 0x80 || byte === ESCAPE) return true;
  }
  return false;
}

/** As it is written, with the quote behind it. */
function writtenName(name: string): Uint8Array {
  return Buffer.from(JSON.stringify(name)).subarray(1);
}

/** FNV-1a of Fowler, Noll and Vo, with 32 bits. */
const OFFSET_BASIS = 0x811c9dc5;
const PRIME = 0x01000193;

/** A hash of these bytes; its high bits are mixed into the lowest ones, which pick the slot. */
export function byteHash(bytes: Uint8Array, start: number, end: number): number {
  let hash = OFFSET_BASIS | 0;
  for (let at = start; at < end; at++) hash = Math.imul(hash ^ bytes[at]!, PRIME);
  return hash ^ (hash >>> 15);
}

/**
 * Whether the name that begins there begins with this text in lower case, whatever its own case. null: that cannot be
 * told from its bytes, since it has an escape there or a letter outside ASCII.
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

/** This many names of dropped segments are not worth starting again for. */
const SPARE_NAMES = 1_024;

/** A segment, as far as its names go. */
interface Named {
  readonly names: SegmentNames;
}

/** Numbers for the names of all segments, and counters for them, kept by a thread from question to question. */
export class NameTable {
  readonly #field: NameField;
  #numbers = new NameNumbers();
  /** For each segment: the number in this table of each number in its column. */
  #maps = new WeakMap<SegmentNames, Uint32Array>();
  /** Of a question. */
  readonly #tally = new Tally();
  /** Of the live records of some segments together, those asked for last. */
  #live: { readonly segments: string; readonly counts: Uint32Array } | null = null;

  constructor(field: NameField) {
    this.#field = field;
  }

  get size(): number {
    return this.#numbers.size;
  }

  name(number: number): string {
    return this.#numbers.name(number);
  }

  /** Whether the name with this number begins with this text in lower case. */
  begins(number: number, prefix: string): boolean {
    return this.#numbers.begins(number, prefix);
  }

  /**
   * Starts again if most names belong to dropped segments; earlier numbers are then no longer valid.
   * `segments` are all of the view.
   */
  forgetDropped(segments: readonly Named[]): void {
    const used = segments.reduce((sum, { names }) => sum + (this.#maps.get(names)?.length ?? 0), 0);
    if (this.size <= 2 * used + SPARE_NAMES) return;
    this.#numbers = new NameNumbers();
    this.#maps = new WeakMap();
    this.#live = null;
  }

  /** −1: no segment that was counted so far has the name. */
  numberOf(name: string): number {
    return this.#numbers.find(name);
  }

  /**
   * What all live records of these segments count to, by number of the name; not to be changed. `segments` names them
   * with their tombstones; `count` is called where they are not those of the last call.
   */
  liveCounts(segments: string, count: () => Uint32Array): Uint32Array {
    if (this.#live?.segments !== segments) this.#live = { segments, counts: count().slice() };
    return this.#live.counts;
  }

  /** For each name, by its number; the caller's until the next call. */
  tally(): Tally {
    this.#tally.reset(this.size);
    return this.#tally;
  }

  /** `readAhead` of a ByteSource, for names that will be given numbers. */
  readAhead({ names }: Named): void {
    if (!this.#maps.has(names)) names.readAhead(this.#field);
  }

  /** By number of the place, or by number of the domain. */
  mapOf({ names }: Named): Uint32Array {
    let map = this.#maps.get(names);
    if (map === undefined) {
      const { bytes, starts } = names.written(this.#field);
      map = new Uint32Array(starts.length);
      for (let i = 0; i < map.length; i++) map[i] = this.#numberOf(bytes, starts[i]!);
      this.#maps.set(names, map);
    }
    return map;
  }

  /** Names are counted in lower case (`breakdownDomains`); of communities they are stored so. */
  #numberOf(bytes: Uint8Array, start: number): number {
    return mayHaveCapitals(bytes, start)
      ? this.#numbers.number(writtenName(nameAt(bytes, start).toLowerCase()), 0)
      : this.#numbers.number(bytes, start);
  }
}

/**
 * Counters that are used again. Of few matches most stay 0: who counts these notes which do not, and neither setting
 * all to 0 nor looking at all is needed (Briggs and Torczon, "An Efficient Representation for Sparse Sets", 1993).
 */
export class Tally {
  counts = new Uint32Array(0);
  /** Those above 0, up to `length`, each once: where it is noted. */
  numbers = new Uint32Array(0);
  length = 0;
  /** False: others may be above 0. */
  isNoted = true;
  #memory = new Uint32Array(0);

  /** So many, all 0, and none is noted. */
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

  /** The numbers that are noted; null: any may be above 0. */
  get some(): Uint32Array | null {
    return this.isNoted ? this.numbers.subarray(0, this.length) : null;
  }
}

/**
 * Numbers for names, in the order in which they come. They are kept as they are written, and made only when they are
 * asked for: of tens of thousands, a question shows some.
 */
export class NameNumbers {
  /** Each with the quote behind it. */
  readonly #table = new ByteTable();
  /** By number, those that were asked for: rows of equal counts are in the order of their names. */
  readonly #names: string[] = [];

  /** How many names have a number. */
  get size(): number {
    return this.#table.size;
  }

  /** The number of the name that is written in `bytes` from `start` on: the next one, if it is new. */
  number(bytes: Uint8Array, start: number): number {
    const end = stringEnd(bytes, start);
    return this.#table.number(bytes, start, end + 1, byteHash(bytes, start, end));
  }

  /** −1: the name has none. */
  find(name: string): number {
    const bytes = writtenName(name);
    return this.#table.find(bytes, 0, bytes.length, byteHash(bytes, 0, bytes.length - 1));
  }

  /** The name with this number. */
  name(number: number): string {
    this.#names[number] ??= nameAt(this.#table.bytes, this.#table.starts[number]!);
    return this.#names[number];
  }

  /** `beginsWith` of the name with this number. */
  begins(number: number, prefix: string): boolean {
    const { bytes, starts } = this.#table;
    return writtenBegins(bytes, starts[number]!, prefix) ?? beginsWith(this.name(number), prefix);
  }
}
