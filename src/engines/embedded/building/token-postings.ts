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
  tokenPayload,
} from '../format/neighbours.ts';
import { isPair } from '../format/pairs.ts';
import { type KeyPool, orderOfKeys } from './keys.ts';
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

  /** The payload of the token at a place. */
  payload(i: number): number {
    const before = i === 0 ? NO_NEIGHBOUR : this.#codes[i - 1]!;
    const behind = i + 1 === this.#length ? NO_NEIGHBOUR : this.#codes[i + 1]!;
    return tokenPayload(before, behind, i);
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

  /** Every token in the order of UTF-16 units. Can be called once. */
  forEach(tokens: NumberedTokens, visit: TokenVisitor): void {
    const postings = this.#numbered.finish(tokens.count);
    const { order } = tokens;
    let next = 0;
    const visitBefore = (first: number, second: number) => {
      for (; next < order.length && tokens.isBefore(order[next]!, first, second); next++) {
        const id = order[next]!;
        const [from, to] = [postings.starts[id]!, postings.starts[id + 1]!];
        const bytes = tokens.bytes(id);
        if (from < to) visit(bytes, 0, bytes.length, postings, from, to);
      }
    };
    const part = new TokenPart();
    const written = new Uint8Array(16);
    for (let i = 0; i < PARTS; i++) {
      part.read(this.#byCodes.take(i));
      const { firsts, seconds, starts } = part;
      for (const key of part.order()) {
        const first = firsts[key]!;
        const second = seconds[key]!;
        visitBefore(first, second);
        const length = writeCodes(first, second, written);
        visit(written, 0, length, part, starts[key]!, starts[key + 1]!);
      }
    }
    visitBefore(Infinity, 0);
  }
}

const LISTED_BYTES: readonly Uint8Array[] = LISTED_TOKENS.map((token) => Buffer.from(token));
/** By place in the list: the codes, unsigned. */
const listedFirsts = new Uint32Array(LISTED);
const listedSeconds = new Uint32Array(LISTED);
/** Places of those that fit into their codes; the others get numbers. */
const WHOLE: readonly number[] = LISTED_BYTES.flatMap((bytes, place) => {
  const codes = new KeyCodes();
  codes.read(bytes, 0, bytes.length);
  listedFirsts[place] = codes.first;
  listedSeconds[place] = codes.second;
  return codes.isWhole ? place : [];
});

/** The tokens that are not known by codes alone: listed ones, and others, which the scanner has numbered. */
export class NumberedTokens {
  /** Their ids, as the scanner has them, in the order of UTF-16 units. */
  readonly order: Uint32Array;
  readonly #others: KeyPool;

  constructor(others: KeyPool) {
    this.#others = others;
    this.order = new Uint32Array(WHOLE.length + others.count);
    let length = 0;
    let next = 0;
    for (const number of orderOfKeys(others)) {
      const id = LISTED + number;
      // A token that fits into its codes comes before others with the same codes.
      for (let place = WHOLE[next]; place !== undefined; place = WHOLE[++next]) {
        if (this.isBefore(id, listedFirsts[place]!, listedSeconds[place]!)) break;
        this.order[length++] = place;
      }
      this.order[length++] = id;
    }
    this.order.set(WHOLE.slice(next), length);
  }

  /** Ids are below it. */
  get count(): number {
    return LISTED + this.#others.count;
  }

  /** By id: its place in the order. */
  ranks(): Uint32Array {
    const ranks = new Uint32Array(this.count);
    for (let rank = 0; rank < this.order.length; rank++) ranks[this.order[rank]!] = rank;
    return ranks;
  }

  /** Whether its codes are below these. */
  isBefore(id: number, first: number, second: number): boolean {
    const number = id - LISTED;
    const own = number < 0 ? listedFirsts[id]! : this.#others.firsts[number]!;
    if (own !== first) return own < first;
    return (number < 0 ? listedSeconds[id]! : this.#others.seconds[number]!) < second;
  }

  bytes(id: number): Uint8Array {
    if (id < LISTED) return LISTED_BYTES[id]!;
    const { bytes, starts } = this.#others;
    return bytes.subarray(starts[id - LISTED], starts[id - LISTED + 1]);
  }
}

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
const NO_RANKS = new Uint32Array(0);

export class PairTable {
  /** The last part has the pairs of other tokens, by the numbers of both. */
  readonly #log = new PartitionedLog(PAIR_PARTS + 1);
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
    this.#doc++;
  }

  /** Every pair, in the order of its first token, then its second. Can be called once. */
  forEach(tokens: NumberedTokens, visit: PairVisitor): void {
    const pairs = new TokenPart();
    pairs.read(this.#log.take(PAIR_PARTS));
    const { starts } = pairs;
    const ranks = pairs.count === 0 ? NO_RANKS : tokens.ranks();
    const order = pairsInOrder(pairs, ranks);
    let next = 0;
    /** Visits the numbered pairs before the pair of these ranks. */
    const visitOthers = (first: number, second: number) => {
      for (; next < order.length; next++) {
        const pair = order[next]!;
        const before = ranks[pairs.firsts[pair]!]! - first;
        if (before > 0 || (before === 0 && ranks[pairs.seconds[pair]!]! > second)) return;
        const bytes = tokens.bytes(pairs.firsts[pair]!);
        visit(bytes, tokens.bytes(pairs.seconds[pair]!), pairs, starts[pair]!, starts[pair + 1]!);
      }
    };
    const part = new TokenPart();
    for (let i = 0; i < PAIR_PARTS; i++) {
      part.read(this.#log.take(i));
      for (const k of part.order()) {
        const pair = part.firsts[k]!;
        const first = Math.floor(pair / LISTED);
        const second = pair % LISTED;
        if (next < order.length) visitOthers(ranks[first]!, ranks[second]!);
        visit(LISTED_BYTES[first]!, LISTED_BYTES[second]!, part, part.starts[k]!, part.starts[k + 1]!);
      }
    }
    visitOthers(Infinity, Infinity);
  }

  #add(first: number, second: number, payload: number): void {
    if (first < LISTED && second < LISTED) {
      const pair = first * LISTED + second;
      this.#log.push(Math.floor(pair / PART_PAIRS), pair, 0, this.#doc, payload);
    } else this.#log.push(PAIR_PARTS, first, second, this.#doc, payload);
  }
}
