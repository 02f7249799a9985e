// The tree that the comments of a post make, whatever sources bring: a parent may be unknown, missing, of another post,
// or an answer to its own answer. A chain may be as long as the thread, so nothing here recurses.

import type { ThreadComment, ThreadPlace } from '../../model/pages.ts';

/**
 * Comments as a tree, by their numbers in time. At the top: answers to the post, comments without a parent here, the
 * oldest of each circle.
 */
interface ThreadShape {
  /** Every number once, each in front of what answers it, and what answers the same by time. */
  readonly order: readonly number[];
  readonly places: readonly ThreadPlace[];
  /** By number: what each answers; negative where that is no comment that is here. */
  readonly answered: Int32Array;
}

const POST = -1;
const NOT_HERE = -2;
const CIRCLE = -3;

/** `comments` from the oldest on, each id once. Takes time and memory in proportion to them. */
export function threadShape(comments: readonly ThreadComment[]): ThreadShape {
  const numbers = new Map(comments.map(({ id }, number) => [id, number]));
  const answered = Int32Array.from(comments, ({ post, parent }) => {
    if (parent === '') return NOT_HERE;
    if (parent === post) return POST;
    const number = numbers.get(parent);
    return number !== undefined && comments[number]!.post === post ? number : NOT_HERE;
  });
  const parents = withoutCircles(answered);
  const order = treeOrder(parents);
  const places: ThreadPlace[] = new Array(comments.length);
  for (const number of order) {
    const parent = parents[number]!;
    const above = parent < 0 ? null : places[parent]!;
    const level = above === null ? 0 : above.level + 1;
    const isPlaced = above === null ? parent === POST : above.depth !== null;
    places[number] = { depth: isPlaced ? level : null, level };
  }
  return { order, places, answered };
}

/** Each circle is opened at its oldest comment, which then answers none. */
function withoutCircles(answered: Int32Array): Int32Array {
  const parents = answered.slice();
  /** 0: not seen; otherwise the walk on which it was seen first. */
  const seen = new Uint32Array(parents.length);
  for (let start = 0; start < parents.length; start++) {
    const walk = start + 1;
    let number = start;
    while (number >= 0 && seen[number] === 0) {
      seen[number] = walk;
      number = parents[number]!;
    }
    if (number < 0 || seen[number] !== walk) continue;
    let oldest = number;
    for (let other = parents[number]!; other !== number; other = parents[other]!) {
      oldest = Math.min(oldest, other);
    }
    parents[oldest] = CIRCLE;
  }
  return parents;
}

/** Every number once: each in front of those that have it as their parent. There are no circles. */
function treeOrder(parents: Int32Array): number[] {
  const first = new Int32Array(parents.length).fill(-1);
  const next = new Int32Array(parents.length).fill(-1);
  for (let number = parents.length - 1; number >= 0; number--) {
    const parent = parents[number]!;
    if (parent < 0) continue;
    next[number] = first[parent]!;
    first[parent] = number;
  }
  const order: number[] = [];
  for (let root = 0; root < parents.length; root++) {
    if (parents[root]! >= 0) continue;
    for (let number = root; number >= 0; ) {
      order.push(number);
      number = first[number]! >= 0 ? first[number]! : behind(number, parents, next);
    }
  }
  return order;
}

/** What comes behind a number and all below it, under the same root; negative: nothing. */
function behind(number: number, parents: Int32Array, next: Int32Array): number {
  let at = number;
  while (at >= 0 && next[at]! < 0) at = parents[at]!;
  return at < 0 ? at : next[at]!;
}

/** A comment, everything above it, and its direct answers; of a missing one, only these. By number. */
export function numbersAround(
  comments: readonly ThreadComment[],
  { answered }: ThreadShape,
  id: string,
): ReadonlySet<number> {
  const numbers = new Set<number>();
  let number = comments.findIndex((comment) => comment.id === id);
  while (number >= 0 && !numbers.has(number)) {
    numbers.add(number);
    number = answered[number]!;
  }
  for (const [other, { parent, post }] of comments.entries()) {
    if (parent === id && parent !== post) numbers.add(other);
  }
  return numbers;
}
