// Which docs contain which tokens and which indexed pairs of neighbours (format/pairs.ts), while a segment is built.
// Tokens identified by codes and pairs of listed tokens are numbers of 32 bits. They are counted after the last doc, a
// small part at a time: one table for all of them would not fit into the processor's cache. Other tokens, and pairs of
// single characters, get numbers.

import { Buffer } from 'node:buffer';
import { grown } from '../../packing/bytes.ts';
import { KeyCodes, writeCodes } from '../format/key-codes.ts';
import {
  FIRST_HASHED,
  hashedCode,
  NO_NEIGHBOUR,
  neighbourCode,
  placeCode,
  SEVERAL,
} from '../format/neighbours.ts';
import { isPair } from '../format/pairs.ts';
import { type KeyPool, KeyTable, orderOfKeys } from './keys.ts';
import { PartitionedLog, PostingCollector, type Postings, pairsInOrder } from './postings.ts';
import {
  BETWEEN,
  BY_CODES,
  classOf,
  LISTED,
  LISTED_TOKENS,
  TokenPart,
  type TokenScanner,
} from './token-scanner.ts';

/** A token as UTF-8, and its docs with their payloads: those of `lists` from `from` to `to`. */
type TokenVisitor = (
  bytes: Uint8Array,
  start: number,
  end: number,
  lists: Pick<Postings, 'docs' | 'payloads'>,
  from: number,
  to: number,
) => void;

const LISTED_CODES = Uint8Array.from(LISTED_TOKENS, neighbourCode);
const CODES = 1 << 8;

/** The codes by which the tokens of a record know their neighbours (format/neighbours.ts). */
class NeighbourCodes {
  /** By token of the record, as the scanner has them; behind the last one as before the first. */
  #codes = new Uint8Array(1 << 10);
  /** By code: its first token in the record, where the stamp is that of the record; and whether others have it too. */
  readonly #holders = new Uint32Array(CODES);
  readonly #stamps = new Uint32Array(CODES);
  readonly #isShared = new Uint8Array(CODES);
  #stamp = 0;
  #length = 0;

  /** Takes the tokens of a record in place of those before. */
  read(scanner: TokenScanner): void {
    const { ids, firsts, seconds, length } = scanner;
    const { pool } = scanner.others;
    while (this.#codes.length < length) this.#codes = grown(this.#codes);
    const codes = this.#codes;
    this.#length = length;
    this.#stamp = (this.#stamp + 1) >>> 0;
    for (let i = 0; i < length; i++) {
      const id = ids[i]!;
      if (id === BETWEEN) codes[i] = NO_NEIGHBOUR;
      else {
        if (id === BY_CODES) codes[i] = hashedCode(firsts[i]!, seconds[i]!);
        else if (id < LISTED) codes[i] = LISTED_CODES[id]!;
        else codes[i] = hashedCode(pool.firsts[id - LISTED]!, pool.seconds[id - LISTED]!);
        if (codes[i]! >= FIRST_HASHED) this.#hold(codes[i]!, i, scanner);
      }
    }
    for (let i = 0; i < length; i++) if (this.#isShared[codes[i]!] === 1) codes[i] = SEVERAL;
  }

  /** The payload of a token, by its place. */
  payload(i: number): number {
    const before = i === 0 ? NO_NEIGHBOUR : this.#codes[i - 1]!;
    const behind = i + 1 === this.#length ? NO_NEIGHBOUR : this.#codes[i + 1]!;
    return before | (behind << 8);
  }

  #hold(code: number, i: number, { ids, firsts, seconds }: TokenScanner): void {
    if (this.#stamps[code] !== this.#stamp) {
      this.#stamps[code] = this.#stamp;
      this.#holders[code] = i;
      this.#isShared[code] = 0;
      return;
    }
    const holder = this.#holders[code]!;
    const isSame =
      ids[holder] === ids[i] &&
      (ids[i] !== BY_CODES || (firsts[holder] === firsts[i] && seconds[holder] === seconds[i]));
    if (!isSame) this.#isShared[code] = 1;
  }
}

/** The upper bits of the first code choose the part, so the parts are in order. */
const PARTS = 256;
const PART_SHIFT = 24;

export class TokenPostings {
  readonly #byCodes = new PartitionedLog(PARTS);
  /** Keys: places in the list, then LISTED + numbers of others. */
  readonly #numbered = new PostingCollector(LISTED * 2, true);
  readonly #neighbours = new NeighbourCodes();
  #doc = 0;

  /** Adds the tokens of the current doc that the scanner found. */
  add(scanner: TokenScanner): void {
    const { ids, firsts, seconds, labels, length } = scanner;
    const neighbours = this.#neighbours;
    neighbours.read(scanner);
    for (let i = 0; i < length; i++) {
      const id = ids[i]!;
      if (id === BY_CODES) {
        const part = firsts[i]! >>> PART_SHIFT;
        this.#byCodes.push(part, firsts[i]!, seconds[i]!, this.#doc, neighbours.payload(i));
      } else if (id !== BETWEEN) {
        this.#numbered.add(id, classOf(labels[i]!) === 0 ? neighbours.payload(i) : 0);
      }
    }
  }

  endDoc(): void {
    this.#numbered.endDoc();
    this.#doc++;
  }

  /**
   * Every token in the order of UTF-16 units. `others`: the tokens that the scanner has numbered. Can be called once.
   */
  forEach(others: KeyPool, visit: TokenVisitor): void {
    const numbered = new NumberedTokens(others, this.#numbered.finish(LISTED + others.count), visit);
    const part = new TokenPart();
    const bytes = new Uint8Array(16);
    for (let i = 0; i < PARTS; i++) {
      part.read(this.#byCodes.take(i));
      const { firsts, seconds, starts } = part;
      for (const key of part.order()) {
        const first = firsts[key]!;
        const second = seconds[key]!;
        numbered.visitBefore(first, second);
        const length = writeCodes(first, second, bytes);
        visit(bytes, 0, length, part, starts[key]!, starts[key + 1]!);
      }
    }
    numbered.visitBefore(Infinity, 0);
  }
}

interface Numbered {
  readonly id: number;
  readonly first: number;
  readonly second: number;
  readonly bytes: Uint8Array;
  readonly start: number;
  readonly end: number;
}

/** Tokens with numbers, in order, merged with the tokens identified by their codes. */
class NumberedTokens {
  readonly #postings: Postings;
  readonly #visit: TokenVisitor;
  readonly #listed: Iterator<Numbered>;
  readonly #others: Iterator<Numbered>;
  #nextListed: Numbered | null;
  #nextOther: Numbered | null;

  constructor(others: KeyPool, postings: Postings, visit: TokenVisitor) {
    this.#postings = postings;
    this.#visit = visit;
    this.#listed = LISTED_BY_CODES.values();
    this.#others = inOrder(others);
    // uncovered: the list is not empty; the type allows it
    this.#nextListed = this.#listed.next().value ?? null;
    this.#nextOther = this.#others.next().value ?? null;
  }

  /** A token that fits into its codes comes before others with the same codes. */
  visitBefore(first: number, second: number): void {
    for (;;) {
      const isOther = this.#nextListed === null || isBefore(this.#nextOther, this.#nextListed);
      const next = isOther ? this.#nextOther : this.#nextListed;
      if (next === null || !isBefore(next, { first, second })) return;
      const from = this.#postings.starts[next.id]!;
      const to = this.#postings.starts[next.id + 1]!;
      if (from < to) this.#visit(next.bytes, next.start, next.end, this.#postings, from, to);
      if (isOther) this.#nextOther = this.#others.next().value ?? null;
      else this.#nextListed = this.#listed.next().value ?? null;
    }
  }
}

type Codes = Pick<Numbered, 'first' | 'second'>;

function isBefore(token: Codes | null, other: Codes): boolean {
  if (token === null) return false;
  return token.first < other.first || (token.first === other.first && token.second < other.second);
}

function* inOrder(pool: KeyPool): Generator<Numbered, undefined> {
  const { bytes, starts, firsts, seconds } = pool;
  for (const number of orderOfKeys(pool)) {
    const [start, end] = [starts[number]!, starts[number + 1]!];
    yield { id: LISTED + number, first: firsts[number]!, second: seconds[number]!, bytes, start, end };
  }
}

/** The listed tokens that fit into their codes, in order. */
const LISTED_BY_CODES: readonly Numbered[] = LISTED_TOKENS.flatMap((token, id) => {
  const codes = new KeyCodes();
  const bytes = Buffer.from(token);
  codes.read(bytes, 0, bytes.length);
  if (!codes.isWhole) return [];
  return [{ id, first: codes.first >>> 0, second: codes.second >>> 0, bytes, start: 0, end: bytes.length }];
});

/** Both tokens of a pair as UTF-8, and its docs with their payloads: those of `lists` from `from` to `to`. */
type PairVisitor = (
  first: Uint8Array,
  second: Uint8Array,
  lists: Pick<Postings, 'docs' | 'payloads'>,
  from: number,
  to: number,
) => void;

/** Pairs of places in one part. */
const PART_PAIRS = 1 << 12;
const PAIR_PARTS = Math.ceil((LISTED * LISTED) / PART_PAIRS);

export class PairTable {
  readonly #listed = new PartitionedLog(PAIR_PARTS);
  /** Pairs of other tokens, by the numbers of both. */
  readonly #others = new KeyTable();
  readonly #otherPostings = new PostingCollector(undefined, true);
  #doc = 0;

  /** Adds the tokens of the current doc that the scanner found. */
  add({ ids, labels, length }: TokenScanner): void {
    let previous = 0;
    for (let i = 0; i < length; i++) {
      const label = labels[i]!;
      // The label before the first token is 0, which makes no pair.
      if (label !== 0 && previous !== 0 && isPair(classOf(previous), classOf(label))) {
        this.#add(ids[i - 1]!, ids[i]!, placeCode(i - 1));
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
    const { pool: pairs } = this.#others;
    const tokens = new TokenOrder(others, pairs.count > 0);
    const lists = this.#otherPostings.finish(pairs.count);
    const { starts } = lists;
    const order = pairsInOrder(pairs, tokens.ranks);
    let next = 0;
    /** Visits the numbered pairs before the pair of these ranks. */
    const visitOthers = (first: number, second: number) => {
      for (; next < order.length; next++) {
        const pair = order[next]!;
        const before = tokens.ranks[pairs.firsts[pair]!]! - first;
        if (before > 0 || (before === 0 && tokens.ranks[pairs.seconds[pair]!]! > second)) return;
        const bytes = tokens.bytes(pairs.firsts[pair]!);
        visit(bytes, tokens.bytes(pairs.seconds[pair]!), lists, starts[pair]!, starts[pair + 1]!);
      }
    };
    const part = new TokenPart();
    for (let i = 0; i < PAIR_PARTS; i++) {
      part.read(this.#listed.take(i));
      for (const k of part.order()) {
        const pair = part.firsts[k]!;
        const first = Math.floor(pair / LISTED);
        const second = pair % LISTED;
        if (next < order.length) visitOthers(tokens.ranks[first]!, tokens.ranks[second]!);
        visit(LISTED_BYTES[first]!, LISTED_BYTES[second]!, part, part.starts[k]!, part.starts[k + 1]!);
      }
    }
    visitOthers(Infinity, Infinity);
  }

  #add(first: number, second: number, payload: number): void {
    if (first < LISTED && second < LISTED) {
      const pair = first * LISTED + second;
      this.#listed.push(Math.floor(pair / PART_PAIRS), pair, 0, this.#doc, payload);
    } else this.#otherPostings.add(this.#others.numberOfCodes(first, second, NO_BYTES, 0, 0), payload);
  }
}

/** The order of all tokens with a number, listed ones and others. */
class TokenOrder {
  /** The rank of each token by its id. */
  readonly ranks: Uint32Array;
  readonly #others: KeyPool;

  /** Makes ranks only if `isNeeded`. */
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

/** Of a key that is its codes alone. */
const NO_BYTES = Buffer.alloc(0);

const LISTED_BYTES: readonly Uint8Array[] = LISTED_TOKENS.map((token) => Buffer.from(token));
