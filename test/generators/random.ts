// Random choices, the same for the same seed.

/** Numbers from 0 up to 1, by mulberry32 (Tommy Ettinger, public domain). */
export function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** A whole number from 0 up to `end`, which it is never. */
export type Below = (end: number) => number;

export function randomBelow(seed: number): Below {
  const random = randomOf(seed);
  return (end) => Math.floor(random() * end);
}

export function pick<T>(below: Below, from: readonly T[]): T {
  return from[below(from.length)]!;
}
