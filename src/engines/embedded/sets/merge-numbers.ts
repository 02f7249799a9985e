// Few sorted numbers of one chunk united as numbers: bits would have to be cleared, counted and walked.

import { type Chunk, EMPTY, type WordPool } from './chunk.ts';

/** Up to this many numbers, all sets together, merging is cheaper than bits; and of so many sets. */
const MAX_MERGED = 1_024;
const MAX_SETS = 8;

/** null: they are too many, or not all of them numbers. */
export function mergeNumbers(chunks: readonly Chunk[], pool: WordPool): Chunk | null {
  const some: Uint16Array[] = [];
  let total = 0;
  for (const chunk of chunks) {
    if (chunk.kind === 'run' && chunk.from >= chunk.to) continue;
    if (chunk.kind !== 'array' || some.length === MAX_SETS) return null;
    if (chunk.values.length === 0) continue;
    total += chunk.values.length;
    some.push(chunk.values);
  }
  if (total > MAX_MERGED) return null;
  const [first, ...others] = some.sort((a, b) => a.length - b.length);
  if (first === undefined) return EMPTY;
  return { kind: 'array', values: others.reduce((one, other) => merged(one, other, pool), first) };
}

/** Without branches in between: which of two comes first is anybody's guess. */
function merged(one: Uint16Array, other: Uint16Array, pool: WordPool): Uint16Array {
  const values = pool.numbers(one.length + other.length);
  let [i, j, count] = [0, 0, 0];
  while (i < one.length && j < other.length) {
    const [a, b] = [one[i]!, other[j]!];
    const isLess = (a - b) >>> 31;
    const isGreater = (b - a) >>> 31;
    values[count++] = b ^ ((a ^ b) & -isLess);
    i += 1 - isGreater;
    j += 1 - isLess;
  }
  while (i < one.length) values[count++] = one[i++]!;
  while (j < other.length) values[count++] = other[j++]!;
  return pool.shorten(values, count);
}
