// Domains while a segment is built: the column of breakdowns, and the lists under `site:`.

import type { Buffer } from 'node:buffer';
import { siteKeysOfLinks, siteKeysOfPost } from '../../../model/query.ts';
import { linkedDomains } from '../../../text/domains.ts';
import type { DictionaryWriter } from '../format/dictionary-writer.ts';
import { Numbering, SITE } from '../format/keys.ts';
import { orderOf } from './key-order.ts';
import { KeyTable } from './key-table.ts';
import { PostingCollector } from './posting-collector.ts';

export class DomainFields {
  /** By doc: see format/segment-columns.ts; sets of domains are added at the end. */
  readonly column: Uint32Array;
  readonly sets: number[][] = [];
  readonly #names = new Numbering<string>();
  /** Docs with several domains, and the set of each. */
  readonly #several: [doc: number, set: number][] = [];
  readonly #sites = new Numbering<string>();
  readonly #postings = new PostingCollector();
  /**
   * Domains of posts as bytes; by their number, and by whether the post has an address: the fields of such a
   * post.
   */
  readonly #ofPosts = new KeyTable();
  readonly #known = new Map<number, { readonly column: number; readonly sites: readonly number[] }>();
  #doc = 0;

  constructor(docs: number) {
    this.column = new Uint32Array(docs);
  }

  /** Every domain, by its number. */
  get names(): readonly string[] {
    return this.#names.values;
  }

  /** Adds the current doc as a post whose domain is in `bytes` from `start` to `end`. */
  addPost(bytes: Buffer, start: number, end: number, hasUrl: boolean): void {
    const number = this.#ofPosts.number(bytes, start, end);
    const key = number * 2 + (hasUrl ? 1 : 0);
    let known = this.#known.get(key);
    if (known === undefined) {
      const domain = bytes.toString('utf8', start, end);
      const sites = siteKeysOfPost({ domain, url: hasUrl ? domain : null });
      known = {
        column: domain === '' ? 0 : 1 + this.#names.number(domain, domain),
        sites: this.#numbersOf(sites),
      };
      this.#known.set(key, known);
    }
    for (const site of known.sites) this.#postings.add(site);
    this.column[this.#doc] = known.column;
  }

  /** Adds the current doc as a comment with this body. */
  addComment(body: string): void {
    const domains = linkedDomains(body);
    if (domains.length === 0) return;
    for (const site of this.#numbersOf(siteKeysOfLinks(domains))) this.#postings.add(site);
    const numbers = domains.map((domain) => this.#names.number(domain, domain));
    if (numbers.length === 1) this.column[this.#doc] = numbers[0]! + 1;
    else this.#several.push([this.#doc, this.sets.push(numbers) - 1]);
  }

  endDoc(): void {
    this.#postings.endDoc();
    this.#doc++;
  }

  /** To be called after the last doc. */
  finish(): void {
    for (const [doc, set] of this.#several) this.column[doc] = this.names.length + 1 + set;
  }

  write(dictionary: DictionaryWriter): void {
    const keys = this.#sites.values;
    const { docs, starts } = this.#postings.finish(keys.length);
    for (const number of orderOf(keys)) {
      const list = docs.subarray(starts[number]!, starts[number + 1]!);
      dictionary.add(SITE + keys[number]!, list, list.length);
    }
  }

  #numbersOf(keys: readonly string[]): number[] {
    return keys.map((key) => this.#sites.number(key, key));
  }
}
