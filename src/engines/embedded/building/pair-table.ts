// The indexed pairs of neighbours (format/pairs.ts) and the docs that contain them, while a segment is built. Pairs
// of listed tokens are identified by their places in the list and counted a small part of the list at a time;
// other pairs, of single characters, get numbers.

import { Buffer } from 'node:buffer';
import { isPair } from '../format/pairs.ts';
import { PartitionedLog } from './growing-numbers.ts';
import type { KeyPool } from './key-codes.ts';
import { orderOfKeys } from './key-order.ts';
import { PairNumbering, PostingCollector } from './posting-collector.ts';
import { classOf, LISTED, LISTED_TOKENS } from './token-part.ts';
import type { TokenScanner } from './token-scanner.ts';

/** Both tokens of a pair as UTF-8, and its docs: those of `docs` from `from` to `to`. */
type PairVisitor = (
  first: Uint8Array,
  second: Uint8Array,
  docs: Uint32Array,
  from: number,
  to: number,
) => void;

/** Of pairs of places, in a part: their number in it and a doc fit into 32 bits. */
const PART_PAIRS = 1 << 12;
const PARTS = Math.ceil((LISTED * LISTED) / PART_PAIRS);

export class PairTable {
  readonly #listed = new PartitionedLog(PARTS);
  readonly #others = new PairNumbering();
  readonly #otherPostings = new PostingCollector();
  #doc = 0;

  /**
   * Adds the first `length` tokens that the scanner found, one after the other, in a text of the current doc.
   */
  addText({ ids, labels }: TokenScanner, length: number): void {
    let previous = 0;
    for (let i = 0; i < length; i++) {
      const label = labels[i]!;
      // The label before the first token is 0, which makes no pair.
      if (label !== 0 && previous !== 0 && isPair(classOf(previous), classOf(label))) {
        this.#add(ids[i - 1]!, ids[i]!);
      }
      previous = label;
    }
  }

  endDoc(): void {
    this.#otherPostings.endDoc();
    this.#doc++;
  }

  /**
   * Every pair, in the order of its first token, then its second. `others`: the tokens that the scanner has
   * numbered. Can be called once.
   */
  forEach(others: KeyPool, visit: PairVisitor): void {
    const pairs = this.#others;
    const tokens = new TokenOrder(others, pairs.count > 0);
    const { docs, starts } = this.#otherPostings.finish(pairs.count);
    const order = pairs.inOrder(tokens.ranks);
    let next = 0;
    /** Those before the pair of these ranks. */
    const visitOthers = (first: number, second: number) => {
      for (; next < order.length; next++) {
        const pair = order[next]!;
        const before = tokens.ranks[pairs.first(pair)]! - first;
        if (before > 0 || (before === 0 && tokens.ranks[pairs.second(pair)]! > second)) return;
        const bytes = tokens.bytes(pairs.first(pair));
        visit(bytes, tokens.bytes(pairs.second(pair)), docs, starts[pair]!, starts[pair + 1]!);
      }
    };
    const part = new PairPart();
    for (let i = 0; i < PARTS; i++) {
      part.read(this.#listed.take(i), i * PART_PAIRS);
      for (let k = 0; k < part.count; k++) {
        const pair = part.pairs[k]!;
        const first = Math.floor(pair / LISTED);
        const second = pair % LISTED;
        if (next < order.length) visitOthers(tokens.ranks[first]!, tokens.ranks[second]!);
        visit(LISTED_BYTES[first]!, LISTED_BYTES[second]!, part.docs, part.starts[k]!, part.starts[k + 1]!);
      }
    }
    visitOthers(Infinity, Infinity);
  }

  #add(first: number, second: number): void {
    if (first < LISTED && second < LISTED) {
      const pair = first * LISTED + second;
      this.#listed.push(Math.floor(pair / PART_PAIRS), (pair % PART_PAIRS) * DOCS + this.#doc);
    } else this.#otherPostings.add(this.#others.number(first, second));
  }
}

/** With fewer entries than this, a part is sorted instead of counted. */
const MIN_COUNTED = 512;
/** DocIds are below this: MAX_SEGMENT_DOCS. */
const DOCS = 2 ** 20;
const DOC_BITS = 20;

/** A part of the pairs of places: PART_PAIRS of them, from a first one on. */
class PairPart {
  /** The pairs that occur in some doc, ascending. */
  readonly pairs: Uint32Array = new Uint32Array(PART_PAIRS);
  count = 0;
  /** All lists, one after the other: that of pair `pairs[k]` is `docs` from `starts[k]` to `starts[k + 1]`. */
  docs: Uint32Array = new Uint32Array(0);
  readonly starts: Uint32Array = new Uint32Array(PART_PAIRS + 1);
  /** By pair: how many docs, later where its next one goes; and 1 + the last doc. */
  #counts = new Uint32Array(0);
  #lasts = new Uint32Array(0);

  /**
   * Replaces what was read before. Each entry is a pair, from `base` on, times DOCS, and a doc, docs ascending;
   * overwrites them.
   */
  read(entries: Uint32Array, base: number): void {
    this.count = 0;
    if (entries.length > this.docs.length) this.docs = new Uint32Array(entries.length * 2);
    if (entries.length < MIN_COUNTED) this.#sort(entries, base);
    else this.#countAll(entries, base);
  }

  #sort(entries: Uint32Array, base: number): void {
    entries.sort();
    let held = 0;
    for (let i = 0; i < entries.length; i++) {
      const entry = entries[i]!;
      if (i > 0 && entry === entries[i - 1]) continue;
      const pair = base + (entry >>> DOC_BITS);
      if (this.count === 0 || this.pairs[this.count - 1] !== pair) {
        this.pairs[this.count] = pair;
        this.starts[this.count++] = held;
      }
      this.docs[held++] = entry % DOCS;
    }
    this.starts[this.count] = held;
  }

  #countAll(entries: Uint32Array, base: number): void {
    if (this.#counts.length === 0) {
      this.#counts = new Uint32Array(PART_PAIRS);
      this.#lasts = new Uint32Array(PART_PAIRS);
    }
    const counts = this.#counts.fill(0);
    const lasts = this.#lasts.fill(0);
    for (let at = 0; at < entries.length; at++) {
      const pair = entries[at]! >>> DOC_BITS;
      const doc = entries[at]! % DOCS;
      if (lasts[pair] === doc + 1) continue;
      lasts[pair] = doc + 1;
      counts[pair]!++;
    }
    let held = 0;
    for (let pair = 0; pair < PART_PAIRS; pair++) {
      if (counts[pair] === 0) continue;
      this.pairs[this.count] = base + pair;
      this.starts[this.count++] = held;
      held += counts[pair]!;
      counts[pair] = held - counts[pair]!;
    }
    this.starts[this.count] = held;
    lasts.fill(0);
    for (let at = 0; at < entries.length; at++) {
      const pair = entries[at]! >>> DOC_BITS;
      const doc = entries[at]! % DOCS;
      if (lasts[pair] === doc + 1) continue;
      lasts[pair] = doc + 1;
      this.docs[counts[pair]!++] = doc;
    }
  }
}

/** The order of all tokens that have a number: listed ones and others. */
class TokenOrder {
  /** By id. */
  readonly ranks: Uint32Array;
  readonly #others: KeyPool;

  /** Ranks are made when they are needed. */
  constructor(others: KeyPool, isNeeded: boolean) {
    this.#others = others;
    this.ranks = new Uint32Array(isNeeded ? LISTED + others.count : 0);
    if (!isNeeded) return;
    let rank = 0;
    let place = 0;
    for (const number of orderOfKeys(others)) {
      const text = others.text(number);
      while (place < LISTED && LISTED_TOKENS[place]! < text) this.ranks[place++] = rank++;
      this.ranks[LISTED + number] = rank++;
    }
    while (place < LISTED) this.ranks[place++] = rank++;
  }

  bytes(id: number): Uint8Array {
    if (id < LISTED) return LISTED_BYTES[id]!;
    const { bytes, starts } = this.#others;
    return bytes.subarray(starts[id - LISTED], starts[id - LISTED + 1]);
  }
}

const LISTED_BYTES: readonly Uint8Array[] = LISTED_TOKENS.map((token) => Buffer.from(token));
