// The names that a segment's columns number, as a thread has them. They are read from the file when they are first
// asked for, and by each thread once: as they are written, nobody needs them again.

import { Buffer } from 'node:buffer';
import { type CommunityFacts, decodeFacts } from '../format/community-facts.ts';
import { readNames } from '../format/segment-columns.ts';
import type { ByteSource, Footer } from '../format/segment-file.ts';
import { sharedFacts, sharedNames } from './shared-names.ts';

export class SegmentNames {
  readonly #source: ByteSource;
  readonly #footer: Footer;
  readonly #segment: string;
  #places: readonly CommunityFacts[] | undefined;
  #domains: readonly string[] | undefined;
  #domainCount = -1;
  #domainSets: readonly (readonly number[])[] | undefined;

  constructor(source: ByteSource, footer: Footer, segment: string) {
    this.#source = source;
    this.#footer = footer;
    this.#segment = segment;
  }

  get places(): readonly CommunityFacts[] {
    this.#places ??= sharedFacts(decodeFacts(this.#read('places')));
    return this.#places;
  }

  /**
   * Names that the column `domain` numbers. Those of posts are kept, since each of their records shows one; those of
   * comments are read again: breakdowns have them in tables of their own (name-table.ts).
   */
  get domains(): readonly string[] {
    if (this.#domains !== undefined) return this.#domains;
    const domains = parse<string[]>(this.#read('domains'));
    this.#domainCount = domains.length;
    if (this.#footer.kind === 'post') this.#domains = sharedNames(domains);
    return this.#domains ?? domains;
  }

  get domainCount(): number {
    if (this.#domainCount < 0) this.#domainCount = this.domains.length;
    return this.#domainCount;
  }

  get domainSets(): readonly (readonly number[])[] {
    this.#domainSets ??= parse<number[][]>(this.#read('domainSets'));
    return this.#domainSets;
  }

  #read(name: 'places' | 'domains' | 'domainSets'): Uint8Array {
    return readNames(this.#source, this.#footer, name, this.#segment);
  }
}

function parse<T>(bytes: Uint8Array): T {
  return JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString()) as T;
}
