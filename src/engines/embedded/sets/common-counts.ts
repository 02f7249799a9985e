// How many docIds of one chunk every two of several sets have in common.

import { CHUNK_DOCS, type Chunk, countOf, isEmpty, type WordPool } from './chunk.ts';
import { intersect } from './chunk-operations.ts';

/** So many arrays are counted in one pass over each; of more, two by two. */
const MAX_MARKED = 4;

/**
 * By docId the arrays that have it, a bit each; all 0 between calls. Bytes: neighbours among the bits of a word would
 * wait for each other.
 */
const owners = new Uint8Array(CHUNK_DOCS);

/** Calls back for every two that have any in common, by their places in `sets`, the greater one first. */
export function eachInCommon(
  sets: readonly Chunk[],
  pool: WordPool,
  call: (one: number, other: number, count: number) => void,
): void {
  const marked: number[] = [];
  for (const [one, first] of sets.entries()) {
    if (isEmpty(first)) continue;
    const isMarked = first.kind === 'array' && marked.length < MAX_MARKED;
    for (let other = 0; other < one; other++) {
      if (isMarked && marked.includes(other)) continue;
      const count = countOf(intersect(first, sets[other]!, pool));
      if (count > 0) call(one, other, count);
    }
    if (!isMarked) continue;
    for (const [i, count] of countMarking(first.values, marked.length).entries()) {
      if (count > 0) call(one, marked[i]!, count);
    }
    marked.push(one);
  }
  if (marked.length > 0) owners.fill(0);
}

/** How many of the values each array before it has; then it is marked as array `number`. */
function countMarking(values: Uint16Array, number: number): number[] {
  const bit = 1 << number;
  let [first, second, third] = [0, 0, 0];
  for (let i = 0; i < values.length; i++) {
    const value = values[i]!;
    const before = owners[value]!;
    owners[value] = before | bit;
    first += before & 1;
    second += (before >>> 1) & 1;
    third += (before >>> 2) & 1;
  }
  return [first, second, third].slice(0, number);
}
