// Which docs contain which tokens, while a segment is built. Tokens identified by their codes are looked up
// only after the last doc, a small part of the alphabet at a time: a table for all of them would not fit into
// the processor's cache.

import { Buffer } from 'node:buffer';
import { PartitionedLog } from './growing-numbers.ts';
import { KeyCodes, type KeyPool, writeCodes } from './key-codes.ts';
import { orderOfKeys } from './key-order.ts';
import { PostingCollector, type Postings } from './posting-collector.ts';
import { LISTED, LISTED_TOKENS, TokenPart } from './token-part.ts';
import { BY_CODES, type TokenScanner } from './token-scanner.ts';

/** A token as UTF-8, and its docs: those of `docs` from `from` to `to`. */
type TokenVisitor = (
  bytes: Uint8Array,
  start: number,
  end: number,
  docs: Uint32Array,
  from: number,
  to: number,
) => void;

/** The upper bits of the first code choose the part, so parts are in order. */
const PARTS = 256;
const PART_SHIFT = 24;

export class TokenPostings {
  readonly #byCodes = new PartitionedLog(PARTS);
  /** Keys: places in the list, then LISTED + numbers of others. */
  readonly #numbered = new PostingCollector(LISTED * 2);
  #doc = 0;

  /** Adds the first `length` tokens that the scanner found to the current doc. */
  add({ ids, firsts, seconds }: TokenScanner, length: number): void {
    for (let i = 0; i < length; i++) {
      const id = ids[i]!;
      if (id === BY_CODES) {
        this.#byCodes.push3(firsts[i]! >>> PART_SHIFT, firsts[i]!, seconds[i]!, this.#doc);
      } else this.#numbered.add(id);
    }
  }

  endDoc(): void {
    this.#numbered.endDoc();
    this.#doc++;
  }

  /**
   * Every token in the order of UTF-16 units. `others`: the tokens that the scanner has numbered. Can be
   * called once.
   */
  forEach(others: KeyPool, visit: TokenVisitor): void {
    const numbered = new NumberedTokens(others, this.#numbered.finish(LISTED + others.count), visit);
    const part = new TokenPart();
    const bytes = new Uint8Array(16);
    for (let i = 0; i < PARTS; i++) {
      part.read(this.#byCodes.take(i));
      const { firsts, seconds, docs, starts } = part;
      for (const key of part.order()) {
        const first = firsts[key]!;
        const second = seconds[key]!;
        numbered.visitBefore(first, second);
        const length = writeCodes(first, second, bytes);
        visit(bytes, 0, length, docs, starts[key]!, starts[key + 1]!);
      }
    }
    numbered.visitBefore(Infinity, 0);
  }
}

/** A token that has a number, and its codes. */
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
      if (from < to) this.#visit(next.bytes, next.start, next.end, this.#postings.docs, from, to);
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
