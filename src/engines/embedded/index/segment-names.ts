// The names that a segment's columns number, as a thread has them. They are read from the file when they are asked for:
// breakdowns number them as they are written (name-table.ts), and of communities those are made that a record shows.

import { Buffer } from 'node:buffer';
import type { NameField } from '../../../model/engine.ts';
import { type CommunityFacts, decodeFacts, factsKey } from '../format/fact-columns.ts';
import { stringStarts } from '../format/keys.ts';
import { readNames } from '../format/segment-columns.ts';
import type { ByteSource, Footer } from '../format/segment-file.ts';

/** Names in JSON: by number, where each begins behind its quote. */
export interface WrittenNames {
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
