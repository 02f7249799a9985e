// The pairs of neighbours that are indexed (pairs.ts), and which docs hold them, while a segment is built. Two listed
// tokens are told by their places in the list; other pairs, of single characters, get numbers.

import { isPair } from './pairs.ts';
import { PairNumbering, PostingCollector } from './posting-collector.ts';
import { classOf, LISTED_TOKENS, placeInList } from './token-labels.ts';

const LISTED = LISTED_TOKENS.length;
const LISTED_PAIRS = LISTED * LISTED;

/** In smaller segments every pair gets a number: room for all listed ones would cost more than it saves. */
const MIN_DOCS_BY_PLACE = 8_192;

/** A pair of numbers of tokens, and its docs: those of `docs` from `from` to `to`. */
export type PairVisitor = (
  first: number,
  second: number,
  docs: Uint32Array,
  from: number,
  to: number,
) => void;

export class PairTable {
  readonly #byPlace: boolean;
  readonly #postings: PostingCollector;
  readonly #others = new PairNumbering();
  /** By place in the list: the number of the token. */
  readonly #tokens = new Uint32Array(LISTED);

  /** `docs`: how many the segment has. */
  constructor(docs: number) {
    this.#byPlace = docs >= MIN_DOCS_BY_PLACE;
    this.#postings = new PostingCollector(this.#byPlace ? LISTED_PAIRS : 0);
  }

  /** The tokens of a text of the current doc, in order: numbers and labels; `length` of them count. */
  addText(numbers: Uint32Array, labels: Uint16Array, length: number): void {
    let previous = 0;
    for (let i = 0; i < length; i++) {
      const label = labels[i]!;
      // The label before the first token is 0, which makes no pair.
      if (label !== 0 && previous !== 0 && isPair(classOf(previous), classOf(label))) {
        this.#postings.add(this.#keyOf(numbers[i - 1]!, previous, numbers[i]!, label));
      }
      previous = label;
    }
  }

  endDoc(): void {
    this.#postings.endDoc();
  }

  /** Every pair in the order of its first token, then its second, where `ranks` is the order of the tokens. */
  forEach(ranks: Uint32Array, visit: PairVisitor): void {
    const others = this.#others;
    const listed = this.#byPlace ? LISTED_PAIRS : 0;
    const { docs, starts } = this.#postings.finish(listed + others.count);
    const order = others.inOrder(ranks);
    let next = 0;
    const visitOthers = (isBefore: (pair: number) => boolean) => {
      for (; next < order.length && isBefore(order[next]!); next++) {
        const pair = order[next]!;
        const key = listed + pair;
        visit(others.first(pair), others.second(pair), docs, starts[key]!, starts[key + 1]!);
      }
    };
    for (let code = 0; code < listed; code++) {
      const from = starts[code]!;
      const to = starts[code + 1]!;
      if (from === to) continue;
      const first = this.#tokens[Math.floor(code / LISTED)]!;
      const second = this.#tokens[code % LISTED]!;
      visitOthers((pair) => {
        const before = ranks[others.first(pair)]! - ranks[first]!;
        return before < 0 || (before === 0 && ranks[others.second(pair)]! < ranks[second]!);
      });
      visit(first, second, docs, from, to);
    }
    visitOthers(() => true);
  }

  #keyOf(first: number, firstLabel: number, second: number, secondLabel: number): number {
    if (!this.#byPlace) return this.#others.number(first, second);
    const firstPlace = placeInList(firstLabel);
    const secondPlace = placeInList(secondLabel);
    if (firstPlace < 0 || secondPlace < 0) return LISTED_PAIRS + this.#others.number(first, second);
    this.#tokens[firstPlace] = first;
    this.#tokens[secondPlace] = second;
    return firstPlace * LISTED + secondPlace;
  }
}
